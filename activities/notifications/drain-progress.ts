import type { OpenDelivery } from '../../notifications/stores/open-deliveries.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { Dispatcher } from './dispatcher.js';
import type { OutboxHead } from './outbox-head.js';
import type { InFlightWindow } from './in-flight-window.js';
import type { OperatorActionReader } from './operator-actions.js';
import type { RecoveryRunner } from './recovery.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** The parts of a drain whose state is saved. */
export interface DrainState {
  head: OutboxHead;
  /** Generation of the subscription by whose settings deliveries are due. */
  generation: number;
  window: Pick<InFlightWindow, 'get' | 'progress'>;
  dispatcher: Pick<Dispatcher, 'attempts'> & { queue: Pick<DeliveryQueue, 'counts' | 'isHeld' | 'retryOf'> };
  operatorActions: Pick<OperatorActionReader, 'progress'>;
  recovery: Pick<RecoveryRunner, 'position'>;
  endpoint: Pick<WebhookEndpoint, 'breaker' | 'keysUsed' | 'lastFailure' | 'hostOutage'>;
}

/**
 * Builds the progress from which the next drain continues.
 * @param leaseMs set while the drain goes on
 */
export function toProgress(state: DrainState, at: Date, leaseMs?: number): SubscriptionProgress {
  const { head, generation, window, dispatcher, operatorActions, recovery, endpoint } = state;
  const { open, parked, ...counts } = dispatcher.queue.counts();
  const loaded = window.progress();
  const pending = head.sequence - loaded.loadedThrough + open - counts.held;
  return {
    ...head,
    ...loaded,
    open: loaded.open.map((each) => toOpenDelivery(each, state)),
    dueBy: generation,
    ...operatorActions.progress(),
    ...(recovery.position && { recovery: recovery.position }),
    counts: { ...counts, pending },
    parked,
    attempts: dispatcher.attempts,
    breaker: endpoint.breaker,
    keysUsed: endpoint.keysUsed,
    ...(endpoint.hostOutage && { hostOutage: endpoint.hostOutage }),
    ...(endpoint.lastFailure && { lastFailure: endpoint.lastFailure }),
    ...(leaseMs !== undefined && { leasedUntil: new Date(at.getTime() + leaseMs).toISOString() }),
    at: at.toISOString(),
  };
}

function toOpenDelivery({ sequence, block }: OpenDelivery, { window, dispatcher }: DrainState): OpenDelivery {
  const { queue } = dispatcher;
  // The ledger of a reopened delivery may hold no attempt of its episode, whose conflict would load the rest.
  const isReopened = (window.get(sequence)?.record.reopenings.length ?? 0) > 0;
  if (queue.isHeld(sequence) || isReopened) return { sequence, block, held: true };
  const again = queue.retryOf(sequence);
  return { sequence, block, ...(again && { again }) };
}
