import { expect, test } from 'vitest';
import { createDeliveryQueue } from '../../../activities/notifications/delivery-queue.js';
import type { InFlightDelivery } from '../../../activities/notifications/in-flight-delivery.js';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse(AT);
const inFlight = (sequence: number, settlements: object[] = []) =>
  ({
    event: { sequence, about: 'positions/1' },
    record: { deliveryId: 'n', createdAt: AT, attempts: [], settlements, reopenings: [] },
  }) as unknown as InFlightDelivery;
const settled = { episode: 0, state: 'cancelled', by: 'operator', at: AT };

function open() {
  const left: number[] = [];
  const queue = createDeliveryQueue({
    ordering: { mode: 'entity', max_block: 'wait' },
    policy: () => ({ schedule: [0], onAmbiguous: 'resend', receipts: 'none' }),
    counts: undefined,
    onSettled: (sequence) => void left.push(sequence),
  });
  return { queue, left };
}

test('deliveries of one entity are taken one after the other, and leave when they are settled', () => {
  const { queue, left } = open();
  queue.add(inFlight(1));
  queue.add(inFlight(2));
  expect([queue.take(NOW), queue.take(NOW)]).toEqual([1, undefined]);
  queue.putBack(inFlight(1, [settled]));
  expect(left).toEqual([1]);
  expect(queue.take(NOW)).toBe(2);
  expect(queue.counts()).toMatchObject({ cancelled: 1, open: 1, held: 0, parked: 0 });
});

test('a deferred delivery waits for its saved due time, and has its ledger loaded once', () => {
  const { queue } = open();
  const again = { due: NOW / 1_000 + 5, blocks: NOW / 1_000 };
  queue.addDeferred(inFlight(1), again);
  expect(queue.take(NOW)).toBeUndefined();
  expect(queue.nextAt()).toBe(NOW + 5_000);
  expect(queue.retryOf(1)).toEqual(again);
  expect(queue.take(NOW + 5_000)).toBe(1);
  expect([queue.takeUnloaded(1), queue.takeUnloaded(1)]).toEqual([true, false]);
});

test('a changed ledger does not move a delivery whose attempt is running', () => {
  const { queue, left } = open();
  queue.add(inFlight(1));
  queue.take(NOW);
  queue.update(inFlight(1, [settled]));
  expect(left).toEqual([]);
  queue.putBack(inFlight(1, [settled]));
  expect(left).toEqual([1]);
});
