import {
  type Delivery,
  deliveryPolicyOf,
  deliveryRecordOf,
  foldDelivery,
  isSettled,
} from '../../notifications/delivery/delivery.js';
import type { Recovery, RecoveryPosition } from '../../notifications/kinds/recovery.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { OutboxEntry } from '../../notifications/stores/outbox.js';

/** A delivery that a recovery selects, with the records of its ledger. */
export interface RecoveryCandidate {
  sequence: number;
  facts: Awaited<ReturnType<AttemptLedger['read']>>;
  delivery: Delivery;
}

/** Reads the ledger of an outbox event. */
export async function readCandidate(
  ledger: AttemptLedger,
  subscription: Subscription,
  { event, block }: OutboxEntry,
): Promise<RecoveryCandidate> {
  const facts = await ledger.read({ subscription: subscription.id, sequence: event.sequence });
  const record = deliveryRecordOf({ event, block }, facts);
  return { sequence: event.sequence, facts, delivery: foldDelivery(record, deliveryPolicyOf(subscription)) };
}

export type RecoveryStep =
  /** An earlier drain reopened the delivery and stopped before it saved its position. */
  | { kind: 'reopened'; episode: number }
  | { kind: 'reopen'; episode: number }
  /** Counted as a match, and left as it is: it is in progress, or the recovery is a dry run. */
  | { kind: 'match' }
  | { kind: 'skip' };

/** Decides what a recovery does with a delivery. */
export function recoveryStepOf(
  { facts, delivery }: Pick<RecoveryCandidate, 'facts' | 'delivery'>,
  { kind, spec }: Pick<Recovery, 'kind' | 'spec'>,
  number: number,
): RecoveryStep {
  const own = facts.reopenings.find((each) => each.order === number);
  if (own !== undefined) return { kind: 'reopened', episode: own.episode };
  if (kind !== 'replay' && delivery.state !== 'failed') return { kind: 'skip' };
  const canReopen = isSettled(delivery) || delivery.state === 'held';
  return canReopen && !spec.dry_run ? { kind: 'reopen', episode: facts.reopenings.length + 1 } : { kind: 'match' };
}

/** Moves the position of a recovery past a delivery. */
export const countStep = (at: RecoveryPosition, { kind }: RecoveryStep): RecoveryPosition => ({
  ...at,
  matched: at.matched + (kind === 'skip' ? 0 : 1),
  reopened: at.reopened + (kind === 'reopen' || kind === 'reopened' ? 1 : 0),
});
