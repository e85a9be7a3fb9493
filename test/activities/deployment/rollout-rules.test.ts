import { expect, test } from 'vitest';
import { judge, judgeTakeover } from '../../../activities/deployment/rollout-rules.js';
import { latencyBucket, noCalls, type RevisionCalls } from '../../../lifecycle/kinds/revision-calls.js';

const calls = (requests: number, failed = 0, ms = 10): RevisionCalls => ({
  ...noCalls(),
  ...{ requests, failed, latency: { [latencyBucket(ms)]: requests } },
});
const NONE = calls(0);
const still = { slowBefore: 0, unreadyMs: 0 };
/** The same calls in both spans. */
const both = (candidate: RevisionCalls, stable = calls(1_000)) => ({
  ...still,
  recent: { stable, candidate },
  span: { stable, candidate },
});
const only = (span: 'recent' | 'span', candidate: RevisionCalls, stable = calls(1_000)) => ({
  ...both(NONE, stable),
  [span]: { stable, candidate },
});

test.each([
  [
    'half of 20 recent requests failed',
    only('recent', calls(20, 10)),
    '10 of 20 requests (50 %) failed within 10 s, the limit is 50 %',
  ],
  ['fewer than half failed', only('recent', calls(20, 9)), undefined],
  ['fewer than 20 are too few', only('recent', calls(19, 19)), undefined],
  [
    'more than 2 points above the stable revision',
    only('span', calls(100, 4), calls(1_000, 10)),
    '4 of 100 requests (4 %) failed, but only 1 % of the stable revision',
  ],
  ['2 points above are not more than that', only('span', calls(100, 3), calls(1_000, 10)), undefined],
  [
    '50 requests are enough for that',
    only('span', calls(50, 2)),
    '2 of 50 requests (4 %) failed, but only 0 % of the stable revision',
  ],
  ['49 are not', only('span', calls(49, 2)), undefined],
  [
    'a stable revision without calls counts as one without errors',
    only('span', calls(100, 3), NONE),
    '3 of 100 requests (3 %) failed, but only 0 % of the stable revision',
  ],
  ['a candidate as bad as the stable revision', only('span', calls(1_000, 300), calls(1_000, 300)), undefined],
  ['not ready for less than 30 s', { ...both(NONE), unreadyMs: 29_999 }, undefined],
  ['not ready for 30 s', { ...both(NONE), unreadyMs: 30_000 }, 'no replica of the candidate was ready for 30 s'],
  ['no calls at all', both(NONE, NONE), undefined],
] as const)('%s', (_, observed, breach) => {
  expect(judge(observed).breach).toBe(breach);
});

test.each([
  ['slower by more than half and by more than 20 ms', calls(100, 0, 100), calls(100, 0, 50), true],
  ['with too few requests', calls(99, 0, 100), calls(100, 0, 50), false],
  ['not by more than half', calls(100, 0, 140), calls(100, 0, 100), false],
  ['not by more than 20 ms', calls(100, 0, 20), calls(100, 0, 5), false],
  ['without a stable revision to compare with', calls(100, 0, 1_000), NONE, false],
] as const)('the p95 counts twice in a row: %s', (_, candidate, stable, isSlow) => {
  const observed = only('span', candidate, stable);
  const first = judge(observed);
  expect(first).toEqual({ slow: isSlow ? 1 : 0 });
  const second = judge({ ...observed, slowBefore: first.slow });
  expect(second.breach?.startsWith('the p95 of 100 requests is ') ?? false).toBe(isSlow);
  expect(judge({ ...only('span', calls(100)), slowBefore: 1 })).toEqual({ slow: 0 });
});

test.each([
  [only('recent', calls(20, 10)), '10 of 20 requests (50 %) failed within 10 s, the limit is 50 %'],
  [only('recent', calls(19, 19)), undefined],
  // The former revision was as bad: no reason to go back.
  [{ ...only('recent', calls(20, 10)), span: { stable: calls(1_000, 310), candidate: NONE } }, undefined],
  [only('span', calls(50, 10)), '10 of 50 requests (20 %) failed, but only 0 % of the stable revision'],
  [only('span', calls(100, 19)), undefined],
  [only('span', calls(49, 20)), undefined],
  [{ ...both(NONE), unreadyMs: 30_000 }, 'no replica of the candidate was ready for 30 s'],
  [both(calls(1_000, 0, 5_000)), undefined],
])('a revision that took over at once collapsed: %#', (observed, expected) => {
  expect(judgeTakeover(observed)).toBe(expected);
});
