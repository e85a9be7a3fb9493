import type { Attempt, AttemptEnd, Reopening, Settlement } from '../kinds/attempt.js';
import type { OutboxBlock, OutboxEvent } from '../kinds/outbox-event.js';
import type { Subscription } from '../kinds/subscription.js';
import { retryDelayMs } from './retry-schedule.js';

/** The stored facts about one delivery; its state is folded from them. */
export interface DeliveryRecord {
  deliveryId: string;
  /** RFC 3339. */
  createdAt: string;
  /** Why no process sends it until an operator reopens it. */
  fault?: string;
  /** Attempts of all episodes, by number. */
  attempts: readonly Attempt[];
  settlements: readonly Settlement[];
  reopenings: readonly Reopening[];
}

type Facts = Pick<DeliveryRecord, 'attempts' | 'settlements' | 'reopenings'>;
const NO_FACTS: Facts = { attempts: [], settlements: [], reopenings: [] };

/** Builds the record of an outbox event with the facts of its ledger. */
export const deliveryRecordOf = (
  { event, block }: { event: Pick<OutboxEvent, 'id' | 'fault'>; block: Pick<OutboxBlock, 'at'> },
  facts = NO_FACTS,
): DeliveryRecord => ({
  deliveryId: event.id,
  createdAt: block.at,
  ...(event.fault !== undefined && { fault: event.fault }),
  ...facts,
});

export interface DeliveryPolicy {
  /** Seconds before each attempt. */
  schedule: readonly number[];
  /** The step after an ambiguous attempt that no receipt resolves. */
  onAmbiguous: 'resend' | 'hold' | 'pull';
  /** The abilities of the receipt address. */
  receipts: 'none' | 'read' | 'tombstone';
}

export const deliveryPolicyOf = ({ spec, status }: Pick<Subscription, 'spec' | 'status'>): DeliveryPolicy => ({
  schedule: spec.schedule,
  onAmbiguous: spec.on_ambiguous,
  receipts: status.receipts,
});

export type Delivery =
  | { state: 'pending'; next: 'attempt'; dueAt: string; attempt: number }
  /** `next`: give the attempt up if no end of it is recorded by then. */
  | { state: 'sending'; next: 'judge'; dueAt: string; attempt: number }
  | { state: 'checking'; next: 'tombstone' | 'receipt'; dueAt: string; attempt: number }
  | { state: 'held' }
  | { state: 'delivered'; by: 'confirmed' | 'receipt' | Settlement['by'] }
  | { state: 'failed' | 'cancelled'; by: Settlement['by'] };

export type SettledDelivery = Extract<Delivery, { state: 'delivered' | 'failed' | 'cancelled' }>;
export const isSettled = (delivery: Delivery): delivery is SettledDelivery =>
  delivery.state === 'delivered' || delivery.state === 'failed' || delivery.state === 'cancelled';

/** Time after the deadline in which the owner of an attempt may record its end. */
const OUTCOME_GRACE_MS = 5_000;
/** By then a request in transit has arrived or is lost; before that, "absent" proves nothing. */
const FENCE_MS = 60_000;
/** Time after the first attempt in which a delivery is retried automatically: receivers keep ids that long. */
export const RESEND_WINDOW_MS = 30 * 86_400_000;

/**
 * Seconds before a delivery is the probe of an open breaker again. The next probe is another delivery, since those that
 * wait are due earlier: one that its receiver always refuses must not keep the breaker open.
 */
const PROBE_RESTS = [60, 300, 1_800, 3_600, 7_200, 14_400];

/**
 * Folds the records of a delivery, in any order of writing, into its state and next step. The result depends on the
 * records alone, so all processes agree on it.
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
  if (last === undefined && episode === 0 && record.fault !== undefined) return { state: 'failed', by: 'fault' };
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
  /** Attempts of this episode. */
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
  const probes = attempts.filter(wasProbe).length;
  const step = retryDelayMs(policy.schedule, record.deliveryId, attempts.length - probes + 1);
  const isLast = step === undefined && endOf(last)?.duringOutage === true;
  const rest = Math.min(Math.max(probes, 1), PROBE_RESTS.length);
  const delay = wasProbe(last) || isLast ? retryDelayMs(PROBE_RESTS, `${record.deliveryId}/probe`, rest) : step;
  if (delay === undefined) return { state: 'failed', by: 'exhausted' };
  const scheduled = later(from.at, delay);
  const dueAt = from.retryAt !== undefined && from.retryAt > scheduled ? from.retryAt : scheduled;
  const first = record.attempts[0]?.startedAt ?? dueAt;
  // An operator who reopens a delivery overrides the window.
  if (last.episode === 0 && dueAt > later(first, RESEND_WINDOW_MS)) return { state: 'held' };
  return { state: 'pending', next: 'attempt', dueAt, attempt: last.number + 1 };
}

const endOf = ({ end, late }: Attempt): AttemptEnd | undefined => late ?? end;

/** An attempt that was under way when the breaker opened takes a step of the schedule, but never the last one. */
function wasProbe(attempt: Attempt): boolean {
  const { duringOutage, beganBefore } = endOf(attempt) ?? {};
  return duringOutage === true && beganBefore !== true;
}

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
