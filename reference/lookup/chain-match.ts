import type { Chain, Place } from './reading.js';
import type { Segment } from './segment.js';
import { sectionStart, stretchesOf } from './segment.js';
import type { SegmentWords } from './segment-words.js';
import type { Stretch } from './smallest-values.js';
import type { WordRange } from './vocabulary.js';

/** A way in which documents hold a chain, with so many typos or fewer. */
export interface ChainMatch {
  /** Each holds every document that matches. To be asked for only where needed: with typos it takes a walk. */
  sources: () => readonly (readonly Stretch[])[];
  holds: (document: number) => boolean;
}

export function matchChain(segment: Segment, words: SegmentWords, chain: Chain, typos: number): ChainMatch {
  return chain.place ? matchNeighbors(segment, words, chain, chain.place) : matchWord(segment, words, chain, typos);
}

function matchWord(segment: Segment, words: SegmentWords, chain: Chain, typos: number): ChainMatch {
  const { nameFields, names, aliases } = segment;
  const [typed = ''] = chain.words;
  const begun = words.beginning(typed);
  const resembling = typos > 0 ? words.resembling(typed, chain.unfinished, typos) : undefined;
  let sources: Stretch[][] | undefined;
  return {
    sources: () => (sources ??= [stretchesOf([names, aliases], [begun, ...(resembling?.ranges() ?? [])])]),
    holds(document) {
      const end = sectionStart(segment, document, nameFields + 1);
      for (let position = sectionStart(segment, document, 0); position < end; position += 1) {
        const word = segment.words[position] ?? 0;
        if (isIn(begun, word) || resembling?.holds(word)) return true;
      }
      return false;
    },
  };
}

function matchNeighbors(segment: Segment, words: SegmentWords, { words: typed }: Chain, place: Place): ChainMatch {
  const { nameFields } = segment;
  const [first, end] = place === 'names' ? [0, nameFields] : [nameFields, nameFields + 1];
  const last = typed.length - 1;
  const ranges = typed.map((text, at) => (at === last ? words.beginning(text) : words.whole(text)));
  const sources = ranges.map((range) => stretchesOf([segment[place]], [range]));
  return {
    sources: () => sources,
    holds(document) {
      for (let section = first; section < end; section += 1) {
        const stop = sectionStart(segment, document, section + 1) - last;
        for (let position = sectionStart(segment, document, section); position < stop; position += 1) {
          if (ranges.every((range, at) => isIn(range, segment.words[position + at] ?? 0))) return true;
        }
      }
      return false;
    },
  };
}

export function isIn({ low, high }: WordRange, word: number): boolean {
  return word >= low && word < high;
}
