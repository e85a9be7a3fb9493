import { Heap } from './heap.js';
import type { SparseTable } from './sparse-table.js';
import { minimumAt } from './sparse-table.js';
import { type Intersections, sizeOf, type Source } from './intersections.js';

/** A range of a list, such as the postings of adjacent words. */
export interface ListRange {
  list: SparseTable;
  low: number;
  high: number;
}

export interface MergeQuery {
  /** Each source holds every value that can be accepted; one of them suffices. */
  sources: readonly (readonly ListRange[])[];
  /** Required with more than one source. */
  shared?: Intersections;
  limit: number;
  accepts: (value: number) => boolean;
}

/** Taking the next value in order costs about as much as reading this many without order. */
const LOOKS_PER_STEP = 512;
/** Steps allowed per accepted value, before the search assumes that most values are refused. */
const STEPS_PER_VALUE = 16;

/**
 * Returns the smallest distinct accepted values, in rising order and at most `limit`. Usually a k-way merge over the
 * shortest source ends after a few steps: a heap holds the minimum of each range, found through its sparse table. Where
 * most of the first values are refused, it reads the intersection of all sources instead; the result is the same.
 */
export function smallestValues({ sources, shared, limit, accepts }: MergeQuery): number[] {
  const narrow = narrowest(sources);
  let shortest: readonly ListRange[] = narrow[0] ?? [];
  for (const source of narrow) if (sizeOf(source) < sizeOf(shortest)) shortest = source;
  const patience = narrow.length > 1 ? 0 : sizeOf(shortest) / LOOKS_PER_STEP;
  const found = inRisingOrder(shortest, patience, limit, accepts);
  if (found) return found;
  const all = narrow.length > 1 && shared ? shared.of(narrow) : shortest;
  if (shared?.isMuch(all)) return shared.sweep(all, limit, accepts);
  return smallestOf(all, limit, accepts);
}

/** Drops sources that contain all of another one, as for a word typed twice, or for a prefix of another typed word. */
function narrowest(sources: readonly (readonly ListRange[])[]): readonly (readonly ListRange[])[] {
  if (sources.length < 2) return sources;
  return sources.filter(
    (source, at) =>
      !sources.some(
        (other, index) => index !== at && isWithin(other, source) && (index < at || !isWithin(source, other)),
      ),
  );
}

/** Sources with more ranges are not compared: they belong to similar words. */
const FEW_RANGES = 2;

function isWithin(inner: readonly ListRange[], outer: readonly ListRange[]): boolean {
  if (inner.length > FEW_RANGES || outer.length > FEW_RANGES) return false;
  return inner.every(({ list, low, high }) =>
    outer.some((other) => other.list === list && other.low <= low && high <= other.high),
  );
}

interface RangeCursor extends ListRange {
  at: number;
  value: number;
}

function inRisingOrder(
  stretches: readonly ListRange[],
  patience: number,
  limit: number,
  accepts: MergeQuery['accepts'],
) {
  const rests = new Heap<RangeCursor>(byValue);
  for (const { list, low, high } of stretches) if (low < high) rests.push(cursorOf(list, low, high));
  const found: number[] = [];
  let last = -1;
  for (let step = 0; found.length < limit; step += 1) {
    const rest = rests.top;
    if (rest === undefined) return found;
    if (step >= patience + STEPS_PER_VALUE * (found.length + 1)) return undefined;
    const { list, low, at, high, value } = rest;
    if (value !== last && accepts(value)) found.push(value);
    last = value;
    if (low < at) rests.replaceTop(cursorOf(list, low, at));
    else rests.pop();
    if (at + 1 < high) rests.push(cursorOf(list, at + 1, high));
  }
  return found;
}

function byValue(one: RangeCursor, other: RangeCursor): number {
  return one.value - other.value;
}

function cursorOf(list: SparseTable, low: number, high: number): RangeCursor {
  const at = minimumAt(list, low, high);
  return { list, low, high, at, value: list.values[at] ?? 0 };
}

/** Returns the smallest distinct accepted values of an unordered source. */
function smallestOf(source: Source, limit: number, accepts: MergeQuery['accepts']): number[] {
  const found: number[] = [];
  let worst = Infinity;
  for (const { list, low, high } of source) {
    for (let position = low; position < high; position += 1) {
      const value = list.values[position] ?? 0;
      if (value >= worst || !accepts(value)) continue;
      keepInOrder(found, value);
      if (found.length > limit) found.pop();
      if (found.length === limit) worst = found[limit - 1] ?? Infinity;
    }
  }
  return found;
}

function keepInOrder(found: number[], value: number): void {
  let position = found.length;
  while (position > 0 && (found[position - 1] ?? 0) > value) position -= 1;
  if (found[position - 1] !== value) found.splice(position, 0, value);
}
