import { expect, test } from 'vitest';
import { EMITTED, type Gap, STATES } from '../../../notifications/watches/gap-columns.js';
import {
  adoptGap,
  armGap,
  closeGap,
  dueOf,
  fireGap,
  type Observation,
  observeChange,
  openGap,
  silenceGap,
} from '../../../notifications/watches/gap-reducer.js';
import { compileGapRules, type GapRules } from '../../../notifications/watches/gap-rules.js';

const MINUTE = 60_000;
const compile = (more: Partial<GapRules> = {}) =>
  compileGapRules({
    period: 'PT10M',
    grace: 'PT2M',
    late_notice: true,
    rearm: { mode: 'next_change', every: null, max: 10 },
    recovery_notice: true,
    closed_notice: true,
    on_resume: 'judge',
    counts: { dwell: null },
    ...more,
  });
const rules = compile();
const unknown: Gap = { state: STATES.out, version: 0, gap: 0, since: 0, emitted: 0, repeats: 0 };
const open = openGap({ ...unknown, version: 3 }, { gap: 3, since: 0 });
const change = (more: Partial<Observation> = {}): Observation => ({
  ...{ id: 1n, version: 4, member: true, counts: true, dwells: true },
  ...more,
});

test('an open gap is due at its deadline, then after the grace, then never', () => {
  expect(dueOf(rules, open)).toBe(10 * MINUTE);
  expect(dueOf(rules, { ...open, emitted: EMITTED.late })).toBe(12 * MINUTE);
  expect(dueOf(rules, { ...open, emitted: EMITTED.absent })).toBe(Infinity);
  for (const state of [STATES.out, STATES.waiting, STATES.silenced, STATES.over]) {
    expect(dueOf(rules, { ...open, state })).toBe(Infinity);
  }
});

test('due times emit late, then absent, then numbered repeats', () => {
  const repeating = compile({ rearm: { mode: 'every', every: 'PT5M', max: 1 } });
  const late = fireGap(repeating, open, 10 * MINUTE);
  const absent = fireGap(repeating, late.gap, 12 * MINUTE);
  const again = fireGap(repeating, absent.gap, 17 * MINUTE);
  expect([late, absent, again].map(({ emits }) => [emits?.kind, emits?.repeat, emits?.at])).toEqual([
    ['late', 0, 10 * MINUTE],
    ['absent', 0, 12 * MINUTE],
    ['absent', 1, 17 * MINUTE],
  ]);
  expect(again.gap).toMatchObject({ emitted: EMITTED.late | EMITTED.absent, repeats: 1 });
});

test('a change that counts begins the next gap, and ends with "resumed" the one that events were emitted about', () => {
  expect(observeChange(rules, open, change(), MINUTE)).toEqual({
    gap: { ...open, version: 4, gap: 4, since: MINUTE },
  });
  const { gap, emits } = observeChange(rules, { ...open, emitted: EMITTED.late }, change(), 25 * MINUTE);
  expect(emits).toMatchObject({ kind: 'resumed', gap: 3, version: 4, since: 0, missed: 2 });
  expect(gap).toMatchObject({ gap: 4, since: 25 * MINUTE, emitted: 0 });
});

test('a change that does not count moves only the version', () => {
  expect(observeChange(rules, open, change({ counts: false }), MINUTE)).toEqual({ gap: { ...open, version: 4 } });
});

test('an entity that enters the scope waits until the dwell filter matches', () => {
  const dwell = compile({ counts: { dwell: 'status == Open' } });
  const entered = observeChange(dwell, unknown, change({ dwells: false }), MINUTE);
  expect(entered.gap.state).toBe(STATES.waiting);
  const { gap } = observeChange(dwell, entered.gap, change({ version: 5 }), 2 * MINUTE);
  expect(gap).toMatchObject({ state: STATES.open, gap: 5, since: 2 * MINUTE });
});

test('with rearm "never" an absence is the last gap of its entity', () => {
  const once = compile({ rearm: { mode: 'never', every: null, max: 1 } });
  const { gap } = observeChange(once, { ...open, emitted: EMITTED.absent }, change(), 20 * MINUTE);
  expect(gap.state).toBe(STATES.over);
  expect(observeChange(once, gap, change({ version: 5 }), 21 * MINUTE).gap).toEqual({ ...gap, version: 5 });
});

test('leaving the scope emits "closed" for an open gap alone', () => {
  const { gap, emits } = observeChange(rules, open, change({ member: false }), MINUTE);
  expect([gap.state, emits?.kind]).toEqual([STATES.out, 'closed']);
  expect(closeGap(rules, { ...open, state: STATES.waiting }, MINUTE).emits).toBeUndefined();
  expect(closeGap(compile({ closed_notice: false }), open, MINUTE).emits).toBeUndefined();
});

test('the same gap of an earlier machine is adopted, another one is not', () => {
  const emitted = { ...open, emitted: EMITTED.absent, repeats: 2 };
  expect(adoptGap(open, emitted)).toEqual(emitted);
  expect(adoptGap(open, { ...emitted, state: STATES.silenced })).toMatchObject({ state: STATES.silenced });
  expect(adoptGap(open, { ...emitted, gap: 2 })).toBeUndefined();
  expect(adoptGap({ ...open, state: STATES.over }, emitted)).toBeUndefined();
});

test('an entity that is there at the start begins a gap at its last change, or waits for one', () => {
  const known = { ...unknown, version: 3 };
  expect(armGap(known, { gap: 2, since: MINUTE })).toEqual({ ...known, state: STATES.open, gap: 2, since: MINUTE });
  expect(armGap(known, undefined)).toEqual({ ...known, state: STATES.waiting });
});

test('a silenced gap is never due again and keeps what was emitted about it', () => {
  const silenced = silenceGap({ ...open, emitted: EMITTED.late });
  expect(silenced).toEqual({ ...open, emitted: EMITTED.late, state: STATES.silenced });
  expect(dueOf(rules, silenced)).toBe(Infinity);
});
