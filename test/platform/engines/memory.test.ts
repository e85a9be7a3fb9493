import { expect, test } from 'vitest';
import {
  isFull,
  type MemoryTrace,
  noteMemory,
  traceFrom,
  wasOutOfMemory,
} from '../../../platform/engines/docker/memory.js';

const trace = (...notes: [atMs: number, bytes: number][]): MemoryTrace | undefined =>
  notes.reduce<MemoryTrace | undefined>((seen, [atMs, bytes]) => noteMemory(seen, { atMs, bytes }), undefined);

test('a trace keeps the peak and the last pace', () => {
  const peak = { bytes: 300, atMs: 10, growthPerMs: 20 };
  expect(trace([0, 100], [10, 300], [20, 250])).toEqual({ peak, last: { bytes: 250, atMs: 20, growthPerMs: 0 } });
  expect(trace([0, 100], [10, 300])).toEqual({ peak, last: peak });
  expect(trace([10, 100], [10, 300])).toMatchObject({ last: { growthPerMs: 0 } });
  expect(noteMemory(traceFrom(0), { bytes: 300, atMs: 10 })).toMatchObject({ last: { growthPerMs: 30 } });
});

// prettier-ignore
test.each<[string, ReturnType<typeof trace>, number, boolean]>([
  ['all of it was seen in use once',              trace([0, 990], [10, 100]), 20,  true],
  ['at its pace it was full before the end',      trace([0, 0], [10, 500]),   20,  true],
  ['it was slower than that',                     trace([0, 450], [10, 500]), 20,  false],
  ['it did not grow',                             trace([0, 900], [10, 900]), 900, false],
  ['it ended before it was measured last',        trace([0, 0], [10, 500]),   5,   false],
  ['it was seen while it was being taken apart',  trace([0, 0], [10, 900], [12, 80], [14, 1]), 20, true],
  ['it had let go of it long before',             trace([0, 0], [10, 900], [12, 80]), 2_000, false],
  ['it was never measured',                       undefined,                  20,  false],
])('killed for memory: %s', (_, seen, finishedMs, expected) => {
  expect(wasOutOfMemory(seen, { exitCode: 137, limit: 1_000, finishedMs })).toBe(expected);
  expect(wasOutOfMemory(seen, { exitCode: 1, limit: 1_000, finishedMs })).toBe(false);
});

test('without a limit nothing is full', () => {
  expect([isFull(1e12, 0), isFull(1e12), isFull(980, 1_000), isFull(979, 1_000)]).toEqual([false, false, true, false]);
});
