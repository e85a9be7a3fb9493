import { expect, test, vi } from 'vitest';
import {
  createDeliveryAttempts,
  type DeliveryAttemptDeps,
} from '../../../activities/notifications/delivery-attempt.js';
import { createDispatcher, type DispatcherOptions } from '../../../activities/notifications/dispatcher.js';
import { createInFlightWindow } from '../../../activities/notifications/in-flight-window.js';
import { createWakeSignal } from '../../../activities/notifications/wake-signal.js';
import { createWebhookEndpoint } from '../../../activities/notifications/webhook-endpoint.js';
import type { WebhookRequest } from '../../../activities/notifications/webhook-sender.js';
import type { AttemptEnd } from '../../../notifications/kinds/attempt.js';
import { createAttemptLedger } from '../../../notifications/stores/attempts.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newDeliverySubscription, outboxBlock, START } from './delivery-parts.js';

const KEYS = [parseSigningKey(createHmacSecret())];

interface Open extends Partial<DispatcherOptions> {
  /** Subjects of the deliveries, in order. */
  subjects?: string[];
  settings?: object;
  status?: object;
  /** The deliveries come from saved progress, due in a minute. */
  isDeferred?: boolean;
  limitFailures?: DeliveryAttemptDeps['limitFailures'];
  answer?: (request: WebhookRequest, sent: number) => Partial<AttemptEnd> | Promise<Partial<AttemptEnd>>;
}

/** Opens a dispatcher on a memory ledger; a test answers the requests. */
async function open(options: Open = {}) {
  const { subjects = ['1'], settings = {}, status = {}, isDeferred = false, answer = () => ({}), ...rest } = options;
  const { limitFailures, ...more } = rest;
  const clock = { ms: START };
  const now = () => new Date(clock.ms);
  const subscription = newDeliverySubscription(settings, status);
  const { id } = subscription;
  const database = createMemoryDatabase();
  const outbox = createOutbox({ database });
  const ledger = createAttemptLedger({ database });
  await outbox.insert(id, outboxBlock(1, 1, subjects));
  const window = createInFlightWindow({ subscription: id, outbox, from: { loadedThrough: 0, loadedBlock: 0 } });
  const wakeSignal = createWakeSignal();
  const sent: WebhookRequest[] = [];
  const send = async (request: WebhookRequest): Promise<AttemptEnd> => {
    sent.push(request);
    const end = await Promise.resolve(answer(request, sent.length));
    return { outcome: 'confirmed', at: now().toISOString(), status: 200, ...end };
  };
  const ends: AttemptEnd[] = [];
  const delays: number[] = [];
  const calls: string[] = [];
  const signal = more.signal ?? new AbortController().signal;
  const deliveryAttempts = createDeliveryAttempts({
    ...{ ledger, sender: { send }, owner: 'drain', userAgent: 'test', now, signal },
    ...(limitFailures && { limitFailures }),
  });
  const endpoint = createWebhookEndpoint(subscription, KEYS);
  const dispatcher = createDispatcher({
    ...{ spec: subscription.spec, endpoint, window, deliveryAttempts, wakeSignal, signal, now },
    ...{ counts: undefined, attempts: undefined },
    disable: async (reason) => {
      calls.push(`disable: ${reason}`);
      endpoint.refresh({ ...subscription, status: { ...subscription.status, state: 'disabled', reason } }, KEYS);
    },
    contradict: async ({ event }) => void calls.push(`contradict: ${event.sequence}`),
    onAttempt: (_subscription, end) => void ends.push(end),
    onDelivered: (delay) => void delays.push(delay),
    ...more,
  });
  const again = { due: START / 1_000 + 60, blocks: START / 1_000 };
  for (const each of await window.fill(1)) {
    if (isDeferred) dispatcher.queue.addDeferred(each, again);
    else dispatcher.queue.add(each);
  }
  /** Dispatches until no step runs and none is due. */
  const settle = async (): Promise<void> => {
    for (dispatcher.dispatch(); dispatcher.underWay > 0; dispatcher.dispatch()) await wakeSignal.wait(1_000);
  };
  return { clock, dispatcher, window, ledger, id, sent, ends, delays, calls, settle };
}

test('a confirmed delivery is sent once, leaves the window, and is counted with its delay', async () => {
  const { clock, dispatcher, window, settle, sent, ends, delays, ledger, id } = await open();
  clock.ms += 1_500;
  await settle();
  await settle();
  expect(sent).toHaveLength(1);
  expect([window.size, dispatcher.nextAt()]).toEqual([0, Infinity]);
  expect(dispatcher.queue.counts()).toMatchObject({ delivered: 1, failed: 0, open: 0 });
  expect(dispatcher.attempts.outcomes).toEqual({ confirmed: 1, not_sent: 0, refused: 0, ambiguous: 0 });
  expect([ends.map(({ outcome }) => outcome), delays]).toEqual([['confirmed'], [1_500]]);
  expect((await ledger.read({ subscription: id, sequence: 1 })).attempts).toMatchObject([{ number: 1 }]);
});

test('a confirmed delivery does not wait until the failures of others are stored', async () => {
  let release = (): void => {};
  const turn = new Promise<void>((resolve) => (release = resolve));
  const answer = ({ body }: WebhookRequest): Partial<AttemptEnd> =>
    (JSON.parse(body) as { subject: string }).subject === '1' ? { outcome: 'ambiguous' } : {};
  const limitFailures = async <T>(store: () => Promise<T>): Promise<T> => turn.then(store);
  const { dispatcher, settle, ends } = await open({ subjects: ['1', '2'], answer, limitFailures });
  dispatcher.dispatch();
  await vi.waitUntil(() => dispatcher.underWay === 1);
  expect(ends.map(({ outcome }) => outcome)).toEqual(['confirmed']);
  release();
  await settle();
  expect(ends.map(({ outcome }) => outcome)).toEqual(['confirmed', 'ambiguous']);
});

test('deliveries of one subject go one at a time and in order; other subjects do not wait for them', async () => {
  const underWay: string[] = [];
  let isFirst = true;
  const answer = async ({ body, headers }: WebhookRequest) => {
    const { subject } = JSON.parse(body) as { subject: string };
    expect(underWay).not.toContain(subject);
    underWay.push(subject);
    order.push(String(headers['webhook-id']));
    // The first one is answered only after the delivery of the other subject.
    while (isFirst && !order.includes('ntc_3')) await new Promise(setImmediate);
    isFirst = false;
    underWay.splice(underWay.indexOf(subject), 1);
    return {};
  };
  const order: string[] = [];
  const { settle } = await open({ subjects: ['1', '1', '2', '1'], answer });
  await settle();
  expect(order.toSorted()).toEqual(['ntc_1', 'ntc_2', 'ntc_3', 'ntc_4']);
  expect(order.filter((id) => id !== 'ntc_3')).toEqual(['ntc_1', 'ntc_2', 'ntc_4']);
});

test('no more steps run at once than the subscription allows', async () => {
  let [running, most] = [0, 0];
  const answer = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return {};
  };
  const subjects = Array.from({ length: 12 }, (_, index) => String(index + 1));
  const { settle, sent } = await open({ subjects, settings: { rate: { concurrency: 3, per_second: 1_000 } }, answer });
  await settle();
  expect(sent.length).toBeGreaterThan(0);
  expect(most).toBe(3);
});

test('a refused delivery waits for its schedule, holds its lane, and fails when the schedule is exhausted', async () => {
  const answer = () => ({ outcome: 'refused', status: 500 }) as const;
  const { clock, dispatcher, settle, sent, ledger, id } = await open({
    ...{ subjects: ['1', '1'], settings: { schedule: [0, 60] }, answer },
  });
  await settle();
  expect(sent).toHaveLength(1);
  const due = dispatcher.nextAt();
  expect(due).toBeGreaterThan(START);
  clock.ms = due - 1;
  await settle();
  expect(sent).toHaveLength(1);
  clock.ms = due;
  await settle();
  const attemptsOf = async (sequence: number) => (await ledger.read({ subscription: id, sequence })).attempts.length;
  expect([await attemptsOf(1), await attemptsOf(2)]).toEqual([2, 1]);
  const { settlements } = await ledger.read({ subscription: id, sequence: 1 });
  expect(settlements).toMatchObject([{ state: 'failed', by: 'exhausted', episode: 0 }]);
  expect(dispatcher.queue.counts()).toMatchObject({ failed: 1, delivered: 0, open: 1 });
});

test('an answer that asks to stop disables the subscription, and nothing is sent after it', async () => {
  const answer = () => ({ outcome: 'refused', status: 410, command: 'disable' }) as const;
  const { settle, sent, calls, dispatcher } = await open({
    ...{ subjects: ['1', '2', '3'], settings: { rate: { concurrency: 1 } }, answer },
  });
  await settle();
  expect(sent).toHaveLength(1);
  expect(calls).toEqual(['disable: the endpoint asked for it, with status 410']);
  expect(dispatcher.nextAt()).toBe(Infinity);
});

test('a receiver that takes a repeat as new contradicts its proof; one without a proof does not', async () => {
  const answer = (_: unknown, sent: number): Partial<AttemptEnd> =>
    sent === 1 ? { outcome: 'refused', status: 500, receipt: 'new' } : { receipt: 'new' };
  const run = async (checked_at: string | null) => {
    const settings = { schedule: [0, 60] };
    const { clock, settle, calls, dispatcher } = await open({ settings, status: { checked_at, level: 'L1' }, answer });
    await settle();
    clock.ms = dispatcher.nextAt();
    await settle();
    return calls;
  };
  expect(await run(new Date(START - 1_000).toISOString())).toEqual(['contradict: 1']);
  expect(await run(null)).toEqual([]);
});

test('an error of a step stops the dispatcher and is kept; what it loaded stays open', async () => {
  const { settle, dispatcher, sent, window } = await open({
    subjects: ['1', '2'],
    settings: { rate: { concurrency: 1 } },
    answer: () => {
      throw new TypeError('a bug');
    },
  });
  await settle();
  expect(dispatcher.failure?.message).toBe('a bug');
  expect([sent.length, window.size, dispatcher.underWay]).toEqual([1, 2, 0]);
});

test('nothing starts after the drain was aborted', async () => {
  const { settle, sent, dispatcher, window } = await open({ signal: AbortSignal.abort() });
  await settle();
  expect([sent.length, dispatcher.underWay, window.size]).toEqual([0, 0, 1]);
});

test('counts and outcomes continue from the last drain', async () => {
  const attempts = { outcomes: { confirmed: 5, not_sent: 1, refused: 2, ambiguous: 0 } };
  const counts = { delivered: 4, failed: 2, cancelled: 0, held: 0, pending: 0 };
  const { settle, dispatcher } = await open({ attempts, counts });
  await settle();
  expect(dispatcher.attempts.outcomes).toEqual({ confirmed: 6, not_sent: 1, refused: 2, ambiguous: 0 });
  expect(dispatcher.queue.counts()).toMatchObject({ delivered: 5, failed: 2 });
});

test('a deferred delivery that another process settled meanwhile is not sent again', async () => {
  const { clock, dispatcher, ledger, id, settle, sent } = await open({ isDeferred: true });
  const settlement = { episode: 0, state: 'cancelled', by: 'operator', at: '2026-01-01T00:00:00.000Z' } as const;
  await ledger.settle({ subscription: id, sequence: 1 }, settlement);
  await settle();
  expect(dispatcher.nextAt()).toBe(START + 60_000);
  clock.ms += 60_000;
  await settle();
  expect(sent).toHaveLength(0);
  expect(dispatcher.queue.counts()).toMatchObject({ cancelled: 1, open: 0 });
});

test('a deferred delivery whose ledger asks for a later time waits for that time', async () => {
  const { clock, dispatcher, ledger, id, settle, sent } = await open({
    isDeferred: true,
    settings: { schedule: [0, 600] },
  });
  const key = { subscription: id, sequence: 1 };
  const at = new Date(START).toISOString();
  await ledger.begin(key, { number: 1, episode: 0, owner: 'other', startedAt: at, deadline: at });
  await ledger.end(key, 1, { outcome: 'refused', status: 500, at });
  clock.ms += 60_000;
  await settle();
  expect(sent).toHaveLength(0);
  expect(dispatcher.nextAt()).toBeGreaterThan(clock.ms);
  clock.ms = dispatcher.nextAt();
  await settle();
  expect(sent.map(({ headers }) => headers['slipway-attempt'])).toEqual(['2']);
});
