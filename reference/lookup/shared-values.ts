import type { RankedList } from './ranked-list.js';

/** A part of a list, looked through without order. */
export interface Part {
  list: Pick<RankedList, 'values'>;
  low: number;
  high: number;
}
/** Each value that is in one of its parts; some stand there twice. */
export type Source = readonly Part[];

/** Asking whether one value is accepted costs about as much as looking at this many. */
const LOOKS_PER_QUESTION = 64;
/** Passing over so many values that are not marked costs less than to look for what belongs to one of them. */
const SWEPT_PER_LOOK = 16;

export function sizeOf(source: Source): number {
  let size = 0;
  for (const { low, high } of source) size += high - low;
  return size;
}

/** What a source shares with those before it. */
interface Narrowed {
  source: Source;
  size: number;
  /** By the source that comes next. */
  with: Map<Source, Narrowed>;
}

/**
 * What sources have in common. Kept for the time of one query: its buckets and its ways of reading ask for the same
 * sources again and again, each time without some of them.
 */
export class SharedValues {
  private readonly marks: Uint8Array;
  private readonly known = new Map<Source, Narrowed>();

  /** @param marks room for a mark per value, all 0 before and after */
  constructor(marks: Uint8Array) {
    this.marks = marks;
  }

  /** Values that all sources hold; with some more, where asking about each is cheaper than to look into a large source. */
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

  /** The first different values of a source that are accepted, in rising order: for one with a good share of all values. */
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

  /** Whether looking at all values, one after the other as they lie in memory, is cheaper than at those of a source. */
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

// Loops over typed arrays alone: beside lists of several shapes V8 compiles them anew again and again.
function markAll(marks: Uint8Array, values: Uint32Array, low: number, high: number, mark: number): void {
  for (let position = low; position < high; position += 1) marks[values[position] ?? 0] = mark;
}

/** Each marked value once. @returns how many were taken, with those before */
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

function kept(known: Map<Source, Narrowed>, key: Source, make: () => Source): Narrowed {
  let found = known.get(key);
  if (found === undefined) {
    const source = make();
    known.set(key, (found = { source, size: sizeOf(source), with: new Map() }));
  }
  return found;
}
