import { expect, test } from 'vitest';
import { createSettlementCounts, episodeOf } from '../../../activities/notifications/settlement-counts.js';
import type { DeliveryRecord } from '../../../notifications/delivery/delivery.js';

const AT = '2026-01-01T00:00:00.000Z';
const policy = { schedule: [0], onAmbiguous: 'resend', receipts: 'none' } as const;
const settled = (episode: number, state: 'delivered' | 'failed') =>
  ({ episode, state, by: 'operator', at: AT }) as unknown as DeliveryRecord['settlements'][number];
const reopened = (episode: number) => ({ episode, at: AT, actor: 'ana' }) as DeliveryRecord['reopenings'][number];
const recordOf = (more: Partial<DeliveryRecord>): DeliveryRecord => ({
  deliveryId: 'n',
  createdAt: AT,
  attempts: [],
  settlements: [],
  reopenings: [],
  ...more,
});

test('a reopened delivery leaves the count of its last end', () => {
  const counts = createSettlementCounts();
  const failed = recordOf({ settlements: [settled(0, 'failed')] });
  counts.add(1, { state: 'failed', by: 'aborted' }, { record: failed, isNew: false });
  expect(counts.totals()).toMatchObject({ failed: 1 });
  const record = recordOf({ settlements: [settled(0, 'failed')], reopenings: [reopened(1)] });
  expect(episodeOf(record)).toBe(1);
  expect(counts.reopen(1, record, { policy, started: 1 })).toBe(true);
  expect(counts.totals()).toMatchObject({ failed: 0, delivered: 0 });
});

test('an end that is counted already is not counted again', () => {
  const counts = createSettlementCounts();
  const record = recordOf({
    settlements: [settled(0, 'failed'), settled(1, 'delivered')],
    reopenings: [reopened(1)],
  });
  counts.add(1, { state: 'delivered', by: 'confirmed' }, { record, isNew: true });
  expect(counts.reopen(1, record, { policy, started: 1 })).toBe(false);
  expect(counts.totals()).toMatchObject({ delivered: 1 });
});
