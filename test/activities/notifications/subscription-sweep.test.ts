import { expect, test } from 'vitest';
import { createSubscriptionSweep } from '../../../activities/notifications/subscription-sweep.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { createLostWakeUps } from '../../../notifications/stores/lost-wake-ups.js';
import type { SubscriptionProgress } from '../../../notifications/stores/subscription-progress.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const A_DAY_MS = 24 * 3_600_000;

interface Given {
  notified?: string[];
  /** When workflows ended, in milliseconds of the clock, by `<subscription>/<run>`. */
  ended?: Record<string, number>;
  lost?: string[];
  /** The saved progress of some: it has read `words` so far. */
  saved?: Record<string, { read: number; pending?: number; generation?: number }>;
}

/** Subscriptions to a stream with three entries, of which they have read none. */
async function open(states: Record<string, string>, { notified = [], ended = {}, lost = [], saved = {} }: Given) {
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
    async *listEnded(since) {
      for (const [name, at] of Object.entries(ended)) {
        const [id = '', runId = ''] = name.split('/');
        if (at >= since.getTime()) yield { id, runId };
      }
    },
    wakeSubscription: async (id) => {
      if (id === 'broken') throw new Error('Temporal does not answer');
      woken.push(id);
    },
    ...{ monotonic: () => clock.ms, now: () => new Date(clock.ms) },
  });
  clock.ms = A_DAY_MS;
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

test('lost wake-ups are looked for in each round, workflows that are gone every day', async () => {
  const { items, woken, lostWakeUps, clock } = await open({ a: 'active' }, {});
  const round = async () => {
    for await (const { act } of items()) await act();
    return woken.splice(0);
  };
  clock.ms = A_DAY_MS - 1; // since the start, at which a worker takes up all subscriptions
  expect(await round()).toEqual([]);
  clock.ms = A_DAY_MS;
  expect(await round()).toEqual(['a']);
  clock.ms = 2 * A_DAY_MS - 1;
  expect(await round()).toEqual([]);
  await lostWakeUps.add('b');
  expect(await round()).toEqual(['b']);
  clock.ms = 2 * A_DAY_MS;
  expect(await round()).toEqual(['a']);
});

test('a subscription whose workflow failed or was ended is woken in the next round, once for each end', async () => {
  const ended: Record<string, number> = {};
  const { items, woken, clock } = await open({}, { ended });
  const round = async () => {
    clock.ms += 60_000;
    for await (const { act } of items()) await act();
    return woken.splice(0);
  };
  ended['a/first'] = clock.ms - 1;
  expect(await round()).toEqual(['a']);
  expect(await round()).toEqual([]);
  ended['a/second'] = clock.ms - 1;
  expect(await round()).toEqual(['a']);
  expect(await round()).toEqual([]);
});

test('one that was not reached in its round is woken in the next', async () => {
  const { items, woken, clock } = await open({}, { ended: { 'a/1': A_DAY_MS, 'b/1': A_DAY_MS } });
  for await (const { name } of items()) if (name === 'a') break;
  clock.ms += 300_000;
  for await (const { act } of items()) await act();
  expect(woken).toEqual(['a', 'b']);
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
