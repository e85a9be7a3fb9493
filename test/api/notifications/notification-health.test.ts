import { expect, test } from 'vitest';
import { createNotificationHealth } from '../../../api/notifications/notification-health.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { Subscription, SubscriptionStatus } from '../../../notifications/kinds/subscription.js';
import type { Watch } from '../../../notifications/kinds/watch.js';
import type { ResourceStore } from '../../../platform/stores/resources.js';
import type { WatchState } from '../../../notifications/stores/watch-states.js';

const AT = '2026-02-11T09:30:12.114Z';
const FAILING = { failing: { since: AT, reason: 'status 503' } };

/** Lists resources that have only the members that the health check reads. */
const listOf = <E extends Subscription | Watch>(statuses: readonly object[]) =>
  ({ list: async () => statuses.map((status, index) => ({ id: `${index}`, status })) }) as unknown as ResourceStore<E>;
const statesOf = (said: readonly (Partial<WatchState> | undefined)[]) => ({
  get: async (id: string) => {
    const found = said[Number(id)];
    return found && ({ updated_at: AT, ...found } as WatchState);
  },
  put: async () => {},
});
function open(given: {
  subscriptions?: readonly Partial<SubscriptionStatus>[];
  watches?: readonly Partial<Watch['status']>[];
  said?: readonly (Partial<WatchState> | undefined)[];
}) {
  const clock = { ms: Date.parse(AT) };
  const read = createNotificationHealth({
    subscriptions: listOf<Subscription>(given.subscriptions ?? []),
    watches: listOf<Watch>(given.watches ?? []),
    states: statesOf(given.said ?? []),
    now: () => clock.ms,
  });
  return { clock, read };
}

test('subscriptions are counted by state, and one in trouble shows', async () => {
  const { read } = open({
    subscriptions: [
      { state: 'active' },
      { state: 'active', ...FAILING },
      { state: 'paused', ...FAILING },
      { state: 'disabled' },
      { state: 'removed' },
    ],
  });
  expect((await read()).subscriptions).toEqual({
    ...{ state: 'degraded', active: 2, paused: 1, unverified: 0, disabled: 1, failing: 1, backlog: 0 },
  });
  const faulty = open({ subscriptions: [{ state: 'active', fault: { since: AT, reason: 'unexpected error' } }] });
  expect((await faulty.read()).subscriptions).toMatchObject({ state: 'degraded', failing: 1 });
  const well = open({ subscriptions: [{ state: 'active' }, { state: 'paused' }] });
  expect((await well.read()).subscriptions).toMatchObject({ state: 'ready', active: 1, paused: 1 });
});

test('a watch is unknown when its log does not move, and when no worker evaluates it any more', async () => {
  const { clock, read } = open({
    watches: [{ state: 'active' }, { state: 'active' }, { state: 'active' }, { state: 'paused' }, { state: 'removed' }],
    said: [{ state: 'watching' }, { state: 'unknown' }, undefined],
  });
  expect((await read()).watches).toEqual({ state: 'unknown', watching: 1, unknown: 1, arming: 1, paused: 1 });
  clock.ms += 31_000;
  expect((await read()).watches).toMatchObject({ state: 'unknown', watching: 0, unknown: 2 });
});

test('what cannot be read is unknown, and takes nothing else with it', async () => {
  const away = async (): Promise<never> => Promise.reject(new SlipwayError('unavailable', 'away'));
  const read = createNotificationHealth({
    subscriptions: { ...listOf<Subscription>([]), list: away },
    watches: listOf<Watch>([]),
    states: statesOf([]),
  });
  expect(await read()).toMatchObject({ subscriptions: { state: 'unknown' }, watches: { state: 'ready' } });
});
