import { expect, test } from 'vitest';
import type { LiveSegment } from '../../../reference/lookup/live-segment.js';
import { createMergeScheduler } from '../../../reference/lookup/merge-scheduler.js';
import type { Segment } from '../../../reference/lookup/segment.js';
import { documentsOf, segmentOf } from './small-segment.js';
import { worldOf } from './world.js';

const EMPTY = segmentOf(documentsOf(worldOf([])));
/** A segment of which the scheduler sees only how many rows it has. */
const sized = (rows: number): Segment => ({ ...EMPTY, rows: new Uint32Array(rows) });

/** A scheduler over segments of given sizes; a merge takes a step per 100 rows, and slices run when the test says so. */
function scheduled() {
  let segments: LiveSegment[] = [];
  let slot = 0;
  let time = 0;
  const slices: (() => void)[] = [];
  const merged: number[][] = [];
  const add = (rows: number, live = rows): LiveSegment => {
    slot += 1;
    const made = { segment: sized(rows), slot, live };
    segments = [...segments, made];
    return made;
  };
  const scheduler = createMergeScheduler({
    segments: () => segments,
    *merging(sources) {
      const live = sources.reduce((sum, each) => sum + each.live, 0);
      for (let left = live; left > 0; left -= 100) yield;
      return sized(live);
    },
    replace(segment, sources) {
      merged.push(sources.map(({ live }) => live));
      segments = segments.filter((each) => !sources.includes(each));
      if (segment.rows.length > 0) add(segment.rows.length);
    },
    defer: (slice) => void slices.push(slice),
    now: () => time++,
    sliceMs: 1,
  });
  return { scheduler, add, merged, slices, sizes: () => segments.map(({ live }) => live) };
}

test('eight small segments become one at once', () => {
  const { scheduler, add, merged, slices, sizes } = scheduled();
  for (let count = 1; count < 8; count += 1) {
    add(5);
    scheduler.start();
  }
  expect(merged).toEqual([]);
  add(7);
  scheduler.start();
  expect(merged).toEqual([[5, 5, 5, 5, 5, 5, 5, 7]]);
  expect([sizes(), slices]).toEqual([[42], []]);
});

test('segments of different size classes stay apart', () => {
  const { scheduler, add, merged } = scheduled();
  for (const size of [1, 7, 8, 63, 64, 511, 512, 4_095]) {
    for (let count = 0; count < 2; count += 1) add(size);
  }
  scheduler.start();
  expect(merged).toEqual([]);
});

test('a large merge runs in slices, and its sources are not merged twice meanwhile', () => {
  const { scheduler, add, merged, slices, sizes } = scheduled();
  const sources = Array.from({ length: 8 }, () => add(600));
  scheduler.start();
  expect(sources.every((source) => scheduler.isSource(source))).toBe(true);
  expect(slices).toHaveLength(1);
  scheduler.start();
  expect(slices).toHaveLength(1);
  while (slices.length > 0) slices.shift()?.();
  expect(merged).toEqual([Array.from({ length: 8 }, () => 600)]);
  expect(sizes()).toEqual([4_800]);
  expect(sources.some((source) => scheduler.isSource(source))).toBe(false);
});

test('the smallest merge goes first', () => {
  const { scheduler, add, merged, slices } = scheduled();
  for (let count = 0; count < 8; count += 1) add(5_000);
  scheduler.start();
  slices.shift()?.();
  for (let count = 0; count < 8; count += 1) add(100);
  scheduler.start();
  expect(merged).toEqual([]); // 800 rows are too many to be merged at once
  while (slices.length > 0) slices.shift()?.();
  expect(merged.map((each) => each[0])).toEqual([100, 5_000]);
});

test('a segment of which too much is gone is rewritten alone', () => {
  const { scheduler, add, merged, sizes } = scheduled();
  add(100, 70);
  scheduler.start();
  expect(merged).toEqual([]);
  add(100, 69);
  scheduler.start();
  expect(merged).toEqual([[69]]);
  expect(sizes()).toEqual([70, 69]);
});

test('with too many segments a writer waits for a merge', () => {
  const { scheduler, add, sizes } = scheduled();
  // Nothing runs in the background: only the limit merges.
  for (let count = 0; count < 400; count += 1) {
    add(600);
    scheduler.start();
  }
  expect(sizes().length).toBeLessThanOrEqual(129);
  expect(sizes().reduce((sum, size) => sum + size, 0)).toBe(240_000);
});

test('to settle completes every merge that is due, and those that become due by it', () => {
  const { scheduler, add, sizes } = scheduled();
  for (let count = 0; count < 64; count += 1) add(600);
  scheduler.settle();
  expect(sizes()).toEqual([38_400]);
  scheduler.settle();
  expect(sizes()).toEqual([38_400]);
});
