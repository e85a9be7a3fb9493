import { expect, test } from 'vitest';
import { LONG, nameOf, planFaults, SHORT } from '../../../bench/chaos/cluster/fault-plan.js';

const HALF_AN_HOUR = 1_800;

test('the same seed gives the same faults, another seed gives others', () => {
  const plan = (seed: number) => planFaults(seed, { seconds: HALF_AN_HOUR, ...LONG });
  expect(plan(3)).toEqual(plan(3));
  expect(plan(3)).not.toEqual(plan(4));
});

test('half an hour kills and stops every process, and cuts workers off every service', () => {
  const names = planFaults(7, { seconds: HALF_AN_HOUR, ...LONG }).map(nameOf);
  for (const member of ['api-1', 'api-2', 'worker-1', 'worker-2', 'worker-3', 'gateway-1', 'gateway-2']) {
    expect(names).toContain(`kill ${member}`);
    expect(names).toContain(`stop ${member}`);
  }
  for (const service of ['temporal', 'database', 'engine'])
    expect(names.some((name) => name.endsWith(service))).toBe(true);
});

test.each([
  ['long', HALF_AN_HOUR, LONG],
  ['short', 60, SHORT],
] as const)(
  'every fault of a %s run has its length and ends in time, and no process has two at once',
  (_, seconds, form) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const plan = planFaults(seed, { seconds, ...form });
      for (const [index, { how, member, atMs, lastsMs }] of plan.entries()) {
        const [least, most] = how === 'kill' ? [1, 1] : form.lastsSeconds;
        expect(lastsMs).toBeGreaterThanOrEqual(least * 1_000);
        expect(lastsMs).toBeLessThanOrEqual(most * 1_000);
        expect(atMs + lastsMs).toBeLessThanOrEqual(seconds * 1_000 + 1);
        const others = plan.filter((other, at) => at !== index && other.member === member);
        expect(others.some((other) => other.atMs <= atMs && atMs < other.atMs + other.lastsMs)).toBe(false);
      }
    }
  },
);
