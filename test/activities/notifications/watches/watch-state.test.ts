import { expect, test } from 'vitest';
import type { ActiveWatch } from '../../../../activities/notifications/watches/active-watch.js';
import { toWatchState } from '../../../../activities/notifications/watches/watch-state.js';

const NOW = new Date('2026-01-02T00:00:00.000Z');
const context = {
  ...{ log: { position: 9, at: '2026-01-01T00:00:00.000Z' }, stalled: undefined, now: NOW },
};
const active = (due: number, each = 'entity') =>
  ({
    watch: { spec: { each } },
    machine: { nextDue: () => due, armed: () => 3, view: () => ({ state: 'armed', gap: 7, since: 1, due: 2 }) },
  }) as unknown as ActiveWatch;
const [BEFORE, AFTER] = [NOW.getTime() - 1, NOW.getTime() + 1];

test.each([
  ['is not initialized', undefined, undefined, 'arming'],
  ['is read to the end', active(AFTER), undefined, 'watching'],
  ['has something due that the next turn emits', active(BEFORE), undefined, 'watching'],
  ['cannot read its log before something is due', active(AFTER), 'unavailable', 'watching'],
  ['cannot read its log after something was due', active(BEFORE), 'unavailable', 'unknown'],
  ['cannot read its log and expects nothing', active(Infinity), 'unavailable', 'watching'],
  ['is not initialized and cannot read its log', undefined, 'unavailable', 'arming'],
])('a watch that %s', (_, watch, stalled, state) => {
  expect(toWatchState(watch, { ...context, stalled })).toMatchObject({ state, position: 9, log_at: context.log.at });
});

test('the next event and the number of open gaps are shown', () => {
  expect(toWatchState(active(AFTER), context)).toMatchObject({ armed: 3, next_due_at: '2026-01-02T00:00:00.001Z' });
  expect(toWatchState(active(Infinity), context).next_due_at).toBeNull();
  expect(toWatchState(undefined, context)).toMatchObject({ armed: 0, next_due_at: null });
});

test('the gap of a whole set is shown, single entities are not', () => {
  expect(toWatchState(active(AFTER, 'set'), context).set).toEqual({ state: 'armed', gap: 7, since: 1 });
  expect(toWatchState(active(AFTER), context)).not.toHaveProperty('set');
});

test('a log without entries has no time; one that does not move names the error', () => {
  expect(toWatchState(undefined, { ...context, log: { position: 0, at: '' } }).log_at).toBeNull();
  expect(toWatchState(active(AFTER), context)).not.toHaveProperty('note');
  expect(toWatchState(active(AFTER), { ...context, stalled: 'store.gone' }).note).toContain('store.gone');
});
