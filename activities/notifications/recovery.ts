import { foldDelivery, deliveryPolicyOf, isSettled } from '../../notifications/delivery/delivery.js';
import { createPace, type Pace } from '../../notifications/delivery/pace.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Recovery, RecoveryPosition } from '../../notifications/kinds/recovery.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import { createRecoveryMatcher } from './recovery-matcher.js';

export interface RecoveryRunnerOptions {
  subscription: Subscription;
  outbox: Outbox;
  ledger: AttemptLedger;
  recoveries: Recoveries;
  /** Where a former drain was. */
  from: RecoveryPosition | undefined;
  /** Takes a notice to those that are to be sent; `episode` is the one that the order began. */
  bringBack: (sequence: number, episode: number) => Promise<void>;
  /** Whether one more fits in. */
  hasRoom: () => boolean;
  now: () => Date;
}

/** Carries out orders to send notices once more, beside the sending. */
export interface RecoveryRunner {
  /** Stored with the progress. */
  readonly place: RecoveryPosition | undefined;
  /** Looks for the next order. */
  refresh(): Promise<void>;
  /** Goes on for a bit. @returns whether it came further */
  step(): Promise<boolean>;
  /** Whether an order has come past a notice, by what a former drain wrote down and by this one. */
  hasPassed(order: number, sequence: number): boolean;
  /** When it could come further; `Infinity` when nothing is ordered or there is no room. Milliseconds. */
  nextAt(): number;
}

interface Current {
  recovery: Recovery;
  isMeant: (notice: OutboxEvent) => boolean;
  pace: Pace;
}

const AT_ONCE = 50;

export function createRecoveryRunner(options: RecoveryRunnerOptions): RecoveryRunner {
  const { subscription, outbox, ledger, recoveries, bringBack, hasRoom, now } = options;
  const { id } = subscription;
  let place = options.from;
  let current: Current | undefined;

  async function refresh(): Promise<void> {
    if (current !== undefined) return;
    const number = place === undefined ? 1 : place.done ? place.number + 1 : place.number;
    const recovery = await recoveries.read(id, number);
    if (recovery === undefined) return;
    if (place?.number !== number) {
      place = { number, next: recovery.first, examined: 0, matched: 0, reopened: 0, done: false };
    }
    const isMeant = createRecoveryMatcher(recovery.spec, subscription);
    current = { recovery, isMeant, pace: createPace(recovery.spec.per_second, { since: place.openedAt }) };
  }

  async function read({ event: notice, block }: OutboxEntry) {
    const facts = await ledger.read({ subscription: id, sequence: notice.sequence });
    const record = { deliveryId: notice.id, createdAt: block.at, ...facts };
    return { sequence: notice.sequence, facts, delivery: foldDelivery(record, deliveryPolicyOf(subscription)) };
  }

  /** @returns false when it must wait: the notice is looked at again */
  async function treat(
    { sequence, facts, delivery }: Awaited<ReturnType<typeof read>>,
    { recovery, pace }: Current,
    at: RecoveryPosition,
  ) {
    const { kind, spec, actor } = recovery;
    const { number: order } = at;
    const begun = facts.reopenings.find((each) => each.order === order);
    if (begun !== undefined) {
      // Whoever opened it again did not come to write down how far it was.
      at.matched += 1;
      at.reopened += 1;
      await bringBack(sequence, begun.episode); // also one that is settled since: it is counted anew
      return true;
    }
    const isMeant = kind === 'replay' || delivery.state === 'failed';
    const canGo = isSettled(delivery) || delivery.state === 'held';
    if (isMeant && canGo && !spec.dry_run) {
      const time = now();
      if (!hasRoom() || pace.nextAt() > time.getTime()) return false;
      pace.started(time.getTime());
      at.openedAt = time.getTime();
      const episode = facts.reopenings.length + 1;
      await ledger.reopen({ subscription: id, sequence }, { episode, at: time.toISOString(), actor, order });
      await bringBack(sequence, episode);
    }
    if (isMeant) at.matched += 1;
    if (isMeant && canGo && !spec.dry_run) at.reopened += 1;
    return true;
  }

  async function nextOnes({ recovery, isMeant }: Current, from: number) {
    const meant: OutboxEntry[] = [];
    let last = from - 1;
    if (from > recovery.last) return { meant, last };
    for await (const minted of outbox.walk(id, from, 'up')) {
      last = minted.event.sequence;
      if (isMeant(minted.event)) meant.push(minted);
      if (last === recovery.last || last - from + 1 >= 10 * AT_ONCE || meant.length === AT_ONCE) break;
    }
    return { meant, last };
  }

  return {
    get place() {
      return place;
    },
    refresh,
    async step() {
      const here = place;
      if (current === undefined || here === undefined || here.done) return false;
      const { meant, last } = await nextOnes(current, here.next);
      if (last < here.next) {
        const { examined, matched, reopened } = here;
        await recoveries.end(id, here.number, { examined, matched, reopened, at: now().toISOString() });
        place = { ...here, done: true };
        current = undefined;
        await refresh();
        return true;
      }
      const at = { ...here };
      for (const one of await Promise.all(meant.map(read))) {
        if (!(await treat(one, current, at))) {
          place = { ...at, examined: at.examined + one.sequence - at.next, next: one.sequence };
          return one.sequence > here.next;
        }
      }
      place = { ...at, examined: at.examined + last - at.next + 1, next: last + 1 };
      return true;
    },
    hasPassed: (order, sequence) =>
      place !== undefined &&
      (order < place.number || (order === place.number && (place.done || sequence < place.next))),
    nextAt: () => (current === undefined || !hasRoom() ? Infinity : Math.max(now().getTime(), current.pace.nextAt())),
  };
}
