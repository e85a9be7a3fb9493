import { expect, test } from 'vitest';
import { toWatch, watchTag, withHistory } from '../../../api/notifications/watch-resource.js';
import { type Watch, WATCH_LIMITS } from '../../../notifications/kinds/watch.js';

const AT = '2026-01-01T00:00:00.000Z';
const by = { at: '2026-01-02T00:00:00.000Z', actor: 'ben' };
const watch: Watch = {
  kind: 'Watch',
  id: 'wat_1',
  uid: 'uid-1',
  // Only members that the tests change: the history compares members by name.
  spec: { period: 'PT10M', grace: 'PT2M' } as unknown as Watch['spec'],
  status: { state: 'active', history: [] },
  generation: 1,
  revision: 3,
  createdAt: AT,
  updatedAt: AT,
  createdBy: 'anna',
  updatedBy: 'anna',
};

test('a change is noted with the members that differ and the caller', () => {
  const after = { ...watch, spec: { ...watch.spec, grace: 'PT5M' }, generation: 2 };
  const noted = withHistory(after, watch, by);
  expect(noted.status.history).toEqual([{ generation: 2, ...by, changed: ['grace'] }]);
  expect([noted.updatedAt, noted.updatedBy, noted.createdBy]).toEqual([by.at, 'ben', 'anna']);
});

test('a change of the state is noted beside the members', () => {
  const after: Watch = { ...watch, status: { ...watch.status, state: 'paused' } };
  expect(withHistory(after, watch, by).status.history.at(-1)?.changed).toEqual(['state: paused']);
});

test('the history keeps the newest entries', () => {
  let current = watch;
  for (let generation = 2; generation <= WATCH_LIMITS.history + 3; generation += 1) {
    current = withHistory({ ...current, generation }, current, by);
  }
  const generations = current.status.history.map(({ generation }) => generation);
  expect([generations.length, generations.at(-1)]).toEqual([WATCH_LIMITS.history, WATCH_LIMITS.history + 3]);
});

test('a watch is shown with its own members, and without an evaluation until it was evaluated', () => {
  expect(toWatch(watch, undefined)).toEqual({
    ...{ id: 'wat_1', period: 'PT10M', grace: 'PT2M', state: 'active', evaluation: null, history: [] },
    ...{ created_at: AT, updated_at: AT, created_by: 'anna', updated_by: 'anna', generation: watch.generation },
  });
  expect(watchTag(watch)).toBe('"3"');
});
