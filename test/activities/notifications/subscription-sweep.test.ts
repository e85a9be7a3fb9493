import { expect, test } from 'vitest';
import { createSubscriptionSweep } from '../../../activities/notifications/subscription-sweep.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { createLostWakeUps } from '../../../notifications/stores/lost-wake-ups.js';
import type { SubscriptionProgress } from '../../../notifications/stores/subscription-progress.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

interface Given {
  notified?: string[];
  lost?: string[];
  /** The saved progress of some: it has read `words` so far. */
  saved?: Record<string, { read: number; pending?: number; generation?: number }>;
}

/** Subscriptions to a stream with three entries, of which they have read none. */
async function open(states: Record<string, string>, { notified = [], lost = [], saved = {} }: Given) {
  const lostWakeUps = createLostWakeUps({ database: createMemoryDatabase() });
  for (const id of lost) await lostWakeUps.add(id);
  const starts_at = { words: { position: 0, index: 0 } };
  const list = Object.entries(states).map(
    ([id, state]) =>
      ({ id, generation: 1, spec: { mode: 'pull' }, status: { state, starts_at } }) as unknown as Subscription,
  );
  const woken: string[] = [];
  const clock = { ms: 0 };
  const items = createSubscriptionSweep({
    subscriptions: { list: async () => list },
    progress: {
      async *all() {
        for (const [id, { read, pending = 0, generation = 1 }] of Object.entries(saved)) {
          const progress = { generation, sources: { words: { position: read, index: 0 } }, counts: { pending } };
          yield [id, progress as unknown as SubscriptionProgress];
        }
      },
    },
    readStreamEnd: async (stream) => (stream === 'words' ? 3 : 0),
    lostWakeUps,
    async *listNotified() {
      yield* notified;
    },
    wakeSubscription: async (id) => {
      if (id === 'broken') throw new Error('Temporal does not answer');
      woken.push(id);
    },
    monotonic: () => clock.ms,
  });
  return { items, woken, lostWakeUps, clock };
}

test('an active subscription whose workflow does not run is woken; those that run, rest or are gone are left alone', async () => {
  const states = { b: 'active', a: 'active', runs: 'active', paused: 'paused', removed: 'removed', off: 'disabled' };
  const { items, woken } = await open(states, { notified: ['runs', 'stranger'] });
  for await (const { act } of items()) expect(await act()).toEqual({ subscriptions_woken: 1 });
  expect(woken).toEqual(['a', 'b']);
});

test('a lost wake-up is sent again once, also where the workflow runs; one that fails again is kept', async () => {
  const states = { runs: 'active', broken: 'paused' };
  const { items, woken, lostWakeUps } = await open(states, { notified: ['runs'], lost: ['runs', 'broken'] });
  const results: string[] = [];
  for await (const { name, act } of items()) {
    results.push(
      await act().then(
        () => `${name} woken`,
        () => `${name} failed`,
      ),
    );
  }
  expect(results).toEqual(['broken failed', 'runs woken']);
  expect(woken).toEqual(['runs']);
  expect(await lostWakeUps.list()).toEqual(['broken']);
});

test('lost wake-ups are looked for in each round, lost workflows every 15 minutes', async () => {
  const { items, woken, lostWakeUps, clock } = await open({ a: 'active' }, {});
  const round = async () => {
    for await (const { act } of items()) await act();
    return woken.splice(0);
  };
  expect(await round()).toEqual(['a']);
  clock.ms = 14 * 60_000;
  expect(await round()).toEqual([]);
  await lostWakeUps.add('b');
  expect(await round()).toEqual(['b']);
  clock.ms = 15 * 60_000;
  expect(await round()).toEqual(['a']);
});

test('a round that ends before its last item is no look at all: the next one begins again', async () => {
  const { items } = await open({ a: 'active', b: 'active' }, {});
  for await (const { name } of items()) if (name === 'a') break;
  const names: string[] = [];
  for await (const { name } of items()) names.push(name);
  expect(names).toEqual(['a', 'b']);
});

test('a round starts 200 workflows at most, and the next one goes on behind them', async () => {
  const states = Object.fromEntries(
    Array.from({ length: 450 }, (_, n) => [`sub${String(n).padStart(3, '0')}`, 'active']),
  );
  const { items, woken } = await open(states, {});
  const round = async () => {
    for await (const { act } of items()) await act();
    return woken.splice(0);
  };
  const rounds = [await round(), await round(), await round()];
  expect(rounds.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(rounds.flat()).toEqual(Object.keys(states));
  expect(await round()).toEqual([]);
});

test('those of an earlier round whose workflow runs meanwhile are left alone', async () => {
  const states = Object.fromEntries(
    Array.from({ length: 202 }, (_, n) => [`sub${String(n).padStart(3, '0')}`, 'active']),
  );
  const notified: string[] = [];
  const { items, woken } = await open(states, { notified });
  for await (const { act } of items()) await act();
  notified.push('sub200');
  woken.length = 0;
  for await (const { act } of items()) await act();
  expect(woken).toEqual(['sub201']);
});

test('a subscription without anything due needs no workflow', async () => {
  const states = {
    ...{ behind: 'active', done: 'active', open: 'active', changed: 'active' },
    ...{ unproven: 'unverified', rests: 'paused' },
  };
  const saved = {
    ...{ behind: { read: 2 }, done: { read: 3 }, open: { read: 3, pending: 1 }, changed: { read: 3, generation: 0 } },
    ...{ unproven: { read: 3 }, rests: { read: 0, pending: 1 } },
  };
  const { items, woken } = await open(states, { saved });
  for await (const { act } of items()) await act();
  expect(woken).toEqual(['behind', 'changed', 'open', 'unproven']);
});
