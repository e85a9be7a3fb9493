import type { KnownWords, FieldGroup } from './interpretation.js';
import { SimilarWords } from './similar-words.js';
import type { Segment } from './segment.js';
import { childOf, wordsBelow } from './trie.js';
import type { WordRange } from './vocabulary.js';
import { isWord } from './vocabulary.js';

/** The descent through the trie along the letters of a text. */
interface Descent {
  range: WordRange;
  isWhole: boolean;
  /** Whole words on the path, which are prefixes of the text. */
  passed: { word: number; length: number }[];
}
const NONE: WordRange = { low: 0, high: 0 };

/** Cached word lookups of one query in one segment. */
export class SegmentWords implements KnownWords {
  private readonly segment: Segment;
  private readonly descents = new Map<string, Descent>();
  private readonly resemblances = new Map<string, SimilarWords>();

  constructor(segment: Segment) {
    this.segment = segment;
  }

  /** Returns the words that begin with the text. */
  beginning(text: string): WordRange {
    return this.descent(text).range;
  }

  /** Returns the word itself: a range of one, or empty. */
  whole(text: string): WordRange {
    const { range, isWhole } = this.descent(text);
    return isWhole ? { low: range.low, high: range.low + 1 } : NONE;
  }

  isBegun(text: string, place?: FieldGroup): boolean {
    const { range } = this.descent(text);
    return place ? this.isHeld(place, range.low, range.high) : !isEmpty(range);
  }

  wholeBeginnings(text: string, place: FieldGroup): number[] {
    const lengths: number[] = [];
    for (const { word, length } of this.descent(text).passed) {
      if (this.isHeld(place, word, word + 1)) lengths.push(length);
    }
    return lengths;
  }

  /** Returns words with at most this many typos; for an unfinished text, also their continuations. */
  similar(text: string, unfinished: boolean, typos: number): SimilarWords {
    const key = `${typos}${unfinished ? '*' : ' '}${text}`;
    let found = this.resemblances.get(key);
    if (!found) {
      found = new SimilarWords(this.segment, { typed: text, whole: !unfinished, typos });
      this.resemblances.set(key, found);
    }
    return found;
  }

  private descent(text: string): Descent {
    let known = this.descents.get(text);
    if (!known) this.descents.set(text, (known = this.descend(text)));
    return known;
  }

  private descend(text: string): Descent {
    const { vocabulary, trie } = this.segment;
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

  private isHeld(place: FieldGroup, low: number, high: number): boolean {
    const { starts } = this.segment[place];
    return (starts[low] ?? 0) < (starts[high] ?? 0);
  }
}

export function isEmpty({ low, high }: WordRange): boolean {
  return low >= high;
}
