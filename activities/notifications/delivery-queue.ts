import { parseDuration } from '../../platform/kinds/duration.js';
import type { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import type { TryAgain } from '../../notifications/stores/open-deliveries.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import {
  type DeliveryPolicy,
  type DeliveryRecord,
  foldDelivery,
  isSettled,
} from '../../notifications/delivery/delivery.js';
import { createLanes } from '../../notifications/delivery/lanes.js';
import type { InFlightDelivery } from './in-flight-delivery.js';
import { createSettlementCounts, episodeOf } from './settlement-counts.js';

export interface DeliveryQueueOptions {
  ordering: SubscriptionSpec['ordering'];
  /** Returns the policy in force: it changes with the level of the receiver. */
  policy: () => DeliveryPolicy;
  counts: SubscriptionProgress['counts'] | undefined;
  /** Called for each delivery that is settled and leaves the queue. */
  onSettled: (sequence: number) => void;
}

/** The deliveries of an in-flight window that are not settled, in the order in which their next steps are due. */
export function createDeliveryQueue({ ordering, policy, counts, onSettled }: DeliveryQueueOptions) {
  const lanes = createLanes({ mode: ordering.mode, maxBlockMs: maxBlockMs(ordering) });
  const settlements = createSettlementCounts(counts);
  /** Deliveries whose due time is known from the saved progress while their ledger is not loaded. */
  const unloaded = new Set<number>();

  /** Puts a delivery where its ledger says that it belongs. */
  function place({ event, record }: InFlightDelivery, isNew: boolean): void {
    const { sequence, about: subject } = event;
    const delivery = foldDelivery(record, policy());
    if (isSettled(delivery)) {
      settlements.add(sequence, delivery, { record, isNew });
      onSettled(sequence);
      if (!isNew) lanes.settled(sequence);
      return;
    }
    const schedule = {
      dueAt: 'dueAt' in delivery ? Date.parse(delivery.dueAt) : Infinity, // held until an operator acts
      ...blockOf(record),
    };
    if (isNew) lanes.add({ sequence, subject, ...schedule });
    else lanes.later(sequence, schedule);
  }

  return {
    add: (inFlight: InFlightDelivery): void => place(inFlight, true),
    /** Adds a delivery of an earlier drain, whose ledger is loaded only when its next step is due. */
    addDeferred({ event }: InFlightDelivery, { due, blocks }: TryAgain): void {
      const { sequence, about: subject } = event;
      unloaded.add(sequence);
      lanes.add({ sequence, subject, dueAt: due * 1_000, blockedSince: blocks * 1_000 });
    },
    /**
     * Adds a delivery that was settled and counted before; another process may have settled it again since.
     * @param started the first episode whose start was read since then
     */
    addReopened(inFlight: InFlightDelivery, started?: number): void {
      const { event, record } = inFlight;
      if (settlements.reopen(event.sequence, record, { policy: policy(), started })) place(inFlight, true);
      else onSettled(event.sequence);
    },
    /** Applies a changed ledger. A delivery whose attempt is running gets its place when the attempt ends. */
    update(inFlight: InFlightDelivery): void {
      unloaded.delete(inFlight.event.sequence);
      if (!lanes.isUnderWay(inFlight.event.sequence)) place(inFlight, false);
    },
    /** Returns a delivery to the queue after its step. */
    putBack: (inFlight: InFlightDelivery): void => place(inFlight, false),
    /** @returns the sequence of the next delivery that is due; it stays taken until it is put back */
    take: (now: number): number | undefined => lanes.take(now)?.sequence,
    /** @returns whether the ledger of a delivery still has to be loaded; the caller loads it now */
    takeUnloaded: (sequence: number): boolean => unloaded.delete(sequence),
    /** Milliseconds; `Infinity` when nothing is due before an event. */
    nextAt: (): number => lanes.nextAt(),
    /** Whether a delivery waits for an operator. */
    isHeld: (sequence: number): boolean => lanes.find(sequence)?.dueAt === Infinity,
    /** Returns the due time of a delivery that was attempted before, for the saved progress. */
    retryOf(sequence: number): TryAgain | undefined {
      const { dueAt = Infinity, blockedSince } = lanes.find(sequence) ?? {};
      if (blockedSince === undefined || dueAt === Infinity) return undefined;
      return { due: Math.ceil(dueAt / 1_000), blocks: Math.ceil(blockedSince / 1_000) };
    },
    counts() {
      const all = [...lanes.all()];
      const held = all.filter(({ dueAt }) => dueAt === Infinity).length;
      const parked = all.filter(({ sequence }) => lanes.isParked(sequence)).length;
      return { ...settlements.totals(), held, parked, open: all.length };
    },
  };
}

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/** Returns the time since which a delivery blocks its lane: the start of the first attempt of its episode. */
function blockOf(record: DeliveryRecord): { blockedSince?: number } {
  const first = record.attempts.find((attempt) => attempt.episode === episodeOf(record));
  return first === undefined ? {} : { blockedSince: Date.parse(first.startedAt) };
}

function maxBlockMs({ max_block }: SubscriptionSpec['ordering']): number {
  return max_block === 'wait' ? Infinity : (parseDuration(max_block) ?? Infinity);
}
