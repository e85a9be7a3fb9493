import { setTimeout as sleep } from 'node:timers/promises';
import {
  ATTEMPT_MS,
  type Attempt,
  type AttemptEnd,
  type Intent,
  type ReceiptCheck,
} from '../../notifications/kinds/attempt.js';
import { deliveryFailed } from '../../notifications/events/delivery-events.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { AttemptLedger, DeliveryKey } from '../../notifications/stores/attempts.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import { isUnavailable } from '../../platform/stores/insert-once.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import { foldDelivery } from '../../notifications/delivery/delivery.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import { timestampOf } from '../../notifications/delivery/attempt-time.js';
import type { InFlightDelivery, Target } from './in-flight-delivery.js';
import { attemptsUpTo, type CheckingDelivery, readReceiptAnswer, receiptRequest } from './receipt-check.js';
import type { WebhookRequest, WebhookSender } from './webhook-sender.js';

export interface DeliveryAttemptDeps {
  ledger: AttemptLedger;
  sender: WebhookSender;
  /** Random id of the drain. */
  owner: string;
  userAgent: string;
  /** Limit from the intent to the end of an attempt, connecting included. */
  attemptMs?: number;
  now?: () => Date;
  signal: AbortSignal;
  /**
   * Limits how many results of attempts that were not confirmed are stored at once, in this process: receivers that hang
   * fail at one moment, and the deliveries of others wait for none of it.
   */
  limitFailures?: <T>(store: () => Promise<T>) => Promise<T>;
  /** Publishes an event; the same event may come again. */
  emit?: (event: PlatformEvent) => Promise<void>;
}

const RETRY_STORE_MS = 250;

/** The steps of single deliveries. Each writes its intent to the ledger before it acts, and its result after. */
export function createDeliveryAttempts(deps: DeliveryAttemptDeps) {
  const { ledger, sender, owner, userAgent, attemptMs = ATTEMPT_MS, now = () => new Date(), signal } = deps;
  const { emit = async () => {}, limitFailures = (store) => store() } = deps;

  /** Repeats a write until the store answers: the next step in the lane must not start before a result is stored. */
  async function insist<T>(store: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await store();
      } catch (err) {
        if (!isUnavailable(err) || signal.aborted) throw err;
        await sleep(RETRY_STORE_MS);
      }
    }
  }

  async function reload(key: DeliveryKey, inFlight: InFlightDelivery): Promise<void> {
    inFlight.record = { ...inFlight.record, ...(await ledger.read(key)) };
  }

  /** @returns how the attempt ended; undefined when another process owns it, or when nothing was sent */
  async function attempt(target: Target, inFlight: InFlightDelivery, number: number): Promise<AttemptEnd | undefined> {
    const { event, record } = inFlight;
    const key = keyOf(target, inFlight);
    const startedAt = now();
    const deadline = new Date(startedAt.getTime() + attemptMs);
    const episode = record.reopenings.at(-1)?.episode ?? 0;
    const intent = { number, episode, owner, startedAt: startedAt.toISOString(), deadline: deadline.toISOString() };
    const begun = await begin(key, intent);
    if (begun === 'taken') {
      await reload(key, inFlight);
      return undefined;
    }
    const started: Attempt = { ...intent, receipts: [] };
    const timestamp = timestampOf([...record.attempts, started]);
    const end =
      begun === 'late'
        ? notSent(now(), 'the database did not confirm the start of the attempt in time')
        : marked(target, startedAt, await post(target, event, { number, timestamp, deadline, userAgent }));
    const store = () => insist(() => ledger.end(key, number, end));
    const stored = await (end.outcome === 'confirmed' ? store() : limitFailures(store));
    const late = stored.at !== end.at || stored.outcome !== end.outcome ? end : undefined;
    if (late !== undefined) await insist(() => ledger.addLate(key, number, late));
    // The present record holds what operators and consumers of the feed did meanwhile.
    inFlight.record = {
      ...inFlight.record,
      attempts: [...record.attempts, { ...started, end: stored, ...(late && { late }) }],
    };
    // The receiver had no part in an attempt that was not sent.
    return begun === 'late' ? undefined : end;
  }

  /** Sends an attempt. A request that cannot be built fails by the schedule, and the other deliveries continue. */
  async function post(target: Target, event: OutboxEvent, timing: AttemptTiming): Promise<AttemptEnd> {
    let request: WebhookRequest;
    try {
      request = attemptRequest(target, event, timing);
    } catch (err) {
      return notSent(now(), `the request could not be built: ${err instanceof Error ? err.message : 'error'}`);
    }
    return sender.send(request);
  }

  /**
   * Stores an intent. An intent without an acknowledgement may be stored all the same: it is stored again until the
   * store answers, so that its owner can record that nothing was sent.
   * @returns `late` when the first acknowledgement was lost; `taken` when another process owns the attempt
   */
  async function begin(key: DeliveryKey, intent: Intent): Promise<'in time' | 'late' | 'taken'> {
    try {
      return (await ledger.begin(key, intent)) ? 'in time' : 'taken';
    } catch (err) {
      if (!isUnavailable(err)) throw err;
      return (await insist(() => ledger.begin(key, intent))) ? 'late' : 'taken';
    }
  }

  /** Ends an attempt whose owner did not record its end in time. */
  async function abandon(target: Target, inFlight: InFlightDelivery, number: number): Promise<void> {
    const key = keyOf(target, inFlight);
    const error = 'the worker stopped before it recorded how the attempt ended';
    const end: AttemptEnd = { outcome: 'ambiguous', at: now().toISOString(), error };
    const { startedAt = end.at } = inFlight.record.attempts.find((each) => each.number === number) ?? {};
    await insist(() => ledger.end(key, number, marked(target, new Date(startedAt), end)));
    await reload(key, inFlight);
  }

  /** Asks the receiver about an ambiguous attempt. */
  async function check(target: Target, inFlight: InFlightDelivery, step: CheckingDelivery): Promise<void> {
    const key = keyOf(target, inFlight);
    const at = now();
    const timing = { at, deadline: new Date(at.getTime() + attemptMs), userAgent };
    const { receiptUrl: url, headers, keys } = target;
    const checked = attemptsUpTo(inFlight.record, step);
    const reply = await sender.send(receiptRequest({ url, headers, keys }, inFlight, step, timing));
    const number = (checked.at(-1)?.receipts.length ?? 0) + 1;
    const found: ReceiptCheck = { at: now().toISOString(), answer: readReceiptAnswer(reply, step) };
    await insist(() => ledger.addReceipt(key, step.attempt, { ...found, number }));
    await reload(key, inFlight);
  }

  return {
    /** Runs the step of a delivery that is due. @returns how an attempt ended, if there was one */
    async step(target: Target, inFlight: InFlightDelivery): Promise<AttemptEnd | undefined> {
      const due = foldDelivery(inFlight.record, target.policy);
      if (due.state === 'pending') return attempt(target, inFlight, due.attempt);
      if (due.state === 'sending') await abandon(target, inFlight, due.attempt);
      if (due.state === 'checking') await check(target, inFlight, due);
      return undefined;
    },
    /**
     * Emits a failure, then stores it: a process that dies between the two leaves both to the next one. It follows from the
     * schedule, the receiver's answer or a fault; another schedule would not imply it.
     */
    async settle(target: Target, inFlight: InFlightDelivery): Promise<void> {
      const { record } = inFlight;
      const delivery = foldDelivery(record, target.policy);
      if (delivery.state !== 'failed') return;
      const episode = record.reopenings.at(-1)?.episode ?? 0;
      const at = now().toISOString();
      const { subscription } = target;
      const failed = deliveryFailed({ subscription, event: inFlight.event, record, by: delivery.by, episode });
      if (failed !== undefined) await insist(() => emit(failed));
      await insist(() => ledger.settle(keyOf(target, inFlight), { episode, state: 'failed', by: delivery.by, at }));
    },
    reload,
  };
}
export type DeliveryAttempts = ReturnType<typeof createDeliveryAttempts>;

const keyOf = ({ subscription }: Target, { event }: InFlightDelivery): DeliveryKey => ({
  subscription,
  sequence: event.sequence,
});

function marked({ outageSince }: Target, startedAt: Date, end: AttemptEnd): AttemptEnd {
  const since = outageSince(end);
  if (since === undefined) return end;
  return { ...end, duringOutage: true, ...(startedAt.getTime() < since && { beganBefore: true }) };
}

const notSent = (at: Date, error: string): AttemptEnd => ({
  outcome: 'not_sent',
  at: at.toISOString(),
  bytesLeft: false,
  error,
});

interface AttemptTiming {
  number: number;
  timestamp: number;
  deadline: Date;
  userAgent: string;
}

function attemptRequest(
  { url, headers, keys, policy }: Target,
  { id, body }: OutboxEvent,
  { number, timestamp, deadline, userAgent }: AttemptTiming,
): WebhookRequest {
  return {
    method: 'POST',
    url,
    headers: {
      ...headers,
      'content-type': CONTENT_TYPE,
      'user-agent': userAgent,
      'slipway-attempt': String(number),
      ...signWebhook({ id, timestamp, body, keys }),
    },
    body,
    fresh: policy.onAmbiguous === 'hold' || policy.receipts !== 'none',
    deadline,
  };
}
