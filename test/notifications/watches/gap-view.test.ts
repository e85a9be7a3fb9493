import { expect, test } from 'vitest';
import { EMITTED, type Gap, STATES } from '../../../notifications/watches/gap-columns.js';
import { compileGapRules } from '../../../notifications/watches/gap-rules.js';
import { viewGap } from '../../../notifications/watches/gap-view.js';

const MINUTE = 60_000;
const rules = compileGapRules({
  period: 'PT10M',
  grace: 'PT2M',
  late_notice: true,
  rearm: { mode: 'next_change', every: null, max: 10 },
  recovery_notice: true,
  closed_notice: true,
  on_resume: 'judge',
  counts: { dwell: null },
});
const open: Gap = { state: STATES.open, version: 4, gap: 3, since: MINUTE, emitted: 0, repeats: 0 };

test('a gap is shown with its deadline and the end of its grace', () => {
  expect(viewGap(rules, { ...open, repeats: 2 }, 11 * MINUTE)).toEqual({
    ...{ state: 'armed', gap: 3, since: MINUTE, repeats: 2 },
    ...{ deadline: 11 * MINUTE, absentAt: 13 * MINUTE, due: 11 * MINUTE },
  });
});

test.each([
  [{ emitted: 0 }, 'armed'],
  [{ emitted: EMITTED.late }, 'late'],
  [{ emitted: EMITTED.late | EMITTED.absent }, 'absent'],
  [{ state: STATES.out }, 'out'],
  [{ state: STATES.waiting }, 'waiting'],
  [{ state: STATES.silenced, emitted: EMITTED.late }, 'silenced'],
  [{ state: STATES.over, emitted: EMITTED.absent }, 'over'],
] as const)('a gap with %j is shown as %s', (more, state) => {
  expect(viewGap(rules, { ...open, ...more }, Infinity).state).toBe(state);
});
