import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import { type AttemptStats, countAttempt, NO_ATTEMPTS } from '../../notifications/kinds/attempt-stats.js';
import type { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { foldDelivery } from '../../notifications/delivery/delivery.js';
import { isContradicted } from '../../notifications/delivery/probe.js';
import type { WakeSignal } from './wake-signal.js';
import type { DeliveryAttempts } from './delivery-attempt.js';
import type { InFlightDelivery } from './in-flight-delivery.js';
import { createDeliveryQueue } from './delivery-queue.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';
import type { InFlightWindow } from './in-flight-window.js';

export interface DispatcherOptions {
  spec: SubscriptionSpec;
  endpoint: WebhookEndpoint;
  window: InFlightWindow;
  deliveryAttempts: DeliveryAttempts;
  wakeSignal: WakeSignal;
  counts: SubscriptionProgress['counts'] | undefined;
  attempts: AttemptStats | undefined;
  signal: AbortSignal;
  now: () => Date;
  /** Called when nothing more may be sent to the endpoint. */
  disable: (reason: string) => Promise<void>;
  /** Called when the receiver reports an event as new that it received before. */
  contradict: (inFlight: InFlightDelivery) => Promise<void>;
  onAttempt?: (subscription: string, end: AttemptEnd) => void;
  /** Called with the time from the creation of a delivery to its confirmation. */
  onDelivered?: (delayMs: number) => void;
}

/** Runs the steps of the deliveries in a window: takes those that are due, and queues their next steps. */
export function createDispatcher(options: DispatcherOptions) {
  const { spec, endpoint, window, deliveryAttempts, wakeSignal, counts, signal, now } = options;
  const { disable, contradict, onAttempt = () => {}, onDelivered = () => {} } = options;
  const queue = createDeliveryQueue({
    ordering: spec.ordering,
    policy: () => endpoint.target.policy,
    counts,
    onSettled: (sequence) => window.settled(sequence),
  });
  let stats = options.attempts ?? NO_ATTEMPTS;
  let underWay = 0;
  let ended = 0;
  let failure: Error | undefined;

  /** Loads the ledger of a delivery whose due time came from saved progress. @returns whether it is due by its ledger */
  async function reloadIsDue(inFlight: InFlightDelivery): Promise<boolean> {
    const { subscription, policy } = endpoint.target;
    await deliveryAttempts.reload({ subscription, sequence: inFlight.event.sequence }, inFlight);
    const delivery = foldDelivery(inFlight.record, policy);
    return 'dueAt' in delivery && Date.parse(delivery.dueAt) <= now().getTime();
  }

  function recordEnd(end: AttemptEnd, { record }: InFlightDelivery): void {
    stats = countAttempt(stats, end);
    onAttempt(endpoint.target.subscription, end);
    // The delay of a reopened delivery says nothing: it was created long ago.
    const isFirst = record.reopenings.length === 0;
    if (end.outcome === 'confirmed' && isFirst) onDelivered(Date.parse(end.at) - Date.parse(record.createdAt));
  }

  async function runStep(inFlight: InFlightDelivery): Promise<void> {
    const isDue = !queue.takeUnloaded(inFlight.event.sequence) || (await reloadIsDue(inFlight));
    const end = isDue ? await deliveryAttempts.step(endpoint.target, inFlight) : undefined;
    if (end !== undefined) recordEnd(end, inFlight);
    await deliveryAttempts.settle(endpoint.target, inFlight);
    queue.putBack(inFlight);
    const reason = end && endpoint.ended(end);
    if (reason !== undefined) await disable(reason);
    const { provenAt } = endpoint.target;
    if (end?.receipt === 'new' && provenAt !== null && isContradicted(inFlight.record.attempts, provenAt)) {
      await contradict(inFlight);
    }
  }

  return {
    queue,
    /** Starts every step that may start now. */
    dispatch(): void {
      const at = now().getTime();
      const next = queue.nextAt();
      if (next > at) return endpoint.rest(at, { isPending: next < Infinity || underWay > 0 });
      const mayStart = (): boolean => queue.nextAt() <= at && endpoint.mayStart(at, underWay);
      while (!signal.aborted && failure === undefined && mayStart()) {
        const sequence = queue.take(at);
        const inFlight = sequence === undefined ? undefined : window.get(sequence);
        if (inFlight === undefined) return;
        endpoint.started(at);
        underWay += 1;
        void runStep(inFlight)
          .catch((err: Error) => (failure ??= err))
          .finally(() => {
            underWay -= 1;
            ended += 1;
            endpoint.finished(now().getTime());
            wakeSignal.notify();
          });
      }
    },
    /** Time of the next step that cannot start now. Milliseconds. */
    nextAt: (): number => Math.max(queue.nextAt(), endpoint.nextAt(underWay, now().getTime())),
    /** Whether a step is due that cannot start now. */
    isBlocked: (): boolean => {
      const at = now().getTime();
      return queue.nextAt() <= at && endpoint.nextAt(underWay, at) > at;
    },
    /** Number of steps that have ended. */
    get ended() {
      return ended;
    },
    get attempts() {
      return stats;
    },
    /** Number of steps that are running. */
    get underWay() {
      return underWay;
    },
    /** The error that stopped the dispatcher. */
    get failure() {
      return failure;
    },
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;
