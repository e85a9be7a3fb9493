import { expect, test } from 'vitest';
import {
  autoscaler,
  autoscalerSettings,
  type AutoscalerState,
  type Observation,
  startAutoscaler,
} from '../../../activities/deployment/autoscaler.js';
import { simulate } from '../../../bench/autoscaler/simulator.js';

const SETTINGS = autoscalerSettings();

/** Observes one concurrency for a while. */
function observe(
  state: AutoscalerState,
  { seconds, ...given }: Partial<Observation> & { seconds: number },
): AutoscalerState {
  let next = state;
  const startMs = state.samples.at(-1)?.atMs ?? state.startedAtMs;
  for (let atMs = startMs + 2_000; atMs <= startMs + seconds * 1_000; atMs += 2_000) {
    const observation = { concurrency: 0, ready: 1, min: 0, max: 100, isComplete: true, ...given, atMs };
    next = autoscaler(next, observation, SETTINGS);
  }
  return next;
}

test('the example of the guide: 20 calls at once at one replica are panic, and need 3', () => {
  expect(observe(startAutoscaler(0, 1), { seconds: 6, concurrency: 20 }).desired).toBe(3);
});

test.each([
  ['never below the least', { min: 2, concurrency: 0 }, 2],
  ['never above the most', { max: 3, concurrency: 500 }, 3],
  ['at most ten times the ready ones', { ready: 1, concurrency: 500 }, 10],
])('%s', (_, given, desired) => {
  expect(observe(startAutoscaler(0, 2), { seconds: 120, ...given }).desired).toBe(desired);
});

test('a constant load gives one number for good', () => {
  for (const calls of [1, 6.9, 7.1, 35, 69]) {
    const ticks = simulate({ load: () => calls, seconds: 600 });
    const settled = ticks.filter(({ second }) => second > 120).map(({ desired }) => desired);
    expect(new Set(settled)).toEqual(new Set([Math.ceil(calls / 7)]));
  }
});

test('zero needs a minute without a single call, whatever the mean is', () => {
  const busy = observe(startAutoscaler(0, 1), { seconds: 58 });
  expect(busy.desired).toBe(1);
  const called = observe(busy, { seconds: 2, concurrency: 0.001 });
  expect(observe(called, { seconds: 58 }).desired).toBe(1);
  expect(observe(called, { seconds: 60 }).desired).toBe(0);
});

test('a deployment that sleeps goes on sleeping after a restart, until a call comes', () => {
  const asleep = observe(startAutoscaler(0, 0), { seconds: 120, ready: 0 });
  expect(asleep.desired).toBe(0);
  expect(observe(asleep, { seconds: 6, ready: 0, concurrency: 30 }).desired).toBe(5);
});

test('while a gateway is silent the number only rises', () => {
  const known = observe(startAutoscaler(0, 4), { seconds: 60, concurrency: 28, ready: 4 });
  expect(observe(known, { seconds: 300, ready: 4, isComplete: false }).desired).toBe(4);
  expect(observe(known, { seconds: 60, ready: 4, isComplete: false, concurrency: 70 }).desired).toBe(10);
  expect(observe(known, { seconds: 60, ready: 4 }).desired).toBeLessThan(4);
});
