import { expect, test } from 'vitest';
import { simulate, type Tick, TRACES } from '../../../bench/autoscaler/simulator.js';

const at = (ticks: readonly Tick[], ...seconds: number[]): (number | undefined)[] =>
  seconds.map((second) => ticks.find((tick) => tick.second === second)?.desired);

test('step: 35 calls at once need 5 replicas, in panic within 6 seconds, and stay there', () => {
  const ticks = simulate({ load: TRACES.step, seconds: 400 });
  expect(at(ticks, 58, 60, 62, 64, 66)).toEqual([1, 2, 4, 5, 5]);
  expect(new Set(ticks.filter(({ second }) => second >= 64).map(({ desired }) => desired))).toEqual(new Set([5]));
});

test('ramp: the number follows the mean of a minute, and falls to zero a minute after the last call', () => {
  const ticks = simulate({ load: TRACES.ramp, seconds: 320 });
  expect(at(ticks, 60, 120, 180, 240)).toEqual([3, 4, 6, 8]);
  expect(at(ticks, 270, 298, 300, 302, 304, 306)).toEqual([8, 5, 2, 1, 0, 0]);
});

test('spike: 200 calls at once need 29 replicas, kept through the panic, then halved twice a minute', () => {
  const ticks = simulate({ load: TRACES.spike, seconds: 300 });
  expect(at(ticks, 60, 62, 64, 66, 70, 140)).toEqual([1, 10, 10, 29, 29, 29]);
  expect(at(ticks, 170, 200, 230, 260)).toEqual([14, 7, 3, 1]);
});

test('sine: the number rises with the load, and falls half a minute after the mean of a minute', () => {
  const ticks = simulate({ load: TRACES.sine, seconds: 480 });
  expect(at(ticks, 60, 120, 180, 240, 300, 360, 420, 480)).toEqual([5, 9, 10, 5, 5, 10, 10, 5]);
});
