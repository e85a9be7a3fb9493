import { expect, test } from 'vitest';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import type { Row } from '../../../platform/stores/database.js';
import { collections } from '../../../platform/stores/collections.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import {
  createProgressStore,
  hasOpenWork,
  readProgress,
  type SubscriptionProgress,
} from '../../../notifications/stores/subscription-progress.js';

const PROGRESS: SubscriptionProgress = {
  block: 2,
  sequence: 9,
  sources: {},
  loadedThrough: 9,
  loadedBlock: 2,
  open: [
    { sequence: 7, block: 2 },
    { sequence: 9, block: 2, held: true },
  ],
  interventions: 0,
  touched: [],
  counts: { pending: 1, held: 1, delivered: 7, failed: 0, cancelled: 0 },
  breaker: {},
  at: '2026-03-01T12:00:00.000Z',
};

test('a progress is read as it was stored, and one without any is unknown', async () => {
  const store = createProgressStore({ database: createMemoryDatabase() });
  await store.put('orders', PROGRESS);
  expect(await store.get('orders')).toEqual(PROGRESS);
  expect(await store.get('others')).toBeUndefined();
});

test('one whose open notices are a list, as an earlier version stored them, is read too', async () => {
  const database = createMemoryDatabase();
  await database
    .table<Row & { progress: SubscriptionProgress }>(collections.progress)
    .put({ _id: 'orders', progress: PROGRESS });
  expect(await createProgressStore({ database }).get('orders')).toEqual(PROGRESS);
});

test.each([
  [3, 3, 0],
  [150, 0, 1],
])('the progress of %i subscriptions takes %i point reads and %i of all', async (count, gets, scans) => {
  const store = createProgressStore({ database: createMemoryDatabase() });
  const ids = Array.from({ length: count }, (_, n) => `sub_${n}`);
  for (const id of [...ids.slice(1), 'another']) await store.put(id, PROGRESS);
  const made = { gets: 0, scans: 0 };
  const found = await readProgress(
    {
      get: (id) => ((made.gets += 1), store.get(id)),
      all: () => ((made.scans += 1), store.all()),
    },
    ids,
  );
  expect(made).toEqual({ gets, scans });
  expect([...found.keys()].toSorted()).toEqual(ids.slice(1).toSorted());
  expect(found.get('sub_1')).toEqual(PROGRESS);
});

test('open work is a delivery that is not settled, settings that are not in force, or a first probe', () => {
  const done = { ...PROGRESS, generation: 2, counts: { ...PROGRESS.counts, pending: 0 } };
  const at = (generation: number, more: object = {}) =>
    ({
      id: 'sub',
      generation,
      spec: { mode: 'push' },
      status: { state: 'active', probe: { at: done.at }, ...more },
    }) as unknown as Subscription;
  expect(hasOpenWork(at(2), done)).toBe(false);
  expect(hasOpenWork(at(3), done)).toBe(true);
  expect(hasOpenWork(at(2), { ...done, counts: PROGRESS.counts })).toBe(true);
  expect([hasOpenWork(at(1), undefined), hasOpenWork(at(2), undefined)]).toEqual([false, true]);
  expect(hasOpenWork(at(1, { probe: undefined }), undefined)).toBe(true);
});
