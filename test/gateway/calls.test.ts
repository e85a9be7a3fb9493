import { expect, test } from 'vitest';
import { createCalls } from '../../gateway/calls.js';
import { revisionsOf } from '../../gateway/revision-choice.js';
import { latencyBucket } from '../../lifecycle/kinds/revision-calls.js';
import { wine } from './edge.js';

const rolling = (weight: number, stable = ['http://old'], candidate = ['http://new']) =>
  wine(stable, { generation: 1, candidate: { weight, endpoint: wine(candidate, { generation: 2 }) } });

test('only what the model did counts, and a failure is a 5xx of it, a broken reply or none in time', () => {
  const calls = createCalls();
  calls.retain([rolling(10)]);
  const end = (code: number | string, seconds?: number) => calls.count({ id: 'wine', generation: 2 }, code, seconds);
  for (const code of [200, 404, 500, 503]) end(code, 0.01);
  for (const code of [502, 504, 503, 500, 413, 'gone', 'passed_on']) end(code);
  const bucket = latencyBucket(10);
  expect(calls.report()).toEqual({
    wine: { 2: { requests: 6, failed: 4, latency: { [bucket]: 4 } } },
  });
});

test('calls are reported while a rollout goes on and a minute longer', () => {
  let nowMs = 0;
  const calls = createCalls({ now: () => nowMs });
  const [only, next] = [wine([], { generation: 1 }), wine([], { generation: 2 })];
  calls.retain([only]);
  calls.count(only, 200, 0.1);
  expect(calls.report()).toEqual({});
  calls.retain([rolling(10)]);
  expect(calls.report().wine?.[1]?.requests).toBe(1);
  nowMs = 59_000;
  calls.retain([next]);
  calls.count(only, 200, 0.1);
  expect(calls.report().wine?.[1]?.requests).toBe(2);
  nowMs = 61_000;
  calls.retain([next]);
  expect(calls.report()).toEqual({});
});

test('a report is not changed by later calls', () => {
  const calls = createCalls();
  calls.retain([rolling(10)]);
  calls.count({ id: 'wine', generation: 2 }, 200, 0.01);
  const report = calls.report();
  calls.count({ id: 'wine', generation: 2 }, 200, 0.01);
  expect(report.wine?.[2]?.requests).toBe(1);
});

const firstOf = (endpoint: ReturnType<typeof rolling>, key?: string) => revisionsOf(endpoint, key)[0]?.generation;

test('a growing weight takes further callers to the candidate and none back', () => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `caller ${at}`);
  const at = (weight: number) => new Set(keys.filter((key) => firstOf(rolling(weight), key) === 2));
  const [few, more] = [at(10), at(50)];
  expect(Math.abs(few.size / keys.length - 0.1)).toBeLessThan(0.03);
  expect(Math.abs(more.size / keys.length - 0.5)).toBeLessThan(0.05);
  expect([...few].every((key) => more.has(key))).toBe(true);
  expect(at(100).size).toBe(keys.length);
});

test('a revision that has no replica gets no call, and the stable one answers for a candidate that is away', () => {
  expect(revisionsOf(rolling(100)).map(({ generation }) => generation)).toEqual([2, 1]);
  expect(revisionsOf(rolling(100, ['http://old'], [])).map(({ generation }) => generation)).toEqual([1]);
  expect(firstOf(rolling(0, []))).toBe(2);
  expect(revisionsOf(rolling(0)).map(({ generation }) => generation)).toEqual([1, 2]);
  expect(revisionsOf(wine([])).map(({ generation }) => generation)).toEqual([3]);
});
