import { unreachable } from '../../resources/errors.js';
import type { MatchingBucket } from './buckets.js';
import type { ChainMatch } from './chain-match.js';
import { isIn, matchChain } from './chain-match.js';
import type { Chain, Reading } from './reading.js';
import { allotments, asTyped, createReader } from './reading.js';
import type { Segment } from './segment.js';
import { sectionStart, stretchesOf } from './segment.js';
import { createSegmentWords } from './segment-words.js';
import type { Stretch } from './smallest-values.js';
import { smallestValues, stretchesSize } from './smallest-values.js';
import { findTypedNames } from './typed-names.js';
import { MOST_TYPOS } from './typos.js';

/** A document of a segment, and the way of reading the query that found it. */
export interface Found {
  document: number;
  reading: Reading;
}

export interface Wanted {
  limit: number;
  /** Refuses rows that are filtered out, no longer live, or already found in a better bucket. */
  accepts: (document: number) => boolean;
}

/**
 * Gives the first documents of a bucket by rank. To be asked bucket by bucket, best first, and only while there is room:
 * then what a better bucket holds has been found, so `accepts` refuses it and no bucket needs to rule it out.
 */
export type SegmentSearch = (bucket: MatchingBucket, wanted: Wanted) => Found[];

/** Comparing so many words letter by letter costs no more than one walk through the vocabulary. */
const FEW = 256;

export function createSegmentSearch(segment: Segment, typed: readonly string[]): SegmentSearch {
  const words = createSegmentWords(segment);
  const ranges = typed.map((text) => words.beginning(text));
  const plain = asTyped(typed);
  const read = createReader(typed, words);
  const typedNames = findTypedNames(segment, words, typed);
  const { nameFields, names, aliases, marks } = segment;

  function inAnyOrder(document: number): boolean {
    const start = sectionStart(segment, document, 0);
    const end = sectionStart(segment, document, nameFields);
    return ranges.every((range) => {
      for (let at = start; at < end; at += 1) if (isIn(range, segment.words[at] ?? 0)) return true;
      return false;
    });
  }

  function inOrder(document: number): boolean {
    for (let field = 0; field < nameFields; field += 1) {
      const end = sectionStart(segment, document, field + 1);
      let next = 0;
      for (let at = sectionStart(segment, document, field); at < end; at += 1) {
        const range = ranges[next];
        if (range && isIn(range, segment.words[at] ?? 0)) next += 1;
      }
      if (next === ranges.length) return true;
    }
    return false;
  }

  type Fits = (document: number) => boolean;

  function take(sources: readonly (readonly Stretch[])[], { limit, accepts }: Wanted, fits: Fits): number[] {
    const fitting = (document: number) => fits(document) && accepts(document);
    return smallestValues({ sources, marks, limit, accepts: fitting });
  }
  function takePlain(sources: readonly (readonly Stretch[])[], wanted: Wanted, fits: Fits): Found[] {
    return take(sources, wanted, fits).map((document) => ({ document, reading: plain }));
  }
  /** Per word typed the documents whose names hold it. */
  const inNames = ranges.map((range) => stretchesOf([names], [range]));

  /** Names are listed per field, so a document can stand there more than once. */
  function takeNames(stretch: Stretch, { limit, accepts }: Wanted): Found[] {
    const documentOf = (name: number) => Math.floor(name / nameFields);
    const entries = smallestValues({
      sources: [[stretch]],
      limit: limit * nameFields,
      accepts: (name) => accepts(documentOf(name)),
    });
    const documents = [...new Set(entries.map(documentOf))].slice(0, limit);
    return documents.map((document) => ({ document, reading: plain }));
  }

  const matches = [0, 1, MOST_TYPOS].map(() => new Map<Chain, ChainMatch>()); // per number of typos
  function matchOf(chain: Chain, typos: number): ChainMatch {
    const known = matches[typos]?.get(chain);
    if (known) return known;
    const match = matchChain(segment, words, chain, typos);
    matches[typos]?.set(chain, match);
    return match;
  }

  /** The documents that hold every chain, with so many typos or fewer in each. */
  function takeAllotted(reading: Reading, typos: readonly number[], wanted: Wanted): number[] {
    const sources: (readonly Stretch[])[] = [];
    let fewest = Infinity;
    for (let at = 0; at < reading.length; at += 1) {
      const chain = reading[at];
      if (!chain || typos[at] !== 0) continue;
      for (const source of matchOf(chain, 0).sources()) {
        fewest = Math.min(fewest, stretchesSize(source));
        sources.push(source);
      }
      if (fewest === 0) return [];
    }
    const all = reading.map((chain, at) => matchOf(chain, typos[at] ?? 0));
    // A few are compared one by one; for many, walks find the words that resemble, and their documents.
    if (fewest > FEW) for (const [at, match] of all.entries()) if (typos[at] !== 0) sources.push(...match.sources());
    return take(sources, wanted, (document) => all.every(({ holds }) => holds(document)));
  }

  /** Every way to spend so many typos or fewer, on blanks or on letters. */
  function takeWithTypos(most: number, wanted: Wanted): Found[] {
    const found: Found[] = [];
    for (let blanks = 0; blanks <= most; blanks += 1) {
      for (const reading of read(blanks, most - blanks)) {
        for (const allotted of allotments(reading, most - blanks)) {
          for (const document of takeAllotted(reading, allotted, wanted)) found.push({ document, reading });
        }
      }
    }
    return found;
  }

  return (bucket, wanted) => {
    switch (bucket) {
      case 'exact':
        return takeNames(typedNames.exact, wanted);
      case 'name_prefix':
        return takeNames(typedNames.longer, wanted);
      case 'words_in_order':
        return takePlain(inNames, wanted, inOrder);
      case 'words_any_order':
        return typed.length < 2 ? [] : takePlain(inNames, wanted, inAnyOrder);
      case 'alias':
        return takeWithTypos(0, wanted);
      case 'typo_1':
        return takeWithTypos(1, wanted);
      case 'typo_2':
        return takeWithTypos(2, wanted);
      case 'partial':
        return takePlain([stretchesOf([names, aliases], ranges)], wanted, () => true);
      default:
        return unreachable(bucket);
    }
  };
}
