import { parseDuration } from '../resources/duration.js';
import { type AttemptStats, countAttempt, NO_ATTEMPTS } from '../resources/attempt-stats.js';
import type { SubscriptionSpec } from '../resources/subscription.js';
import type { Progress } from '../stores/progress.js';
import { foldDelivery, isSettled } from '../webhooks/delivery.js';
import { createLanes } from '../webhooks/lanes.js';
import { isContradicted } from '../webhooks/probing.js';
import type { Bell } from './bell.js';
import type { Delivering, Traveller } from './delivering.js';
import type { Endpoint } from './endpoint.js';
import type { Window } from './window.js';

export interface ShippingOptions {
  spec: SubscriptionSpec;
  endpoint: Endpoint;
  window: Window;
  delivering: Delivering;
  bell: Bell;
  counts: Progress['counts'] | undefined;
  attempts: AttemptStats | undefined;
  signal: AbortSignal;
  now: () => Date;
  /** Told when nothing more may be sent. */
  disable: (reason: string) => Promise<void>;
  /** Told of a notice that the receiver took for new though it has it. */
  contradict: (traveller: Traveller) => Promise<void>;
  /** Told how long after its making a receiver took a notice. */
  delivered?: (delayMs: number) => void;
}

/** Moves the notices of a window: whose turn it is goes, and what came of it decides when it goes again. */
export function createShipping(options: ShippingOptions) {
  const {
    spec,
    endpoint,
    window,
    delivering,
    bell,
    counts,
    attempts = NO_ATTEMPTS,
    signal,
    now,
    disable,
    contradict,
    delivered = () => {},
  } = options;
  const lanes = createLanes({ mode: spec.ordering.mode, maxBlockMs: maxBlockMs(spec) });
  const settled = { delivered: 0, failed: 0, cancelled: 0, ...counts };
  let stats = attempts;
  /** Counted by the end that their ledger says, re-openings and all: heard of once more, they are not counted anew. */
  const counted = new Set<number>();
  let underWay = 0;
  let trouble: Error | undefined;

  /** Puts a notice where its ledger says that it belongs. */
  function place({ notice, record }: Traveller, isNew: boolean): void {
    const { sequence, about: subject } = notice;
    const delivery = foldDelivery(record, endpoint.target.policy);
    if (isSettled(delivery)) {
      settled[delivery.state] += 1;
      if (isNew || record.reopenings.length > 0) counted.add(sequence);
      window.settled(sequence);
      if (!isNew) lanes.settled(sequence);
      return;
    }
    const episode = record.reopenings.at(-1)?.episode ?? 0;
    const first = record.attempts.find((attempt) => attempt.episode === episode);
    const when = {
      dueAt: 'dueAt' in delivery ? Date.parse(delivery.dueAt) : Infinity, // held for people
      ...(first && { blockedSince: Date.parse(first.startedAt) }),
    };
    if (isNew) lanes.add({ sequence, subject, ...when });
    else lanes.later(sequence, when);
  }

  async function travel(traveller: Traveller): Promise<void> {
    const end = await delivering.step(endpoint.target, traveller);
    if (end !== undefined) stats = countAttempt(stats, end);
    const { mintedAt, reopenings } = traveller.record;
    // What is sent once more was made long ago.
    if (end?.outcome === 'confirmed' && reopenings.length === 0) delivered(Date.parse(end.at) - Date.parse(mintedAt));
    await delivering.settle(endpoint.target, traveller);
    place(traveller, false);
    const reason = end && endpoint.ended(end);
    if (reason !== undefined) await disable(reason);
    const { provenAt } = endpoint.target;
    if (end?.receipt === 'new' && provenAt !== null && isContradicted(traveller.record.attempts, provenAt)) {
      await contradict(traveller);
    }
  }

  return {
    add: (traveller: Traveller): void => place(traveller, true),
    /** One that was settled once, and counted then; since, others may have brought it to another end. */
    addAgain(traveller: Traveller): void {
      const { record, notice } = traveller;
      const { policy } = endpoint.target;
      const before = foldDelivery({ ...record, reopenings: record.reopenings.slice(0, -1) }, policy);
      const isCounted = counted.delete(notice.sequence) || !isSettled(before);
      if (isCounted && isSettled(foldDelivery(record, policy))) {
        counted.add(notice.sequence);
        window.settled(notice.sequence);
        return;
      }
      if (isSettled(before)) settled[before.state] -= 1;
      place(traveller, true);
    },
    /** The ledger of a notice that is loaded says something new. */
    changed(traveller: Traveller): void {
      // One that is under way is put in its place when it comes back.
      if (!lanes.isUnderWay(traveller.notice.sequence)) place(traveller, false);
    },

    /** Starts whatever may go now. */
    sendOff(): void {
      for (let at = now().getTime(); endpoint.mayStart(at, underWay) && !signal.aborted && trouble === undefined;) {
        const next = lanes.take(at);
        const traveller = next && window.get(next.sequence);
        if (traveller === undefined) return;
        endpoint.started(at);
        underWay += 1;
        void travel(traveller)
          .catch((err: Error) => (trouble ??= err))
          .finally(() => {
            underWay -= 1;
            bell.ring();
          });
      }
    },
    /** When something could go that cannot go now. Milliseconds. */
    nextAt: (): number => Math.max(lanes.nextAt(), endpoint.nextAt(underWay)),
    get attempts() {
      return stats;
    },
    /** Waits for people. */
    isHeld: (sequence: number): boolean => lanes.dueAt(sequence) === Infinity,
    counts(): { held: number; open: number; parked: number } & typeof settled {
      const all = [...lanes.all()];
      const held = all.filter(({ dueAt }) => dueAt === Infinity).length;
      const parked = all.filter(({ sequence }) => lanes.isParked(sequence)).length;
      return { ...settled, held, parked, open: all.length };
    },
    get underWay() {
      return underWay;
    },
    /** What stopped it. */
    get trouble() {
      return trouble;
    },
  };
}

function maxBlockMs({ ordering }: SubscriptionSpec): number {
  return ordering.max_block === 'wait' ? Infinity : (parseDuration(ordering.max_block) ?? Infinity);
}
