import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import { parseDuration } from '../../platform/kinds/duration.js';
import { type AttemptStats, countAttempt, NO_ATTEMPTS } from '../../notifications/kinds/attempt-stats.js';
import type { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import type { TryAgain } from '../../notifications/stores/open-deliveries.js';
import { type DeliveryRecord, foldDelivery, isSettled } from '../../notifications/delivery/delivery.js';
import { createLanes } from '../../notifications/delivery/lanes.js';
import { isContradicted } from '../../notifications/delivery/probe.js';
import type { WakeSignal } from './wake-signal.js';
import type { DeliveryAttempts, InFlightDelivery } from './delivery-attempt.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';
import type { InFlightWindow } from './in-flight-window.js';

export interface DispatcherOptions {
  spec: SubscriptionSpec;
  endpoint: WebhookEndpoint;
  window: InFlightWindow;
  delivering: DeliveryAttempts;
  bell: WakeSignal;
  counts: SubscriptionProgress['counts'] | undefined;
  attempts: AttemptStats | undefined;
  signal: AbortSignal;
  now: () => Date;
  /** Told when nothing more may be sent. */
  disable: (reason: string) => Promise<void>;
  /** Told of a notice that the receiver took for new though it has it. */
  contradict: (traveller: InFlightDelivery) => Promise<void>;
  /** Told how each attempt ended. */
  attempted?: (subscription: string, end: AttemptEnd) => void;
  /** Told how long after its making a receiver took a notice. */
  delivered?: (delayMs: number) => void;
}

/** Moves the notices of a window: whose turn it is goes, and what came of it decides when it goes again. */
export function createDispatcher(options: DispatcherOptions) {
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
    attempted = () => {},
    delivered = () => {},
  } = options;
  const lanes = createLanes({ mode: spec.ordering.mode, maxBlockMs: maxBlockMs(spec) });
  const settled = { delivered: 0, failed: 0, cancelled: 0, ...counts };
  let stats = attempts;
  /** Of those that were opened again and are settled since: the episode by whose end they are counted. */
  const counted = new Map<number, number>();
  /** Tried before, by what a former delivery wrote down; what their ledger says is not read yet. */
  const unread = new Set<number>();
  let underWay = 0;
  let trouble: Error | undefined;

  /** Puts a notice where its ledger says that it belongs. */
  function place({ notice, record }: InFlightDelivery, isNew: boolean): void {
    const { sequence, about: subject } = notice;
    const delivery = foldDelivery(record, endpoint.target.policy);
    if (isSettled(delivery)) {
      settled[delivery.state] += 1;
      if (isNew || record.reopenings.length > 0) counted.set(sequence, episodeOf(record));
      window.settled(sequence);
      if (!isNew) lanes.settled(sequence);
      return;
    }
    const first = record.attempts.find((attempt) => attempt.episode === episodeOf(record));
    const when = {
      dueAt: 'dueAt' in delivery ? Date.parse(delivery.dueAt) : Infinity, // held for people
      ...(first && { blockedSince: Date.parse(first.startedAt) }),
    };
    if (isNew) lanes.add({ sequence, subject, ...when });
    else lanes.later(sequence, when);
  }

  /** @returns whether its turn has come, by its ledger */
  async function isDue(traveller: InFlightDelivery): Promise<boolean> {
    await delivering.reload(
      { subscription: endpoint.target.subscription, sequence: traveller.notice.sequence },
      traveller,
    );
    const delivery = foldDelivery(traveller.record, endpoint.target.policy);
    return 'dueAt' in delivery && Date.parse(delivery.dueAt) <= now().getTime();
  }

  async function travel(traveller: InFlightDelivery): Promise<void> {
    const mayGo = !unread.delete(traveller.notice.sequence) || (await isDue(traveller));
    const end = mayGo ? await delivering.step(endpoint.target, traveller) : undefined;
    if (end !== undefined) {
      stats = countAttempt(stats, end);
      attempted(endpoint.target.subscription, end);
    }
    const { createdAt: mintedAt, reopenings } = traveller.record;
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
    add: (traveller: InFlightDelivery): void => place(traveller, true),
    /** One that a former delivery knew: nobody need look at it before it is due. */
    addLater(traveller: InFlightDelivery, { due, blocks }: TryAgain): void {
      const { sequence, about: subject } = traveller.notice;
      unread.add(sequence);
      lanes.add({ sequence, subject, dueAt: due * 1_000, blockedSince: blocks * 1_000 });
    },
    /**
     * One that was settled once, and counted then; since, others may have brought it to another end.
     * @param begun the first episode that was heard of since then
     */
    addAgain(traveller: InFlightDelivery, begun?: number): void {
      const { record, notice } = traveller;
      const { policy } = endpoint.target;
      const current = episodeOf(record);
      const isOver = isSettled(foldDelivery(record, policy));
      // An earlier version did not say which episode began: it was the last one.
      const known = counted.get(notice.sequence) ?? (begun ?? (isOver ? current + 1 : current)) - 1;
      if (isOver && known === current) {
        counted.set(notice.sequence, current);
        window.settled(notice.sequence);
        return;
      }
      counted.delete(notice.sequence);
      const before = foldDelivery({ ...record, reopenings: record.reopenings.slice(0, known) }, policy);
      if (isSettled(before)) settled[before.state] -= 1;
      place(traveller, true);
    },
    /** The ledger of a notice that is loaded says something new. */
    changed(traveller: InFlightDelivery): void {
      unread.delete(traveller.notice.sequence);
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
    isHeld: (sequence: number): boolean => lanes.find(sequence)?.dueAt === Infinity,
    /** When one is due that was tried before. */
    again(sequence: number): TryAgain | undefined {
      const { dueAt = Infinity, blockedSince } = lanes.find(sequence) ?? {};
      if (blockedSince === undefined || dueAt === Infinity) return undefined;
      return { due: Math.ceil(dueAt / 1_000), blocks: Math.ceil(blockedSince / 1_000) };
    },
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

export type Dispatcher = ReturnType<typeof createDispatcher>;

const episodeOf = ({ reopenings }: DeliveryRecord): number => reopenings.at(-1)?.episode ?? 0;

function maxBlockMs({ ordering }: SubscriptionSpec): number {
  return ordering.max_block === 'wait' ? Infinity : (parseDuration(ordering.max_block) ?? Infinity);
}
