import type { KnownWords, Place } from './reading.js';
import type { ResemblingWords } from './resembling-words.js';
import { createResemblingWords } from './resembling-words.js';
import type { Segment } from './segment.js';
import { childOf, wordsBelow } from './trie.js';
import type { WordRange } from './vocabulary.js';
import { isWord } from './vocabulary.js';

/** What a segment knows of typed words; asked again and again for one query, so answers are kept. */
export interface SegmentWords extends KnownWords {
  /** Words that begin with the text. */
  beginning(text: string): WordRange;
  /** The word itself: a range of one, or empty. */
  whole(text: string): WordRange;
  /** Words with at most so many typos, in a beginning of theirs where the text is unfinished. */
  resembling(text: string, unfinished: boolean, typos: number): ResemblingWords;
}

/** The way down the trie along the letters of a text. */
interface Descent {
  range: WordRange;
  isWhole: boolean;
  /** Whole words on the way, which the text begins with. */
  passed: { word: number; length: number }[];
}
const NONE: WordRange = { low: 0, high: 0 };

export function createSegmentWords(segment: Segment): SegmentWords {
  const { vocabulary, trie } = segment;
  const descents = new Map<string, Descent>();
  const resembling = new Map<string, ResemblingWords>();

  function descend(text: string): Descent {
    const passed: Descent['passed'] = [];
    let node = 0;
    for (let length = 1; length <= text.length; length += 1) {
      node = childOf(trie, node, text.charCodeAt(length - 1));
      if (node === 0) return { range: NONE, isWhole: false, passed };
      const word = trie.firstWords[node] ?? 0;
      if (length < text.length && isWord(vocabulary, word, length)) passed.push({ word, length });
    }
    const range = wordsBelow(trie, node);
    return { range, isWhole: isWord(vocabulary, range.low, text.length), passed };
  }
  function descent(text: string): Descent {
    let known = descents.get(text);
    if (!known) descents.set(text, (known = descend(text)));
    return known;
  }
  function isHeld(place: Place, { low, high }: WordRange): boolean {
    const { starts } = segment[place];
    return (starts[low] ?? 0) < (starts[high] ?? 0);
  }

  return {
    beginning: (text) => descent(text).range,
    whole(text) {
      const { range, isWhole } = descent(text);
      return isWhole ? { low: range.low, high: range.low + 1 } : NONE;
    },
    isBegun(text, place) {
      const { range } = descent(text);
      return place ? isHeld(place, range) : !isEmpty(range);
    },
    wholeBeginnings(text, place) {
      const held = descent(text).passed.filter(({ word }) => isHeld(place, { low: word, high: word + 1 }));
      return held.map(({ length }) => length);
    },
    resembling(text, unfinished, typos) {
      const key = `${typos}${unfinished ? '*' : ' '}${text}`;
      let found = resembling.get(key);
      if (!found) {
        found = createResemblingWords(segment, { typed: text, whole: !unfinished, typos });
        resembling.set(key, found);
      }
      return found;
    },
  };
}

export function isEmpty({ low, high }: WordRange): boolean {
  return low >= high;
}
