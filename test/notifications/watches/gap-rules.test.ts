import { expect, test } from 'vitest';
import { compileGapRules, type GapRules } from '../../../notifications/watches/gap-rules.js';

const MINUTE = 60_000;
const RULES: GapRules = {
  period: 'PT10M',
  grace: 'PT2M',
  late_notice: true,
  rearm: { mode: 'next_change', every: null, max: 10 },
  recovery_notice: true,
  closed_notice: false,
  on_resume: 'skip',
  counts: { dwell: null },
};
const compile = (more: Partial<GapRules> = {}) => compileGapRules({ ...RULES, ...more });

test('settings become flags', () => {
  expect(compile()).toMatchObject({
    ...{ graceMs: 2 * MINUTE, emitsLate: true, emitsResumed: true, emitsClosed: false },
    ...{ skipsPauses: true, isDwell: false, armsOnce: false },
  });
});

test('late is never emitted without a grace', () => {
  expect(compile({ grace: 'PT0S' }).emitsLate).toBe(false);
});

test('an absence repeats in steps of its own interval, or of the period when none is set', () => {
  const every = compile({ rearm: { mode: 'every', every: 'PT5M', max: 2 } });
  expect([1, 2, 3].map((repeat) => every.repeatAt(0, repeat))).toEqual([7 * MINUTE, 12 * MINUTE, Infinity]);
  const byPeriod = compile({ rearm: { mode: 'every', every: null, max: 2 } });
  expect(byPeriod.repeatAt(0, 2)).toBe(22 * MINUTE);
  expect(compile().repeatAt(0, 1)).toBe(Infinity);
});
