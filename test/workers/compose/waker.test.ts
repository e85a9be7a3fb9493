import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import type { PlatformEvent } from '../../../platform/kinds/platform-event.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import {
  SubscriptionSpec,
  type Subscription,
  type SubscriptionStatus,
} from '../../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createNotificationStores } from '../../../workers/compose/notification-deps.js';
import { createSubscriptionChanges } from '../../../workers/compose/subscription-changes.js';
import { createWaker } from '../../../workers/compose/waker.js';
import { until } from '../../stack/scratch.js';

const AT = '2026-01-01T00:00:00.000Z';
/** Longer than between two wake-ups of one subscription. */
const A_WHILE_MS = 600;

function open() {
  const database = createMemoryDatabase();
  const stores = createNotificationStores(database);
  const tails = createLogTails({ database });
  const stream = createEventStream({ database, stream: 'pipeline' });
  const woken: string[] = [];
  const errors: unknown[] = [];
  const live = new Set<string>();
  const clock = { ms: 0 };
  let isAway = false;
  let refreshes = 0;
  /** The database of the waker; the tests reach the same one whatever happens to it. */
  const reached: Database = {
    ...database,
    table: <R extends Row>(name: string): Table<R> => {
      const table = database.table<R>(name);
      const whenThere = <Result>(read: () => Promise<Result>): Promise<Result> =>
        isAway ? Promise.reject(new SlipwayError('unavailable', 'the database is away')) : read();
      return { ...table, get: (id) => whenThere(() => table.get(id)) };
    },
  };
  let number = 0;
  return {
    stores,
    tails,
    woken,
    errors,
    live,
    clock,
    away: (value: boolean) => (isAway = value),
    start: () => {
      const wake = async (id: string) => void woken.push(id);
      const onError = (err: unknown) => void errors.push(err);
      const followed = createSubscriptionChanges({ database: reached, pollMs: 2, onError });
      const changes = { ...followed, take: () => ((refreshes += 1), followed.take()) };
      const waker = createWaker({
        ...{ changes, progress: stores.progress, tails, wake, live, onError },
        ...{ refreshMs: 2, now: () => clock.ms, pace: { turn: async () => {} } },
      });
      onTestFinished(async () => {
        await waker.stop();
        await tails.stop();
      });
      return waker;
    },
    subscribe: (id: string, spec: object = {}, status: Partial<SubscriptionStatus> = {}) =>
      stores.subscriptions.insert(newSubscription(id, spec, status)),
    publish: async (type = 'pipeline.training.succeeded', subject = 'training/wine'): Promise<void> => {
      number += 1;
      clock.ms += A_WHILE_MS;
      await stream.publish(newEvent({ type, subject, key: `pipeline/${subject}/${number}`, version: number }));
    },
    /** A drain saved that it has read the stream up to there. */
    save: (id: string, position: number, { pending = 0, generation = 1 } = {}) =>
      stores.progress.put(id, {
        ...{ block: 0, sequence: 0, sources: { pipeline: { position, index: 0 } }, loadedThrough: 0, loadedBlock: 0 },
        ...{ generation, open: [], interventions: 0, touched: [], breaker: {}, at: AT },
        counts: { pending, held: 0, delivered: 0, failed: 0, cancelled: 0 },
      }),
    /** Waits for several refreshes. */
    settle: () => {
      const enough = refreshes + 4;
      return until(() => refreshes >= enough);
    },
    wakes: (id: string) => woken.filter((each) => each === id).length,
  };
}
const newEvent = (more: Partial<PlatformEvent>): PlatformEvent => ({
  ...{ key: randomUUID(), type: 'pipeline.training.succeeded', source: '/pipeline', subject: 'training/wine' },
  ...{ version: 1, at: AT, data: '{"id":"wine"}', ...more },
});
const newSubscription = (id: string, spec: object, status: Partial<SubscriptionStatus>): Subscription => ({
  ...{ kind: 'Subscription', id, uid: randomUUID(), generation: 1, revision: 0 },
  ...{ createdAt: AT, updatedAt: AT, createdBy: 'test', updatedBy: 'test' },
  spec: SubscriptionSpec.parse({ name: 'test', types: ['pipeline.training.*'], ...spec }),
  status: {
    ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
    ...{ starts_at: { pipeline: { position: 0, index: 0 } }, declarations: {} },
    ...{ probe: { at: AT, answered: true, level: 'L0', receipts: 'none', steps: [] }, ...status },
  },
});

test('a subscription is woken for what was there before this process, and for each new event of its types', async () => {
  const { subscribe, start, publish, wakes } = open();
  await subscribe('sub_train');
  await subscribe('sub_pack', { types: ['pipeline.packaging.*'] });
  await publish('pipeline.training.succeeded');
  await publish('pipeline.packaging.failed', 'packaging/iris');
  start();
  await until(() => wakes('sub_train') === 1 && wakes('sub_pack') === 1);
  await publish('pipeline.training.succeeded');
  await until(() => wakes('sub_train') === 2);
  await publish('pipeline.packaging.failed', 'packaging/wine');
  await until(() => wakes('sub_pack') === 2);
  expect(wakes('sub_train')).toBe(2);
});

test('many events in a moment wake a subscription once', async () => {
  const { subscribe, start, publish, wakes, clock, settle } = open();
  await subscribe('sub_1');
  start();
  await settle();
  for (let n = 0; n < 5; n += 1) {
    await publish();
    clock.ms = A_WHILE_MS;
  }
  await until(() => wakes('sub_1') === 1);
  await settle();
  expect(wakes('sub_1')).toBe(1);
});

test('a subscription that this process drains now is not woken', async () => {
  const { subscribe, start, publish, wakes, live, settle } = open();
  live.add('sub_live');
  await subscribe('sub_live');
  await subscribe('sub_other');
  start();
  await publish();
  await until(() => wakes('sub_other') > 0);
  await settle();
  expect(wakes('sub_live')).toBe(0);
});

test('a worker that starts wakes only subscriptions with work', async () => {
  const { subscribe, save, publish, start, wakes, settle } = open();
  for (let n = 0; n < 3; n += 1) await publish();
  for (const id of ['sub_done', 'sub_behind', 'sub_open', 'sub_changed']) await subscribe(id);
  await subscribe('sub_other', { types: ['pipeline.packaging.*'] });
  await save('sub_done', 3);
  await save('sub_behind', 2);
  await save('sub_other', 1);
  await save('sub_open', 3, { pending: 1 });
  await save('sub_changed', 3, { generation: 0 });
  start();
  await until(() => ['sub_behind', 'sub_open', 'sub_changed'].every((id) => wakes(id) === 1));
  await settle();
  expect([wakes('sub_done'), wakes('sub_other')]).toEqual([0, 0]);
});

test('subscriptions come, change and go while it runs', async () => {
  const { subscribe, start, publish, wakes, stores, settle } = open();
  start();
  await subscribe('sub_new');
  await publish();
  await until(() => wakes('sub_new') === 1);
  await stores.subscriptions.update('sub_new', (each) => ({
    ...each,
    generation: 2,
    spec: { ...each.spec, types: ['pipeline.packaging.*'] },
  }));
  await publish('pipeline.packaging.failed', 'packaging/wine');
  await until(() => wakes('sub_new') >= 2);
  await stores.subscriptions.remove('sub_new');
  await settle();
  const before = wakes('sub_new');
  await publish('pipeline.packaging.failed', 'packaging/iris');
  await settle();
  expect(wakes('sub_new')).toBe(before);
});

test.each(['disabled', 'removed'] as const)('a subscription that is %s is not woken', async (state) => {
  const { subscribe, start, publish, wakes, settle } = open();
  await subscribe('sub_off', {}, { state: state as SubscriptionStatus['state'] });
  await subscribe('sub_on');
  start();
  await publish();
  await until(() => wakes('sub_on') > 0);
  await settle();
  expect(wakes('sub_off')).toBe(0);
});

test('a database that is away is reported, and waited for', async () => {
  const { subscribe, start, publish, wakes, errors, away } = open();
  away(true);
  start();
  await until(() => errors.length > 2);
  expect(errors[0]).toMatchObject({ code: 'unavailable' });
  away(false);
  await subscribe('sub_1');
  await publish();
  await until(() => wakes('sub_1') === 1);
});

test('a new subscription costs nothing before its first event, and earlier events are not for it', async () => {
  const { subscribe, publish, start, wakes, settle } = open();
  for (let n = 0; n < 3; n += 1) await publish();
  start();
  await subscribe('sub_1', {}, { starts_at: { pipeline: { position: 3, index: 0 } } });
  await settle();
  expect(wakes('sub_1')).toBe(0);
  await publish();
  await until(() => wakes('sub_1') === 1);
});

test('a subscription whose receiver was never probed is woken once for that', async () => {
  const { subscribe, start, wakes, settle } = open();
  await subscribe('sub_1', { url: 'https://receiver.example/hook' }, { probe: undefined });
  await subscribe('sub_pulled', { mode: 'pull' }, { probe: undefined });
  start();
  await until(() => wakes('sub_1') === 1);
  await settle();
  expect([wakes('sub_1'), wakes('sub_pulled')]).toEqual([1, 0]);
});

test('many subscriptions are taken up with one read of their progress, also those without any', async () => {
  const { subscribe, save, publish, start, wakes, stores } = open();
  for (let n = 0; n < 3; n += 1) await publish();
  const ids = Array.from({ length: 250 }, (_, n) => `sub_${n}`);
  for (const id of ids) await subscribe(id);
  for (const id of ids.slice(0, 249)) await save(id, 3);
  await save('sub_7', 2);
  const reads: string[] = [];
  const get = stores.progress.get.bind(stores.progress);
  stores.progress.get = (id) => (reads.push(id), get(id));
  start();
  await until(() => wakes('sub_7') === 1 && wakes('sub_249') === 1);
  expect(wakes('sub_0')).toBe(0);
  expect(new Set(reads)).toEqual(new Set(['sub_7', 'sub_249'])); // those that are woken
});

test('after its stop nothing is woken', async () => {
  const { subscribe, start, publish, wakes } = open();
  await subscribe('sub_1');
  await publish();
  const waker = start();
  await until(() => wakes('sub_1') === 1);
  await waker.stop();
  await publish();
  await new Promise(setImmediate);
  expect(wakes('sub_1')).toBe(1);
});

test('a read that fails while a subscription is taken up costs one refresh, and no other subscription', async () => {
  const { subscribe, start, publish, wakes, errors, tails } = open();
  const readOn = tails.readOn.bind(tails);
  let failures = 1;
  tails.readOn = async (...given) => {
    if (failures-- > 0) throw new SlipwayError('unavailable', 'the database is away');
    return readOn(...given);
  };
  await subscribe('sub_1', {}, { starts_at: { pipeline: { position: 0, index: 0, declaredAt: 1 } } });
  await subscribe('sub_2');
  start();
  await until(() => errors.length === 1);
  await publish();
  await until(() => wakes('sub_1') === 1 && wakes('sub_2') === 1);
  expect(errors).toHaveLength(1);
});
