import type { Attempt, AttemptEnd, Reopening, Settlement } from '../kinds/attempt.js';
import type { Subscription } from '../kinds/subscription.js';
import { retryDelayMs } from './retry-schedule.js';

/** Everything that was stored about one notice; the delivery is what follows from it. */
export interface DeliveryRecord {
  deliveryId: string;
  /** RFC 3339. */
  createdAt: string;
  /** Of every episode, by number. */
  attempts: readonly Attempt[];
  settlements: readonly Settlement[];
  reopenings: readonly Reopening[];
}

export interface DeliveryPolicy {
  /** Seconds before each attempt. */
  schedule: readonly number[];
  /** What follows an ambiguous attempt that no receipt clears up. */
  onAmbiguous: 'resend' | 'hold' | 'pull';
  /** What the receiver's receipt address can do. */
  receipts: 'none' | 'read' | 'tombstone';
}

export const deliveryPolicyOf = ({ spec, status }: Pick<Subscription, 'spec' | 'status'>): DeliveryPolicy => ({
  schedule: spec.schedule,
  onAmbiguous: spec.on_ambiguous,
  receipts: status.receipts,
});

export type Delivery =
  | { state: 'pending'; next: 'attempt'; dueAt: string; attempt: number }
  /** `next`: give the attempt up, should nobody have recorded its end by then. */
  | { state: 'sending'; next: 'judge'; dueAt: string; attempt: number }
  | { state: 'checking'; next: 'tombstone' | 'receipt'; dueAt: string; attempt: number }
  | { state: 'held' }
  | { state: 'delivered'; by: 'confirmed' | 'receipt' | Settlement['by'] }
  | { state: 'failed' | 'cancelled'; by: Settlement['by'] };

export type SettledDelivery = Extract<Delivery, { state: 'delivered' | 'failed' | 'cancelled' }>;
export const isSettled = (delivery: Delivery): delivery is SettledDelivery =>
  delivery.state === 'delivered' || delivery.state === 'failed' || delivery.state === 'cancelled';

/** How long the owner of an attempt may take to record its end, beyond the deadline. */
export const OUTCOME_GRACE_MS = 5_000;
/** A request that is still under way somewhere has arrived or is lost by then; before it, "absent" proves nothing. */
export const FENCE_MS = 60_000;
/** For so long after its first attempt a notice is sent by itself: receivers know how long to keep ids. */
export const RESEND_WINDOW_MS = 30 * 86_400_000;

/**
 * The state of a delivery, folded from its records in whatever order they were written. Everybody who folds the same
 * records comes to the same state and the same next step.
 */
export function foldDelivery(record: DeliveryRecord, policy: DeliveryPolicy): Delivery {
  const reopening = record.reopenings.at(-1);
  const episode = reopening?.episode ?? 0;
  const settlement = record.settlements.find((each) => each.episode === episode);
  if (settlement !== undefined) return { state: settlement.state, by: settlement.by };
  const attempts = record.attempts.filter((each) => each.episode === episode);
  const last = attempts.at(-1);
  if (attempts.some(({ end, late }) => end?.outcome === 'confirmed' || late?.outcome === 'confirmed')) {
    return { state: 'delivered', by: 'confirmed' };
  }
  if (attempts.some(({ receipts }) => receipts.some(({ answer }) => answer === 'received'))) {
    return { state: 'delivered', by: 'receipt' };
  }
  if (last === undefined) {
    const attempt = (record.attempts.at(-1)?.number ?? 0) + 1;
    return { state: 'pending', next: 'attempt', dueAt: reopening?.at ?? record.createdAt, attempt };
  }
  const end = last.late ?? last.end;
  if (end === undefined) {
    return { state: 'sending', next: 'judge', dueAt: later(last.deadline, OUTCOME_GRACE_MS), attempt: last.number };
  }
  if (end.command === 'abort') return { state: 'failed', by: 'aborted' };
  if (end.outcome === 'ambiguous') return afterAmbiguous({ record, policy, attempts, last, end });
  return retry({ record, policy, attempts, last, from: end });
}

interface Situation {
  record: DeliveryRecord;
  policy: DeliveryPolicy;
  /** Of this episode. */
  attempts: readonly Attempt[];
  last: Attempt;
}

function afterAmbiguous({ end, ...situation }: Situation & { end: AttemptEnd }): Delivery {
  const { policy, last } = situation;
  if (policy.receipts === 'none') {
    return policy.onAmbiguous === 'resend' ? retry({ ...situation, from: end }) : { state: 'held' };
  }
  const checked = last.receipts.at(-1);
  if (checked?.answer === 'refused') return retry({ ...situation, from: checked });
  const fence = later(last.deadline, FENCE_MS);
  if (checked?.answer === 'absent' && checked.at >= fence) return retry({ ...situation, from: checked });
  return checkAgain(situation, fence);
}

function checkAgain({ record, policy, last }: Situation, fence: string): Delivery {
  const checked = last.receipts.at(-1);
  const number = last.receipts.length + 1;
  const delay = retryDelayMs(policy.schedule, `${record.deliveryId}/receipt`, number);
  if (delay === undefined) return { state: 'held' };
  const next = policy.receipts === 'tombstone' ? 'tombstone' : 'receipt';
  const first = next === 'tombstone' ? (last.end?.at ?? last.deadline) : fence;
  const dueAt = checked === undefined ? first : later(checked.at, delay);
  return { state: 'checking', next, dueAt, attempt: last.number };
}

function retry({
  record,
  policy,
  attempts,
  last,
  from,
}: Situation & { from: { at: string; retryAt?: string } }): Delivery {
  const delay = retryDelayMs(policy.schedule, record.deliveryId, attempts.length + 1);
  if (delay === undefined) return { state: 'failed', by: 'exhausted' };
  const scheduled = later(from.at, delay);
  const dueAt = from.retryAt !== undefined && from.retryAt > scheduled ? from.retryAt : scheduled;
  const first = record.attempts[0]?.startedAt ?? dueAt;
  // People who re-open a notice decide about the window themselves.
  if (last.episode === 0 && dueAt > later(first, RESEND_WINDOW_MS)) return { state: 'held' };
  return { state: 'pending', next: 'attempt', dueAt, attempt: last.number + 1 };
}

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
