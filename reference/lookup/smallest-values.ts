import { Heap } from './heap.js';
import type { RankedList } from './ranked-list.js';
import { smallestAt } from './ranked-list.js';
import { type SharedValues, sizeOf, type Source } from './shared-values.js';

/** A range of a list, such as the postings of adjacent words. */
export interface Stretch {
  list: RankedList;
  low: number;
  high: number;
}

export interface Wanted {
  /** Each source holds every value that can be accepted; one of them suffices. */
  sources: readonly (readonly Stretch[])[];
  /** Required with more than one source. */
  shared?: SharedValues;
  limit: number;
  accepts: (value: number) => boolean;
}

/** Taking the next value in order costs about as much as reading this many without order. */
const LOOKS_PER_STEP = 512;
/** Steps allowed per accepted value, before the search assumes that most values are refused. */
const STEPS_PER_VALUE = 16;

/**
 * Returns the smallest distinct accepted values, in rising order and at most `limit`. Usually a k-way merge over the shortest
 * source ends after a few steps: a heap holds the minimum of each range, found through its sparse table. Where most of the
 * first values are refused, it reads the intersection of all sources instead; the result is the same.
 */
export function smallestValues({ sources, shared, limit, accepts }: Wanted): number[] {
  const narrow = narrowest(sources);
  let shortest: readonly Stretch[] = narrow[0] ?? [];
  for (const source of narrow) if (sizeOf(source) < sizeOf(shortest)) shortest = source;
  const patience = narrow.length > 1 ? 0 : sizeOf(shortest) / LOOKS_PER_STEP;
  const found = inRisingOrder(shortest, patience, limit, accepts);
  if (found) return found;
  const all = narrow.length > 1 && shared ? shared.of(narrow) : shortest;
  if (shared?.isMuch(all)) return shared.sweep(all, limit, accepts);
  return smallestOf(all, limit, accepts);
}

/** Drops sources that contain all of another one, as for a word typed twice, or for a prefix of another typed word. */
function narrowest(sources: readonly (readonly Stretch[])[]): readonly (readonly Stretch[])[] {
  if (sources.length < 2) return sources;
  return sources.filter(
    (source, at) =>
      !sources.some(
        (other, index) => index !== at && isWithin(other, source) && (index < at || !isWithin(source, other)),
      ),
  );
}

/** Sources with more ranges are not compared: they belong to similar words. */
const FEW_STRETCHES = 2;

function isWithin(inner: readonly Stretch[], outer: readonly Stretch[]): boolean {
  if (inner.length > FEW_STRETCHES || outer.length > FEW_STRETCHES) return false;
  return inner.every(({ list, low, high }) =>
    outer.some((other) => other.list === list && other.low <= low && high <= other.high),
  );
}

interface Rest extends Stretch {
  at: number;
  value: number;
}

function inRisingOrder(stretches: readonly Stretch[], patience: number, limit: number, accepts: Wanted['accepts']) {
  const rests = new Heap<Rest>(byValue);
  for (const { list, low, high } of stretches) if (low < high) rests.push(restOf(list, low, high));
  const found: number[] = [];
  let last = -1;
  for (let step = 0; found.length < limit; step += 1) {
    const rest = rests.top;
    if (rest === undefined) return found;
    if (step >= patience + STEPS_PER_VALUE * (found.length + 1)) return undefined;
    const { list, low, at, high, value } = rest;
    if (value !== last && accepts(value)) found.push(value);
    last = value;
    if (low < at) rests.replaceTop(restOf(list, low, at));
    else rests.pop();
    if (at + 1 < high) rests.push(restOf(list, at + 1, high));
  }
  return found;
}

function byValue(one: Rest, other: Rest): number {
  return one.value - other.value;
}

function restOf(list: RankedList, low: number, high: number): Rest {
  const at = smallestAt(list, low, high);
  return { list, low, high, at, value: list.values[at] ?? 0 };
}

/** Returns the smallest distinct accepted values of an unordered source. */
function smallestOf(source: Source, limit: number, accepts: Wanted['accepts']): number[] {
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
