import { expect, test } from '@jest/globals';
import { isFull, noteMemory, wasOutOfMemory, type MemoryTrace } from '../../engines/docker/memory.js';

const trace = (...notes: [atMs: number, bytes: number][]): MemoryTrace | undefined =>
  notes.reduce<MemoryTrace | undefined>((seen, [atMs, bytes]) => noteMemory(seen, { atMs, bytes }), undefined);

test('a trace keeps the peak and the last pace', () => {
  expect(trace([0, 100], [10, 300], [20, 250])).toEqual({ peakBytes: 300, lastBytes: 250, atMs: 20, growthPerMs: 0 });
  expect(trace([0, 100], [10, 300])).toMatchObject({ growthPerMs: 20 });
  expect(trace([10, 100], [10, 300])).toMatchObject({ growthPerMs: 0 });
});

// prettier-ignore
test.each<[string, ReturnType<typeof trace>, number, boolean]>([
  ['all of it was seen in use once',              trace([0, 990], [10, 100]), 20,  true],
  ['at its pace it was full before the end',      trace([0, 0], [10, 500]),   20,  true],
  ['it was slower than that',                     trace([0, 450], [10, 500]), 20,  false],
  ['it did not grow',                             trace([0, 900], [10, 900]), 900, false],
  ['it ended before it was measured last',        trace([0, 0], [10, 500]),   5,   false],
  ['it was never measured',                       undefined,                  20,  false],
])('killed for memory: %s', (_, seen, finishedMs, expected) => {
  expect(wasOutOfMemory(seen, { exitCode: 137, limit: 1_000, finishedMs })).toBe(expected);
  expect(wasOutOfMemory(seen, { exitCode: 1, limit: 1_000, finishedMs })).toBe(false);
});

test('without a limit nothing is full', () => {
  expect([isFull(1e12, 0), isFull(1e12), isFull(980, 1_000), isFull(979, 1_000)]).toEqual([false, false, true, false]);
});
