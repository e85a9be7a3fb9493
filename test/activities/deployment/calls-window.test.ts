import { expect, test } from 'vitest';
import { createCallsWindow } from '../../../activities/deployment/calls-window.js';
import { latencyQuantile, noCalls, type RevisionCalls } from '../../../lifecycle/kinds/revision-calls.js';

const count = (requests: number, failed = 0): RevisionCalls => ({ ...noCalls(), requests, failed });
const gateways = (counts: Record<string, [stable: number, candidate: number]>) =>
  new Map(Object.entries(counts).map(([name, [one, two]]) => [name, { 1: count(one), 2: count(two) }]));
const requestsOf = ({ stable, candidate }: { stable: RevisionCalls; candidate: RevisionCalls }) => [
  stable.requests,
  candidate.requests,
];

test('calls before the step do not count, those of all gateways do, also of one that joins or leaves', () => {
  const window = createCallsWindow({ stable: 1, candidate: 2 });
  expect(requestsOf(window.all())).toEqual([0, 0]);
  window.add(0, gateways({ a: [1_000, 5] }));
  expect(requestsOf(window.all())).toEqual([0, 0]);
  window.add(1_000, gateways({ a: [1_010, 6], b: [7, 1] }));
  expect(requestsOf(window.all())).toEqual([17, 2]);
  window.add(2_000, gateways({ b: [9, 2] }));
  expect(requestsOf(window.all())).toEqual([9, 2]);
});

test('a span reaches back as far as it says; the comparison takes the last minute once that is enough', () => {
  const window = createCallsWindow({ stable: 1, candidate: 2 });
  for (let second = 0; second <= 200; second += 1) window.add(second * 1_000, gateways({ a: [second * 10, second] }));
  expect(requestsOf(window.last(10_000))).toEqual([100, 10]);
  expect(requestsOf(window.span())).toEqual([2_000, 200]); // 60 calls of the candidate in a minute are too few
  window.add(201_000, gateways({ a: [2_010, 300] }));
  expect(requestsOf(window.span())).toEqual([600, 159]);
});

test('a stable revision that got no calls lately is known by all that it ever got', () => {
  const window = createCallsWindow({ stable: 1, candidate: 2 });
  window.add(0, gateways({ a: [5_000, 0] }));
  window.add(1_000, gateways({ a: [5_000, 100] }));
  expect(requestsOf(window.span())).toEqual([5_000, 100]);
});

test('a quantile is known to a tenth', () => {
  expect(latencyQuantile({ latency: {} }, 0.95)).toBeUndefined();
  expect(latencyQuantile({ latency: { 0: 95, 49: 5 } }, 0.95)).toBe(1);
  expect(latencyQuantile({ latency: { 0: 94, 49: 6 } }, 0.95)).toBeCloseTo(1.1 ** 49);
});
