import { Heap } from './heap.js';
import type { RankedList } from './ranked-list.js';
import { smallestAt } from './ranked-list.js';

/** A part of a list: the postings of neighboring words, say. */
export interface Stretch {
  list: RankedList;
  low: number;
  high: number;
}

export interface Wanted {
  /** Each holds every value that can be accepted; one of them is enough to go by. */
  sources: readonly (readonly Stretch[])[];
  /** Room for a mark per value, all 0 before and after; needed where there is more than one source. */
  marks?: Uint8Array;
  limit: number;
  accepts: (value: number) => boolean;
}

/** Taking the next value in order costs about as much as looking at this many without order. */
const LOOKS_PER_STEP = 128;
/** Steps that each accepted value is worth, before it seems that most are refused. */
const STEPS_PER_VALUE = 16;
/** Asking whether one value is accepted costs about as much as looking at this many. */
const LOOKS_PER_QUESTION = 64;

export function stretchesSize(stretches: readonly Stretch[]): number {
  let size = 0;
  for (const { low, high } of stretches) size += high - low;
  return size;
}

/**
 * The smallest different values that are accepted, in rising order and at most `limit`. Usually a few steps in rising
 * order through the shortest source find enough. Where most of the first values are refused, it looks at everything
 * that all sources share instead; what is found is the same.
 */
export function smallestValues({ sources, marks = NO_MARKS, limit, accepts }: Wanted): number[] {
  let shortest: readonly Stretch[] = sources[0] ?? [];
  for (const source of sources) if (stretchesSize(source) < stretchesSize(shortest)) shortest = source;
  const patience = sources.length > 1 ? 0 : stretchesSize(shortest) / LOOKS_PER_STEP;
  const found = inRisingOrder(shortest, patience, limit, accepts);
  if (found) return found;
  const smallest = createSmallest(limit, accepts);
  if (sources.length === 1) forEachValue(shortest, smallest.offer);
  else for (const value of sharedValues(sources, marks)) smallest.offer(value);
  return smallest.found;
}
const NO_MARKS = new Uint8Array();

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

/** Values that all sources hold; with some more, where asking about each is cheaper than to look into a large source. */
function sharedValues(sources: readonly (readonly Stretch[])[], marks: Uint8Array): number[] {
  const [shortest = [], ...others] = [...sources].sort((one, other) => stretchesSize(one) - stretchesSize(other));
  let shared: number[] = [];
  forEachValue(shortest, (value) => {
    if (marks[value] !== 0) return;
    marks[value] = 1;
    shared.push(value);
  });
  for (const other of others) {
    if (shared.length * LOOKS_PER_QUESTION < stretchesSize(other)) break;
    const kept: number[] = [];
    forEachValue(other, (value) => {
      if (marks[value] !== 1) return;
      marks[value] = 2;
      kept.push(value);
    });
    for (const value of shared) marks[value] = 0;
    for (const value of kept) marks[value] = 1;
    shared = kept;
  }
  for (const value of shared) marks[value] = 0;
  return shared;
}

function forEachValue(stretches: readonly Stretch[], visit: (value: number) => void): void {
  for (const { list, low, high } of stretches) {
    for (let position = low; position < high; position += 1) visit(list.values[position] ?? 0);
  }
}

/** Keeps the smallest different values that are accepted of all that are offered. */
function createSmallest(limit: number, accepts: (value: number) => boolean) {
  const found: number[] = [];
  let worst = Infinity;
  return {
    found,
    offer(this: void, value: number): void {
      if (value >= worst || !accepts(value)) return;
      let place = found.length;
      while (place > 0 && (found[place - 1] ?? 0) > value) place -= 1;
      if (found[place - 1] === value) return;
      found.splice(place, 0, value);
      if (found.length > limit) found.pop();
      if (found.length === limit) worst = found[limit - 1] ?? Infinity;
    },
  };
}
