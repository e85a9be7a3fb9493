import { expect, test } from 'vitest';
import { WatchSpec } from '../../../notifications/kinds/watch.js';

const given = { name: 'quiet', scope: { dataset: 'positions' }, period: 'P14D' };

test('the defaults: every entity, any change, emitted once', () => {
  expect(WatchSpec.parse(given)).toEqual({
    name: 'quiet',
    scope: { dataset: 'positions', filter: null, entity: null },
    each: 'entity',
    counts: { fields: null, dwell: null },
    period: 'P14D',
    grace: 'PT0S',
    late_notice: false,
    arm_at: 'last_change',
    rearm: { mode: 'next_change', every: null, max: 10 },
    recovery_notice: false,
    closed_notice: false,
    on_resume: 'judge',
  });
});

test.each([
  [{ period: 'P1M' }, 'period'],
  [{ period: 'PT0S' }, 'period'],
  [{ period: 'P10000D' }, 'period'],
  [{ period: { cron: '0 9 * * *', zone: 'Mars/Base' } }, 'period'],
  [{ period: { cron: '0 0 31 2 *', zone: 'Europe/Paris' } }, 'period'],
  [{ grace: 'soon' }, 'grace'],
  [{ late_notice: true }, 'late_notice'],
  [{ rearm: { mode: 'never', every: 'P1D' } }, 'rearm.every'],
  [{ rearm: { mode: 'every', max: 0 } }, 'rearm.max'],
  [{ counts: { fields: [] } }, 'counts.fields'],
  [{ counts: { fields: ['a'], dwell: 'a == 1' } }, 'counts'],
  [{ each: 'set', counts: { dwell: 'a == 1' } }, 'counts.dwell'],
  [{ each: 'set', scope: { dataset: 'positions', entity: '1' } }, 'scope.entity'],
  [{ scope: { dataset: 'positions', entity: '01' } }, 'scope.entity'],
  [{ scope: { stream: 'watch', types: ['watch.late'] }, each: 'set' }, 'scope'],
  [{ scope: { stream: 'pipeline', types: [] }, each: 'set' }, 'scope.types'],
  [{ scope: { stream: 'pipeline', types: ['pipeline.run.succeeded'], by: 'pipeline' }, each: 'set' }, 'scope.by'],
  [{ scope: { stream: 'pipeline', types: ['pipeline.*'] }, each: 'set', counts: { fields: ['state'] } }, 'counts'],
  [{ scope: {} }, 'scope'],
  [{ surprise: true }, ''],
])('%j is refused with its path', (more, path) => {
  const { error } = WatchSpec.safeParse({ ...given, ...more });
  expect(error?.issues[0]?.path.join('.')).toBe(path);
});

test('a calendar, a grace and repeats are taken', () => {
  const period = { cron: '0 17 * * FRI', zone: 'Europe/Berlin' };
  const more = { period, grace: 'PT6H', late_notice: true, rearm: { mode: 'every', every: 'P1D', max: 3 } };
  expect(WatchSpec.parse({ ...given, ...more })).toMatchObject(more);
});
