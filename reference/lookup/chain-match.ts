import type { Chain, FieldGroup } from './interpretation.js';
import type { SimilarWords } from './similar-words.js';
import type { Segment } from './segment.js';
import { sectionStart, listRangesOf } from './segment.js';
import type { SegmentWords } from './segment-words.js';
import type { ListRange } from './k-way-merge.js';
import type { WordRange } from './vocabulary.js';

/** The match of a chain: the documents that hold it with at most this many typos. */
export interface ChainMatch {
  /** Each source holds every document that matches. With typos it takes a trie walk, so call it only when needed. */
  sources(): readonly (readonly ListRange[])[];
  holds(document: number): boolean;
}

export function matchChain(segment: Segment, words: SegmentWords, chain: Chain, typos: number): ChainMatch {
  return chain.group
    ? new NeighborMatch(segment, words, chain, chain.group)
    : new WordMatch(segment, words, chain, typos);
}

class WordMatch implements ChainMatch {
  private readonly segment: Segment;
  private readonly begun: WordRange;
  private readonly resembling: SimilarWords | undefined;
  private found: ListRange[][] | undefined;

  constructor(segment: Segment, words: SegmentWords, { words: [typed = ''], unfinished }: Chain, typos: number) {
    this.segment = segment;
    this.begun = words.beginning(typed);
    this.resembling = typos > 0 ? words.similar(typed, unfinished, typos) : undefined;
  }

  sources(): readonly (readonly ListRange[])[] {
    const { names, aliases } = this.segment;
    return (this.found ??= [listRangesOf([names, aliases], [this.begun, ...(this.resembling?.ranges() ?? [])])]);
  }

  holds(document: number): boolean {
    const { segment, resembling } = this;
    const { low, high } = this.begun;
    const end = sectionStart(segment, document, segment.nameFields + 1);
    for (let position = sectionStart(segment, document, 0); position < end; position += 1) {
      const word = segment.words[position] ?? 0;
      if ((word >= low && word < high) || resembling?.holds(word)) return true;
    }
    return false;
  }
}

class NeighborMatch implements ChainMatch {
  private readonly segment: Segment;
  private readonly ranges: readonly WordRange[];
  private readonly place: FieldGroup;
  private found: ListRange[][] | undefined;

  constructor(segment: Segment, words: SegmentWords, { words: typed }: Chain, place: FieldGroup) {
    const last = typed.length - 1;
    this.segment = segment;
    this.place = place;
    this.ranges = typed.map((text, at) => (at === last ? words.beginning(text) : words.whole(text)));
  }

  sources(): readonly (readonly ListRange[])[] {
    return (this.found ??= this.ranges.map((range) => listRangesOf([this.segment[this.place]], [range])));
  }

  holds(document: number): boolean {
    const { segment, ranges } = this;
    const { nameFields } = segment;
    const [first, end] = this.place === 'names' ? [0, nameFields] : [nameFields, nameFields + 1];
    for (let section = first; section < end; section += 1) {
      const stop = sectionStart(segment, document, section + 1) - ranges.length + 1;
      for (let position = sectionStart(segment, document, section); position < stop; position += 1) {
        if (ranges.every((range, at) => isIn(range, segment.words[position + at] ?? 0))) return true;
      }
    }
    return false;
  }
}

export function isIn({ low, high }: WordRange, word: number): boolean {
  return word >= low && word < high;
}
