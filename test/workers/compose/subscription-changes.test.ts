import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { SubscriptionSpec, type Subscription } from '../../../notifications/kinds/subscription.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createNotificationStores } from '../../../workers/compose/notification-deps.js';
import { createSubscriptionChanges } from '../../../workers/compose/subscription-changes.js';
import { until } from '../../stack/scratch.js';

const AT = '2026-01-01T00:00:00.000Z';

const subscription = (id: string): Subscription => ({
  ...{ kind: 'Subscription', id, uid: randomUUID(), generation: 1, revision: 0 },
  ...{ createdAt: AT, updatedAt: AT, createdBy: 'test', updatedBy: 'test' },
  spec: SubscriptionSpec.parse({ name: 'test', types: ['pipeline.training.*'] }),
  status: {
    ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
    ...{ starts_at: {}, declarations: {} },
  },
});

type Members = Table<Row>['members'];

function open(memory: Database = createMemoryDatabase(), wrap = (members: Members): Members => members) {
  const walks: string[] = [];
  const database: Database = {
    ...memory,
    table: <R extends Row>(name: string): Table<R> => {
      const table = memory.table<R>(name);
      const members = wrap((names) => table.members(names)) as typeof table.members;
      return { ...table, members: (names) => (walks.push(name), members(names)) };
    },
  };
  const changes = createSubscriptionChanges({ database, pollMs: 2 });
  onTestFinished(() => changes.stop());
  const take = async () => [...(await changes.take()).keys()].sort();
  const first = async (): Promise<string[]> => {
    let found: string[] = [];
    await until(async () => (found = await take()).length > 0);
    return found;
  };
  return { store: createNotificationStores(memory).subscriptions, changes, take, first, walks };
}

test('all come first, then those that changed, each once and as it is now', async () => {
  const { store, changes, first, take } = open();
  for (const id of ['sub_a', 'sub_b', 'sub_c']) await store.insert(subscription(id));
  expect(await first()).toEqual(['sub_a', 'sub_b', 'sub_c']);
  expect(await take()).toEqual([]);
  await store.update('sub_b', (each) => ({ ...each, generation: 2 }));
  await store.update('sub_b', (each) => ({ ...each, generation: 3 }));
  await store.insert(subscription('sub_d'));
  await store.remove('sub_a');
  const changed = await changes.take();
  expect([...changed.keys()].sort()).toEqual(['sub_a', 'sub_b', 'sub_d']);
  expect(changed.get('sub_a')).toBeUndefined();
  expect(changed.get('sub_b')?.generation).toBe(3);
});

test('what did not change is not read again', async () => {
  const { store, first, take, walks } = open();
  for (const id of ['sub_a', 'sub_b']) await store.insert(subscription(id));
  await first();
  const loads = walks.length;
  for (let n = 0; n < 20; n += 1) {
    await store.update('sub_a', (each) => ({ ...each, generation: each.generation + 1 }));
    expect(await take()).toEqual(['sub_a']);
  }
  expect(walks).toHaveLength(loads);
});

test('a process that starts finds a subscription whose writer died before the collection had it', async () => {
  const memory = createMemoryDatabase();
  await createNotificationStores(memory).subscriptions.insert(subscription('sub_a'));
  await memory.table(collections.entity('Subscription')).remove('sub_a');
  const { first } = open(memory);
  expect(await first()).toEqual(['sub_a']);
});

test('those that are read come while others are still read', async () => {
  const memory = createMemoryDatabase();
  const { subscriptions } = createNotificationStores(memory);
  for (const id of ['sub_a', 'sub_b']) await subscriptions.insert(subscription(id));
  let readOn = (): void => {};
  const rest = new Promise<void>((resolve) => (readOn = resolve));
  const { first, take } = open(
    memory,
    (members) =>
      async function* (names) {
        for await (const row of members(names)) {
          yield row;
          await rest;
        }
      },
  );
  expect(await first()).toHaveLength(1);
  readOn();
  expect(await first()).toHaveLength(1);
  expect(await take()).toEqual([]);
});

test('a subscription that came from a read that broke, and is removed before the next read, comes as removed', async () => {
  const memory = createMemoryDatabase();
  const { subscriptions } = createNotificationStores(memory);
  for (const id of ['sub_a', 'sub_b']) await subscriptions.insert(subscription(id));
  let breakOff = (): void => {};
  const broken = new Promise<never>((_, reject) => (breakOff = () => reject(new Error('the connection broke'))));
  let reads = 0;
  const { first, changes } = open(
    memory,
    (members) =>
      async function* (names) {
        const isFirst = (reads += 1) === 1;
        for await (const row of members(names)) {
          yield row;
          if (isFirst) await broken;
        }
      },
  );
  const [early = ''] = await first();
  await subscriptions.remove(early);
  breakOff();
  let last = new Map<string, Subscription | undefined>();
  await until(async () => (last = await changes.take()).has(early));
  expect(last.get(early)).toBeUndefined();
});
