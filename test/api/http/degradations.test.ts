import { expect, test } from 'vitest';
import { createFindDegradations, type InstallationChecks } from '../../../api/http/degradations.js';

const fault = { reason: 'it is wrong', remedy: 'mend it' };
const checks = (more: Partial<InstallationChecks> = {}): InstallationChecks => ({
  'list indexes': async () => undefined,
  clock: async () => undefined,
  'search attributes': async () => undefined,
  'egress of containers': async () => undefined,
  ...more,
});

test('the checks that failed are named, and those that cannot know say nothing', async () => {
  const find = createFindDegradations(
    checks({
      clock: async () => fault,
      'search attributes': () => Promise.reject(new Error('10.1.2.3 refuses')),
    }),
  );
  expect(await find()).toEqual([{ name: 'clock', ...fault }]);
});

test('a check that hangs is given up after the limit, and delays no other', async () => {
  const forever = () => new Promise<undefined>(() => undefined);
  const find = createFindDegradations(checks({ 'list indexes': forever, clock: async () => fault }), { limitMs: 20 });
  expect(await find()).toEqual([{ name: 'clock', ...fault }]);
});

test('many callers cause one round of checks, and a later one another', async () => {
  let [asked, at] = [0, 0];
  const clock = async () => void (asked += 1);
  const find = createFindDegradations(checks({ clock }), { keepMs: 10_000, now: () => at });
  await Promise.all([find(), find()]);
  at = 9_999;
  await find();
  expect(asked).toBe(1);
  at = 10_000;
  await find();
  expect(asked).toBe(2);
});
