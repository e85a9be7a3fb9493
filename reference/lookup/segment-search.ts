import { unreachable } from '../../platform/kinds/errors.js';
import type { MatchingBucket } from './buckets.js';
import type { ChainMatch } from './chain-match.js';
import { isIn, matchChain } from './chain-match.js';
import type { Chain, Interpretation } from './interpretation.js';
import { allotments, literalInterpretation, Interpreter } from './interpretation.js';
import type { Segment } from './segment.js';
import { sectionStart, listRangesOf } from './segment.js';
import { SegmentWords } from './segment-words.js';
import { Intersections, sizeOf } from './intersections.js';
import type { ListRange } from './k-way-merge.js';
import { smallestValues } from './k-way-merge.js';
import { findNameRanges, type NameRanges } from './name-ranges.js';
import { MOST_TYPOS } from './typos.js';
import type { WordRange } from './vocabulary.js';

/** A document of a segment, with the interpretation of the query that found it. */
export interface Found {
  document: number;
  reading: Interpretation;
}

export interface SegmentQuery {
  limit: number;
  /** Refuses rows that are filtered out, no longer live, or found in a better bucket. */
  accepts: (document: number) => boolean;
}

/** Comparing this many words directly costs no more than one trie walk. */
const FEW = 256;

/** Searches one segment for the typed words. */
export class SegmentSearch {
  private readonly segment: Segment;
  private readonly words: SegmentWords;
  private readonly typed: readonly string[];
  private readonly ranges: readonly WordRange[];
  private readonly plain: Interpretation;
  private readonly reader: Interpreter;
  private readonly typedNames: NameRanges;
  private readonly shared: Intersections;
  private readonly matches = [0, 1, MOST_TYPOS].map(() => new Map<Chain, ChainMatch>()); // per number of typos
  /** Per typed word the documents whose names hold it. */
  private inNames: ListRange[][] | undefined;

  constructor(segment: Segment, typed: readonly string[]) {
    const words = new SegmentWords(segment);
    this.segment = segment;
    this.words = words;
    this.typed = typed;
    this.ranges = typed.map((text) => words.beginning(text));
    this.plain = literalInterpretation(typed);
    this.reader = new Interpreter(typed, words);
    this.typedNames = findNameRanges(segment, words, typed);
    this.shared = new Intersections(segment.marks);
  }

  /**
   * Returns the first documents of a bucket by rank. Must be called in bucket order, best first, while there is room:
   * then the rows of better buckets were found, and `accepts` refuses them.
   */
  find(bucket: MatchingBucket, wanted: SegmentQuery): Found[] {
    switch (bucket) {
      case 'exact':
        return this.takeNames(this.typedNames.exact, wanted);
      case 'name_prefix':
        return this.takeNames(this.typedNames.longer, wanted);
      case 'words_in_order':
        return this.takePlain(this.namesSources(), wanted, (document) => this.inOrder(document));
      case 'words_any_order':
        if (this.typed.length < 2) return [];
        return this.takePlain(this.namesSources(), wanted, (document) => this.inAnyOrder(document));
      case 'alias':
        return this.takeWithTypos(0, wanted);
      case 'typo_1':
        return this.takeWithTypos(1, wanted);
      case 'typo_2':
        return this.takeWithTypos(2, wanted);
      case 'partial': {
        const { names, aliases } = this.segment;
        return this.takePlain([listRangesOf([names, aliases], this.ranges)], wanted, () => true);
      }
      default:
        return unreachable(bucket);
    }
  }

  private namesSources(): readonly (readonly ListRange[])[] {
    return (this.inNames ??= this.ranges.map((range) => listRangesOf([this.segment.names], [range])));
  }

  private inAnyOrder(document: number): boolean {
    const { segment } = this;
    const start = sectionStart(segment, document, 0);
    const end = sectionStart(segment, document, segment.nameFields);
    for (const range of this.ranges) {
      let at = start;
      while (at < end && !isIn(range, segment.words[at] ?? 0)) at += 1;
      if (at === end) return false;
    }
    return true;
  }

  private inOrder(document: number): boolean {
    const { segment, ranges } = this;
    for (let field = 0; field < segment.nameFields; field += 1) {
      const start = sectionStart(segment, document, field);
      const end = sectionStart(segment, document, field + 1);
      let next = 0;
      // While enough words are left.
      for (let at = start; at + ranges.length - next <= end; at += 1) {
        const range = ranges[next];
        if (range && isIn(range, segment.words[at] ?? 0)) next += 1;
      }
      if (next === ranges.length) return true;
    }
    return false;
  }

  private take(
    sources: readonly (readonly ListRange[])[],
    { limit, accepts }: SegmentQuery,
    fits: (document: number) => boolean,
  ): number[] {
    const { shared } = this;
    return smallestValues({ sources, shared, limit, accepts: (document) => fits(document) && accepts(document) });
  }

  private takePlain(
    sources: readonly (readonly ListRange[])[],
    wanted: SegmentQuery,
    fits: (document: number) => boolean,
  ): Found[] {
    return this.take(sources, wanted, fits).map((document) => ({ document, reading: this.plain }));
  }

  /** Searches the name list, which has an entry per field: a document may occur several times. */
  private takeNames(stretch: ListRange, { limit, accepts }: SegmentQuery): Found[] {
    const { nameFields } = this.segment;
    const entries = smallestValues({
      sources: [[stretch]],
      limit: limit * nameFields,
      accepts: (name) => accepts(Math.floor(name / nameFields)),
    });
    const documents = [...new Set(entries.map((name) => Math.floor(name / nameFields)))].slice(0, limit);
    return documents.map((document) => ({ document, reading: this.plain }));
  }

  private matchOf(chain: Chain, typos: number): ChainMatch {
    const known = this.matches[typos]?.get(chain);
    if (known) return known;
    const match = matchChain(this.segment, this.words, chain, typos);
    this.matches[typos]?.set(chain, match);
    return match;
  }

  /** Returns the documents that hold every chain, with at most the allotted typos in each. */
  private takeAllotted(reading: Interpretation, typos: readonly number[], wanted: SegmentQuery): number[] {
    const sources: (readonly ListRange[])[] = [];
    let fewest = Infinity;
    for (let at = 0; at < reading.length; at += 1) {
      const chain = reading[at];
      if (!chain || typos[at] !== 0) continue;
      for (const source of this.matchOf(chain, 0).sources()) {
        fewest = Math.min(fewest, sizeOf(source));
        sources.push(source);
      }
      if (fewest === 0) return [];
    }
    const all = reading.map((chain, at) => this.matchOf(chain, typos[at] ?? 0));
    // Few candidates are compared one by one; for many, trie walks find the similar words and their documents.
    if (fewest > FEW) for (const [at, match] of all.entries()) if (typos[at] !== 0) sources.push(...match.sources());
    return this.take(sources, wanted, (document) => all.every((match) => match.holds(document)));
  }

  /** Tries every way to spend at most this many typos, on blanks or on letters. */
  private takeWithTypos(most: number, wanted: SegmentQuery): Found[] {
    const found: Found[] = [];
    for (let blanks = 0; blanks <= most; blanks += 1) {
      for (const reading of this.reader.read(blanks, most - blanks)) {
        for (const allotted of allotments(reading, most - blanks)) {
          for (const document of this.takeAllotted(reading, allotted, wanted)) found.push({ document, reading });
        }
      }
    }
    return found;
  }
}
