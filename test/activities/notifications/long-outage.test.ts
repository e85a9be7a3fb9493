import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDeliveryAttempts } from '../../../activities/notifications/delivery-attempt.js';
import { createDispatcher } from '../../../activities/notifications/dispatcher.js';
import { createInFlightWindow } from '../../../activities/notifications/in-flight-window.js';
import { createWakeSignal } from '../../../activities/notifications/wake-signal.js';
import { createWebhookEndpoint } from '../../../activities/notifications/webhook-endpoint.js';
import type { AttemptEnd } from '../../../notifications/kinds/attempt.js';
import { type Subscription, SubscriptionSpec } from '../../../notifications/kinds/subscription.js';
import { deliveryPolicyOf, foldDelivery } from '../../../notifications/delivery/delivery.js';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { createAttemptLedger } from '../../../notifications/stores/attempts.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR = 3_600_000;
const ID = 'sub_1';

const subscription = (spec: object): Subscription => ({
  ...{ kind: 'Subscription', id: ID, uid: 'u', generation: 1, revision: 1 },
  ...{ createdAt: '', updatedAt: '', createdBy: 'ana', updatedBy: 'ana' },
  spec: SubscriptionSpec.parse({ name: 'a', types: ['dataset.a.*'], url: 'https://a.example', ...spec }),
  status: {
    ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
    ...{ starts_at: {}, declarations: {} },
  },
});

/** The answer of the receiver to a delivery, at hours since the start. */
type Answer = (hour: number, id: string) => Pick<AttemptEnd, 'outcome' | 'status' | 'error'>;

const OK = { outcome: 'confirmed', status: 200 } as const;
const GONE = { outcome: 'not_sent', error: 'connect ECONNREFUSED' } as const;
const downUntil =
  (end: number): Answer =>
  (hour) =>
    hour < end ? GONE : OK;

/** Runs deliveries over hours of a simulated clock; a new worker takes over every 12 hours. */
async function run({
  events,
  hours,
  answer,
  spec = {},
}: {
  events: number;
  hours: number;
  answer: Answer;
  spec?: object;
}) {
  const database = createMemoryDatabase();
  const outbox = createOutbox({ database });
  const ledger = createAttemptLedger({ database });
  const notices = Array.from({ length: events }, (_, n) => ({
    ...{ sequence: n + 1, id: `ntc_${n + 1}`, eventId: `evt_${n}`, type: 'dataset.a.updated', body: '{}' },
    about: `a/${n}`,
  }));
  const at = new Date(START).toISOString();
  await outbox.insert(ID, { block: 1, from: 1, notices, sources: {}, at, token: 't' });
  const given = subscription(spec);
  let clock = START;
  let breaker = {};
  const disabled: string[] = [];
  const now = (): Date => new Date(clock);
  const sender = {
    send: async ({ headers }: { headers: Readonly<Record<string, string>> }): Promise<AttemptEnd> => ({
      at: now().toISOString(),
      ...answer((clock - START) / HOUR, headers['webhook-id'] ?? ''),
    }),
  };

  async function openWorker(owner: string) {
    const { signal } = new AbortController();
    const window = createInFlightWindow({ subscription: ID, outbox, from: { loadedThrough: 0, loadedBlock: 0 } });
    const endpoint = createWebhookEndpoint(given, [parseSigningKey(createHmacSecret())], { breaker });
    const deliveryAttempts = createDeliveryAttempts({ ledger, sender, owner, userAgent: 'test', now, signal });
    const dispatcher = createDispatcher({
      ...{ spec: given.spec, endpoint, window, deliveryAttempts, wakeSignal: createWakeSignal(), signal, now },
      ...{ counts: undefined, attempts: undefined, contradict: async () => {} },
      disable: async (reason) => void disabled.push(reason),
    });
    for (const inFlight of await window.fill(1)) {
      await deliveryAttempts.reload({ subscription: ID, sequence: inFlight.event.sequence }, inFlight);
      dispatcher.queue.add(inFlight);
    }
    return { endpoint, dispatcher };
  }

  for (let until = START; until < START + hours * HOUR;) {
    const { endpoint, dispatcher } = await openWorker(`worker ${until}`);
    until += 12 * HOUR;
    for (; clock < until; clock = Math.max(clock, Math.min(until, dispatcher.nextAt()))) {
      dispatcher.dispatch();
      while (dispatcher.underWay > 0) await nextTurn();
      if (dispatcher.failure) throw dispatcher.failure;
    }
    breaker = endpoint.breaker;
  }

  const states: Record<string, number> = {};
  for (const { sequence, id: deliveryId } of notices) {
    const record = { deliveryId, createdAt: at, ...(await ledger.read({ subscription: ID, sequence })) };
    const { state } = foldDelivery(record, deliveryPolicyOf(given));
    states[state] = (states[state] ?? 0) + 1;
  }
  return { states, disabled };
}

for (const down of [96, 119]) {
  for (const events of [1, 2, 1_000]) {
    test(`an outage of ${down} h fails none of ${events} deliveries, and all arrive within 6 h after it`, async () => {
      const { states, disabled } = await run({ events, hours: down + 6, answer: downUntil(down) });
      expect(states).toEqual({ delivered: events });
      expect(disabled).toEqual([]);
    });
  }
}

test('an endpoint that is down for longer than five days is disabled, and its deliveries are kept', async () => {
  const { states, disabled } = await run({ events: 50, hours: 122, answer: downUntil(500) });
  expect(states).toEqual({ pending: 50 });
  expect(new Set(disabled)).toEqual(new Set(['no attempt succeeded for five days']));
});

test('one delivery that its receiver always refuses fails by the schedule, and keeps no breaker open', async () => {
  const refused = { outcome: 'refused', status: 500 } as const;
  const answer: Answer = (hour, id) => (hour < 96 ? GONE : id === 'ntc_1' ? refused : OK);
  const { states } = await run({ events: 20, hours: 96 + 12, answer });
  expect(states).toEqual({ delivered: 19, pending: 1 });
  const later = await run({ events: 20, hours: 96 + 120, answer });
  expect(later.states).toEqual({ delivered: 19, failed: 1 });
  expect(later.disabled).toEqual([]);
});
