import { expect, test } from 'vitest';
import { createSubscriptionUpdates } from '../../../activities/notifications/subscription-updates.js';
import type { OutboxEvent } from '../../../notifications/kinds/outbox-event.js';
import type { Subscription, SubscriptionStatus } from '../../../notifications/kinds/subscription.js';

/** A store of one subscription that counts its writes. */
function open(status: Partial<SubscriptionStatus>) {
  let stored = { id: 'sub_1', status: { state: 'active', reason: null, level: 'L2', ...status } } as Subscription;
  let writes = 0;
  const updates = createSubscriptionUpdates({
    subscriptions: {
      update: async (_, change) => {
        const next = change(stored);
        if (next !== undefined) writes += 1;
        stored = next ?? stored;
        return stored;
      },
    },
    id: 'sub_1',
    now: () => new Date('2026-01-02T00:00:00.000Z'),
  });
  return { ...updates, contradict: (event: OutboxEvent) => updates.contradict(event), writes: () => writes };
}
const EVENT = { id: 'ntc_1_42_x' } as OutboxEvent;

test.each([
  ['active', 'disabled', 'gone', 1],
  ['paused', 'paused', null, 0],
  ['unverified', 'unverified', null, 0],
  ['removed', 'removed', null, 0],
  ['disabled', 'disabled', null, 0],
] as const)('a subscription that is %s is %s afterwards', async (state, expected, reason, count) => {
  const { disable, writes } = open({ state });
  expect((await disable('gone')).status).toMatchObject({ state: expected, reason });
  expect((await disable('another reason')).status).toMatchObject({ state: expected, reason });
  expect(writes()).toBe(count);
});

test('a receiver that contradicts itself loses its level, with the notice as the proof', async () => {
  const { contradict, writes } = open({
    receipts: 'tombstone',
    probe: { at: 'before', answered: true, level: 'L2', receipts: 'tombstone', steps: [] },
  });
  const { status } = await contradict(EVENT);
  expect(status).toMatchObject({ level: 'L0', receipts: 'none', checked_at: '2026-01-02T00:00:00.000Z' });
  expect(status.probe?.steps).toMatchObject([{ sent: expect.stringContaining(EVENT.id), ok: false }]);
  await contradict(EVENT);
  expect(writes()).toBe(1);
});

test('a receiver without a level has none to lose', async () => {
  const { contradict, writes } = open({ level: 'L0' });
  expect((await contradict(EVENT)).status).not.toHaveProperty('probe');
  expect(writes()).toBe(0);
});
