import { expect, test } from 'vitest';
import type { Attempt } from '../../../notifications/kinds/attempt.js';
import { SubscriptionSpec } from '../../../notifications/kinds/subscription.js';
import { type DeliveryPolicy, foldDelivery } from '../../../notifications/delivery/delivery.js';
import { isParked, timelineOf } from '../../../notifications/delivery/timeline.js';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
const POLICY: DeliveryPolicy = { schedule: [0, 60, 60], onAmbiguous: 'resend', receipts: 'none' };
const spec = (ordering: object) =>
  SubscriptionSpec.parse({ name: 'n', url: 'https://hr.example', types: ['dataset.a.*'], ordering });
const first: Attempt = {
  ...{ number: 1, episode: 0, owner: 'o', startedAt: at(1), deadline: at(21), receipts: [] },
  end: { outcome: 'refused', at: at(2), status: 500, latencyMs: 900 },
};
const record = { deliveryId: 'ntc_1', createdAt: at(0), attempts: [first], settlements: [], reopenings: [] };

test('the timeline has every fact in the order of time, and the next step behind them', () => {
  const delivery = foldDelivery(record, POLICY);
  expect(timelineOf(record, delivery)).toEqual([
    { at: at(0), what: 'minted' },
    { at: at(1), what: 'intent', attempt: 1, deadline: at(21) },
    { at: at(2), what: 'outcome', attempt: 1, outcome: 'refused', status: 500, latency_ms: 900, error: undefined },
    { at: 'dueAt' in delivery ? delivery.dueAt : '', what: 'due', next: 'attempt' },
  ]);
  const judged: Attempt = {
    ...first,
    end: { outcome: 'ambiguous', at: at(30) },
    late: { outcome: 'confirmed', at: at(40), status: 200 },
    receipts: [{ at: at(35), answer: 'unclear' }],
  };
  const settled = {
    ...record,
    attempts: [judged],
    settlements: [{ episode: 0, state: 'delivered', by: 'feed', at: at(50), actor: 'ana' } as const],
    reopenings: [{ episode: 1, at: at(60), actor: 'bo' }],
  };
  const whats = timelineOf(settled, foldDelivery(settled, POLICY)).map(({ what }) => what);
  expect(whats).toEqual(['minted', 'intent', 'outcome', 'receipt', 'late', 'settled', 'reopened', 'due']);
});

test('what is open is parked when its first attempt is longer ago than it may block others', () => {
  const delivery = foldDelivery(record, POLICY);
  const parked = (ordering: object, second: number, now = record) =>
    isParked(now, foldDelivery(now, POLICY), spec(ordering), new Date(at(second)));
  expect(delivery.state).toBe('pending');
  expect(parked({ max_block: 'PT1M' }, 60)).toBe(false);
  expect(parked({ max_block: 'PT1M' }, 61)).toBe(true);
  expect(parked({ max_block: 'PT1M', mode: 'none' }, 61)).toBe(false);
  expect(parked({ max_block: 'wait' }, 1e6)).toBe(false);
  const confirmed = { ...record, attempts: [{ ...first, end: { outcome: 'confirmed', at: at(2) } as const }] };
  expect(parked({ max_block: 'PT1M' }, 61, confirmed)).toBe(false);
});
