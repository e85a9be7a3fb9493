import { expect, test } from 'vitest';
import type { Row } from '../../../platform/stores/database.js';
import { collections } from '../../../platform/stores/collections.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createProgressStore, type SubscriptionProgress } from '../../../notifications/stores/subscription-progress.js';

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
