import type { SparseTable } from './sparse-table.js';

/** A range of a list, read without order. */
interface Part {
  list: Pick<SparseTable, 'values'>;
  low: number;
  high: number;
}
/** A set of values: each is in one of the ranges; some are in several. */
export type Source = readonly Part[];

/** Testing one value costs about as much as reading this many. */
const LOOKS_PER_QUESTION = 64;
/** Skipping this many unmarked values costs less than reading one value of a list. */
const SWEPT_PER_LOOK = 16;

export function sizeOf(source: Source): number {
  let size = 0;
  for (const { low, high } of source) size += high - low;
  return size;
}

/** A cached intersection of a source with earlier ones. */
interface CachedIntersection {
  source: Source;
  size: number;
  /** Intersections with a further source. */
  with: Map<Source, CachedIntersection>;
}

/**
 * Intersections of sources, cached for one query: its buckets and interpretations intersect the same sources
 * repeatedly, each time without some of them.
 */
export class Intersections {
  private readonly marks: Uint8Array;
  private readonly known = new Map<Source, CachedIntersection>();

  /** @param marks scratch with one mark per value, all 0 before and after */
  constructor(marks: Uint8Array) {
    this.marks = marks;
  }

  /**
   * Returns the values that all sources hold; with some more, where testing each is cheaper than reading a large
   * source.
   */
  of(sources: readonly Source[]): Source {
    const [shortest = [], ...others] = [...sources].sort((one, other) => sizeOf(one) - sizeOf(other));
    let shared = kept(this.known, shortest, () => shortest);
    for (const other of others) {
      if (shared.size * LOOKS_PER_QUESTION < sizeOf(other)) break;
      const { source } = shared;
      shared = kept(shared.with, other, () => this.intersect(source, other));
    }
    return shared.source;
  }

  /**
   * Returns the first distinct values of a source that are accepted, in rising order: for a source with many values.
   */
  sweep(source: Source, limit: number, accepts: (value: number) => boolean): number[] {
    const { marks } = this;
    const found: number[] = [];
    this.mark(source, 1);
    for (let value = 0; value < marks.length && found.length < limit; value += 1) {
      if (marks[value] === 1 && accepts(value)) found.push(value);
    }
    marks.fill(0);
    return found;
  }

  /** Whether a sequential pass over the marks of all values is cheaper than reading the values of a source. */
  isMuch(source: Source): boolean {
    return sizeOf(source) * SWEPT_PER_LOOK > this.marks.length;
  }

  private mark(source: Source, mark: number): void {
    for (const { list, low, high } of source) markAll(this.marks, list.values, low, high, mark);
  }

  private intersect(one: Source, other: Source): Source {
    const shared = new Uint32Array(sizeOf(one));
    let size = 0;
    this.mark(one, 1);
    for (const { list, low, high } of other) size = takeMarked(this.marks, list.values, low, high, shared, size);
    this.mark(one, 0);
    return [{ list: { values: shared }, low: 0, high: size }];
  }
}

// Loops over typed arrays only: next to arrays of several shapes V8 deoptimizes them repeatedly.
function markAll(marks: Uint8Array, values: Uint32Array, low: number, high: number, mark: number): void {
  for (let position = low; position < high; position += 1) marks[values[position] ?? 0] = mark;
}

/** Takes each marked value once. @returns the number taken, including earlier ones */
function takeMarked(
  marks: Uint8Array,
  values: Uint32Array,
  low: number,
  high: number,
  taken: Uint32Array,
  before: number,
): number {
  let size = before;
  for (let position = low; position < high; position += 1) {
    const value = values[position] ?? 0;
    if (marks[value] !== 1) continue;
    marks[value] = 2;
    taken[size] = value;
    size += 1;
  }
  return size;
}

function kept(known: Map<Source, CachedIntersection>, key: Source, make: () => Source): CachedIntersection {
  let found = known.get(key);
  if (found === undefined) {
    const source = make();
    known.set(key, (found = { source, size: sizeOf(source), with: new Map() }));
  }
  return found;
}
