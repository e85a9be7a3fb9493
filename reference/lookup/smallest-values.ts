import { Heap } from './heap.js';
import type { RankedList } from './ranked-list.js';
import { smallestAt } from './ranked-list.js';
import { type SharedValues, sizeOf, type Source } from './shared-values.js';

/** A part of a list: the postings of neighboring words, say. */
export interface Stretch {
  list: RankedList;
  low: number;
  high: number;
}

export interface Wanted {
  /** Each holds every value that can be accepted; one of them is enough to go by. */
  sources: readonly (readonly Stretch[])[];
  /** Needed where there is more than one source. */
  shared?: SharedValues;
  limit: number;
  accepts: (value: number) => boolean;
}

/** Taking the next value in order costs about as much as looking at this many without order. */
const LOOKS_PER_STEP = 512;
/** Steps that each accepted value is worth, before it seems that most are refused. */
const STEPS_PER_VALUE = 16;

/**
 * The smallest different values that are accepted, in rising order and at most `limit`. Usually a few steps in rising
 * order through the shortest source find enough. Where most of the first values are refused, it looks at everything
 * that all sources share instead; what is found is the same.
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

/** Without sources that hold all of another, as where a word was typed twice, or its beginning beside it. */
function narrowest(sources: readonly (readonly Stretch[])[]): readonly (readonly Stretch[])[] {
  if (sources.length < 2) return sources;
  return sources.filter(
    (source, at) =>
      !sources.some(
        (other, place) => place !== at && isWithin(other, source) && (place < at || !isWithin(source, other)),
      ),
  );
}

/** Only few are compared: many stretches are those of words that resemble one. */
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

/** The smallest different values that are accepted, of values in any order. */
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
  let place = found.length;
  while (place > 0 && (found[place - 1] ?? 0) > value) place -= 1;
  if (found[place - 1] !== value) found.splice(place, 0, value);
}
