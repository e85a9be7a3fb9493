import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, AttemptEnd, ReceiptCheck } from '../../notifications/kinds/attempt.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { AttemptLedger, DeliveryKey } from '../../notifications/stores/attempts.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import {
  type Delivery,
  type DeliveryPolicy,
  type DeliveryRecord,
  foldDelivery,
} from '../../notifications/delivery/delivery.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import { timestampOf } from '../../notifications/delivery/attempt-time.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import type { WebhookSender } from './webhook-sender.js';

/** Where and how notices of a subscription are sent. */
export interface Target {
  subscription: string;
  url: URL;
  receiptUrl?: URL;
  headers: Readonly<Record<string, string>>;
  keys: readonly SigningKey[];
  /** When the receiver showed what it does; `null`: never. */
  provenAt: string | null;
  policy: DeliveryPolicy;
}

export interface DeliveryAttemptDeps {
  ledger: AttemptLedger;
  sender: WebhookSender;
  /** Drawn for each drain. */
  owner: string;
  userAgent: string;
  /** From the intent on, connecting included. */
  attemptMs?: number;
  now?: () => Date;
  signal: AbortSignal;
}

/** A notice on its way, with everything that its ledger says. */
export interface InFlightDelivery {
  notice: OutboxEvent;
  record: DeliveryRecord;
}

const RETRY_STORE_MS = 250;

/** The steps of single deliveries. Each writes to the ledger what it does before, and what came of it after. */
export function createDeliveryAttempts(deps: DeliveryAttemptDeps) {
  const { ledger, sender, owner, userAgent, attemptMs = 20_000, now = () => new Date(), signal } = deps;

  /** What was seen must be stored: nothing goes on in the lane before it is. */
  async function insist<T>(store: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await store();
      } catch (err) {
        const isDown = err instanceof SlipwayError && err.code === 'unavailable';
        if (!isDown || signal.aborted) throw err;
        await sleep(RETRY_STORE_MS);
      }
    }
  }

  async function reload(key: DeliveryKey, traveller: InFlightDelivery): Promise<void> {
    traveller.record = { ...traveller.record, ...(await ledger.read(key)) };
  }

  /** @returns how the attempt ended; undefined when another sender has it */
  async function attempt(target: Target, traveller: InFlightDelivery, number: number): Promise<AttemptEnd | undefined> {
    const { notice, record } = traveller;
    const key = { subscription: target.subscription, sequence: notice.sequence };
    const startedAt = now();
    const deadline = new Date(startedAt.getTime() + attemptMs);
    const episode = record.reopenings.at(-1)?.episode ?? 0;
    const intent = { number, episode, owner, startedAt: startedAt.toISOString(), deadline: deadline.toISOString() };
    if (!(await ledger.begin(key, intent))) {
      await reload(key, traveller);
      return undefined;
    }
    const started: Attempt = { ...intent, receipts: [] };
    const attempts = [...record.attempts, started];
    const { url, keys, policy } = target;
    const timestamp = timestampOf(attempts);
    const end = await sender.send({
      method: 'POST',
      url,
      headers: {
        ...target.headers,
        'content-type': CONTENT_TYPE,
        'user-agent': userAgent,
        'slipway-attempt': String(number),
        ...signWebhook({ id: notice.id, timestamp, body: notice.body, keys }),
      },
      body: notice.body,
      fresh: policy.onAmbiguous === 'hold' || policy.receipts !== 'none',
      deadline,
    });
    const stands = await insist(() => ledger.end(key, number, end));
    const late = stands.at !== end.at || stands.outcome !== end.outcome ? end : undefined;
    if (late !== undefined) await insist(() => ledger.addLate(key, number, late));
    // What people and feeds did meanwhile stands in the present record.
    traveller.record = {
      ...traveller.record,
      attempts: [...record.attempts, { ...started, end: stands, ...(late && { late }) }],
    };
    return end;
  }

  /** Gives an attempt up whose end nobody recorded in time. */
  async function judge(target: Target, traveller: InFlightDelivery, number: number): Promise<void> {
    const key = { subscription: target.subscription, sequence: traveller.notice.sequence };
    const error = 'its sender stopped before it recorded how the attempt ended';
    await insist(() => ledger.end(key, number, { outcome: 'ambiguous', at: now().toISOString(), error }));
    await reload(key, traveller);
  }

  /** Asks the receiver about an attempt that ended unclear: first that it take it no more, where it can promise that. */
  async function check(
    target: Target,
    traveller: InFlightDelivery,
    step: Delivery & { state: 'checking' },
  ): Promise<void> {
    const { notice, record } = traveller;
    const key = { subscription: target.subscription, sequence: notice.sequence };
    const attempts = record.attempts.slice(0, record.attempts.findIndex(({ number }) => number === step.attempt) + 1);
    const isTombstone = step.next === 'tombstone';
    const body = isTombstone ? JSON.stringify({ refuse_until: timestampOf(attempts) }) : '';
    const at = now();
    const timestamp = Math.floor(at.getTime() / 1_000);
    const url = new URL(`${target.receiptUrl?.href.replace(/\/$/, '')}/${notice.id}`);
    const reply = await sender.send({
      method: isTombstone ? 'PUT' : 'GET',
      url,
      headers: {
        ...target.headers,
        ...(isTombstone && { 'content-type': 'application/json' }),
        'user-agent': userAgent,
        ...signWebhook({ id: notice.id, timestamp, body, keys: target.keys }),
      },
      body,
      fresh: true,
      deadline: new Date(at.getTime() + attemptMs),
    });
    const number = (attempts.at(-1)?.receipts.length ?? 0) + 1;
    const found: ReceiptCheck = { at: now().toISOString(), answer: (isTombstone ? readTombstone : readReceipt)(reply) };
    await insist(() => ledger.addReceipt(key, step.attempt, { ...found, number }));
    await reload(key, traveller);
  }

  return {
    /** Does what is due for one notice. @returns how an attempt ended, if there was one */
    async step(target: Target, traveller: InFlightDelivery): Promise<AttemptEnd | undefined> {
      const due = foldDelivery(traveller.record, target.policy);
      if (due.state === 'pending') return attempt(target, traveller, due.attempt);
      if (due.state === 'sending') await judge(target, traveller, due.attempt);
      if (due.state === 'checking') await check(target, traveller, due);
      return undefined;
    },
    /** Stores the end that follows from the schedule or the receiver's word, which another schedule would not imply. */
    async settle({ subscription, policy }: Target, { notice, record }: InFlightDelivery): Promise<void> {
      const delivery = foldDelivery(record, policy);
      if (delivery.state !== 'failed') return;
      const episode = record.reopenings.at(-1)?.episode ?? 0;
      const at = now().toISOString();
      const key = { subscription, sequence: notice.sequence };
      await insist(() => ledger.settle(key, { episode, state: 'failed', by: delivery.by, at }));
    },
    reload,
  };
}
export type DeliveryAttempts = ReturnType<typeof createDeliveryAttempts>;

/** Of a receipt that was asked for: only its status counts, so a receiver can answer from any table of ids. */
function readReceipt({ status }: AttemptEnd): ReceiptCheck['answer'] {
  return status === 200 ? 'received' : status === 404 ? 'absent' : 'unclear';
}

/** A tombstone counts when the receiver says what became of it: an address that knows none answers anything else. */
function readTombstone({ status, answer }: AttemptEnd): ReceiptCheck['answer'] {
  if (status !== 200) return 'unclear';
  try {
    const { state } = JSON.parse(answer ?? '') as { state?: unknown };
    return state === 'received' || state === 'refused' ? state : 'unclear';
  } catch {
    return 'unclear';
  }
}
