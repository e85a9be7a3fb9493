import type { AttemptEnd, ReceiptCheck } from '../../notifications/kinds/attempt.js';
import type { Delivery } from '../../notifications/delivery/delivery.js';
import { timestampOf } from '../../notifications/delivery/attempt-time.js';
import { signWebhook } from '../../notifications/delivery/sign.js';
import type { InFlightDelivery, Target } from './in-flight-delivery.js';
import type { WebhookRequest } from './webhook-sender.js';

export type CheckingDelivery = Extract<Delivery, { state: 'checking' }>;

/**
 * Builds the request that asks a receiver about an ambiguous attempt. A tombstone also asks it to refuse the attempt from
 * now on, where the receiver supports that.
 */
export function receiptRequest(
  { url, headers, keys }: { url: URL | undefined; headers: Target['headers']; keys: Target['keys'] },
  { event, record }: InFlightDelivery,
  step: CheckingDelivery,
  { at, deadline, userAgent }: { at: Date; deadline: Date; userAgent: string },
): WebhookRequest {
  const isTombstone = step.next === 'tombstone';
  const body = isTombstone ? JSON.stringify({ refuse_until: timestampOf(attemptsUpTo(record, step)) }) : '';
  const timestamp = Math.floor(at.getTime() / 1_000);
  return {
    method: isTombstone ? 'PUT' : 'GET',
    url: new URL(`${url?.href.replace(/\/$/, '')}/${event.id}`),
    headers: {
      ...headers,
      ...(isTombstone && { 'content-type': 'application/json' }),
      'user-agent': userAgent,
      ...signWebhook({ id: event.id, timestamp, body, keys }),
    },
    body,
    fresh: true,
    deadline,
  };
}

/** Returns the attempts of a record up to the one that is checked. */
export const attemptsUpTo = ({ attempts }: InFlightDelivery['record'], { attempt }: CheckingDelivery) =>
  attempts.slice(0, attempts.findIndex(({ number }) => number === attempt) + 1);

/** Reads the answer of a receiver to a check. */
export function readReceiptAnswer(reply: AttemptEnd, { next }: Pick<CheckingDelivery, 'next'>): ReceiptCheck['answer'] {
  return next === 'tombstone' ? readTombstone(reply) : readReceipt(reply);
}

/** Only the status of a receipt counts, so a receiver can answer from any table of ids. */
function readReceipt({ status }: AttemptEnd): ReceiptCheck['answer'] {
  return status === 200 ? 'received' : status === 404 ? 'absent' : 'unclear';
}

/** A tombstone counts only with a state in the answer: an address without support for it answers anything else. */
function readTombstone({ status, answer }: AttemptEnd): ReceiptCheck['answer'] {
  if (status !== 200) return 'unclear';
  try {
    const { state } = JSON.parse(answer ?? '') as { state?: unknown };
    return state === 'received' || state === 'refused' ? state : 'unclear';
  } catch {
    return 'unclear';
  }
}
