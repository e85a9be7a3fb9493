import { expect, test } from 'vitest';
import {
  afterAttempt,
  type BreakerState,
  CLOSED,
  hasGivenUp,
  isOpen,
  permits,
} from '../../../notifications/delivery/breaker.js';
import { createMinutePace, createPace, type Pace } from '../../../notifications/delivery/pace.js';

const after = (state: BreakerState, ...outcomes: [at: number, failed: boolean][]): BreakerState =>
  outcomes.reduce((each, [at, failed]) => afterAttempt(each, { at, failed }), state);
const failures = (count: number, from = 0): [number, boolean][] =>
  Array.from({ length: count }, (_, n) => [from + n, true]);

test('it opens with the tenth failure in a row, and not before', () => {
  expect(isOpen(after(CLOSED, ...failures(9)))).toBe(false);
  expect(isOpen(after(CLOSED, ...failures(9), [9, false], ...failures(9, 10)))).toBe(false);
  const open = after(CLOSED, ...failures(10));
  expect(isOpen(open)).toBe(true);
  expect(permits(open, { now: 9 + 29_999, underWay: 0 })).toBe(0);
});

test('it opens when half of twenty within five minutes failed, however they come', () => {
  const mixed = (count: number, everyMs: number): [number, boolean][] =>
    Array.from({ length: count }, (_, n) => [n * everyMs, n % 2 === 1]);
  expect(isOpen(after(CLOSED, ...mixed(18, 1_000)))).toBe(false);
  expect(isOpen(after(CLOSED, ...mixed(20, 1_000)))).toBe(true);
  expect(isOpen(after(CLOSED, ...mixed(40, 60_000)))).toBe(false);
});

test('half open it lets one attempt through; a failure doubles the pause up to half an hour, a success closes it', () => {
  let state = after(CLOSED, ...failures(10));
  const pauses: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    const at = state.retryAt ?? 0;
    expect(permits(state, { now: at, underWay: 0 })).toBe(1);
    expect(permits(state, { now: at, underWay: 1 })).toBe(0);
    state = afterAttempt(state, { at, failed: true });
    pauses.push((state.retryAt ?? 0) - at);
  }
  expect(pauses.map((pause) => pause / 1_000)).toEqual([60, 120, 240, 480, 960, 1_800, 1_800, 1_800, 1_800]);
  const closed = afterAttempt(state, { at: state.retryAt ?? 0, failed: false });
  expect(permits(closed, { now: state.retryAt ?? 0, underWay: 5 })).toBe(Infinity);
  expect(isOpen(afterAttempt(closed, { at: (state.retryAt ?? 0) + 1, failed: true }))).toBe(false);
});

test('attempts that were under way when it opened make its pause no longer', () => {
  const open = after(CLOSED, ...failures(10));
  const late = after(open, ...failures(90, 10));
  expect(late.retryAt).toBe(open.retryAt);
  const again = afterAttempt(late, { at: 30_009, failed: true });
  expect(again.retryAt).toBe(30_009 + 60_000);
  expect(isOpen(after(late, [200, false]))).toBe(false);
});

test('five days without a success switch it off', () => {
  const open = after(CLOSED, ...failures(10));
  expect(hasGivenUp(open, 9 + 5 * 86_400_000 - 1)).toBe(false);
  expect(hasGivenUp(open, 9 + 5 * 86_400_000)).toBe(true);
  expect(hasGivenUp(CLOSED, 1e15)).toBe(false);
});

test('an endpoint that asks for time gets it as a whole, without being taken for down', () => {
  const asked = afterAttempt(CLOSED, { at: 0, failed: true, slowDownUntil: 7_000 });
  expect(isOpen(asked)).toBe(false);
  expect(permits(asked, { now: 6_999, underWay: 0 })).toBe(0);
  expect(permits(asked, { now: 7_000, underWay: 3 })).toBe(Infinity);
});

test('what others end with meanwhile takes nothing from the time that was asked for', () => {
  const asked = afterAttempt(CLOSED, { at: 0, failed: true, slowDownUntil: 7_000 });
  const later = after(asked, [10, false], [20, true]);
  expect(permits(later, { now: 6_999, underWay: 0 })).toBe(0);
  expect(permits(after(later, [7_000, false]), { now: 7_000, underWay: 3 })).toBe(Infinity);
});

test('thousands of attempts a second are no more to keep than one', () => {
  const busy = after(CLOSED, ...Array.from({ length: 3_000 }, (_, n): [number, boolean] => [n * 200, n % 10 === 0]));
  expect(isOpen(busy)).toBe(false);
  expect(busy.tallies.length).toBeLessThanOrEqual(31);
  expect(busy.tallies.at(-1)).toEqual({ from: 590_000, attempts: 50, failures: 5 });
});

function startsOf(pace: Pace, untilMs: number, everyMs: number): number[] {
  const starts: number[] = [];
  for (let now = 0; now < untilMs; now += everyMs) {
    if (pace.nextAt() > now) continue;
    pace.started(now);
    starts.push(now);
  }
  return starts;
}
const mostWithin = (starts: readonly number[], windowMs: number): number =>
  Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + windowMs).length));

test('a rate that is granted for a minute holds for each minute, and is spread over its seconds', () => {
  const starts = startsOf(createMinutePace(90, []), 180_000, 50);
  expect(mostWithin(starts, 60_000)).toBe(90);
  expect(mostWithin(starts, 1_000)).toBe(2);
  expect(starts).toHaveLength(270);
  // The starts of an earlier sender count.
  const earlier = Array.from({ length: 90 }, () => -10_000);
  expect(startsOf(createMinutePace(90, earlier), 60_000, 50)[0]).toBe(50_000);
  expect(startsOf(createMinutePace(1, []), 180_000, 50)).toEqual([0, 60_000, 120_000]);
});

test('in no second more starts than the limit', () => {
  const starts = startsOf(createPace(5), 3_000, 7);
  expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(5);
  expect(starts.length).toBeGreaterThanOrEqual(14);
});
