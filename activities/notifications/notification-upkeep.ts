import type { FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import { lastOf, type OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { type LoopItem, untilNothingLeft } from '../../platform/kinds/loop-items.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { Retained } from '../../notifications/stores/outbox-mark.js';
import type {
  SubscriptionProgress,
  SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import { deliveryPolicyOf, deliveryRecordOf, foldDelivery, isSettled } from '../../notifications/delivery/delivery.js';
import { timelineOf } from '../../notifications/delivery/timeline.js';

export interface NotificationUpkeepOptions {
  subscriptions: ResourceStore<Subscription>;
  consumers: ResourceStore<FeedConsumer>;
  outbox: Outbox;
  ledger: AttemptLedger;
  progress: SubscriptionProgressStore;
  interventions: OperatorActions;
  recoveries: Pick<Recoveries, 'purge' | 'read'>;
}

/** Blocks, and about so many deliveries, of one subscription that are purged at once; a round repeats it until none is old. */
const MOST_BLOCKS = 500;
const MOST_DELIVERIES = 1_000;
/** Blocks that are read at once, and deliveries of each. */
const BLOCKS_AT_ONCE = 16;
const DELIVERIES_AT_ONCE = 4;
/** Held deliveries of one subscription that are kept after the rest of their block is purged. */
const MOST_KEPT = 1_000;

interface Situation {
  subscription: Subscription;
  known: SubscriptionProgress | undefined;
  /** Deliveries that were settled since then stay. */
  before: string;
  /** No operator and no recovery ever acted on a delivery of the subscription. */
  isUntouched: boolean;
  /** Sequences of the deliveries that were found to have no facts but those of their first attempt. */
  confirmed: Set<number>;
}

/**
 * Purges deliveries that were settled before a time, from the oldest on, up to the first that is in progress. A held
 * delivery is kept alone. Deliveries of mode "pull" are purged by the time of their creation. The newest block stays: it
 * holds the positions of the streams.
 */
export function createNotificationUpkeep(options: NotificationUpkeepOptions) {
  const { subscriptions, consumers, outbox, ledger, progress, interventions, recoveries } = options;

  async function readDelivery(subscription: Subscription, { event: notice, block }: OutboxEntry, before: string) {
    const facts = await ledger.read({ subscription: subscription.id, sequence: notice.sequence });
    const record = deliveryRecordOf({ event: notice, block }, facts);
    const delivery = foldDelivery(record, deliveryPolicyOf(subscription));
    return { delivery, isOld: timelineOf(record, delivery).every(({ at }) => at < before) };
  }

  const isOver = ({ spec, status }: Subscription): boolean => spec.mode === 'pull' || status.state === 'removed';

  /** @returns whether a delivery is held; undefined when it has to stay */
  async function isHeld(
    { subscription, isUntouched, before, confirmed: known }: Situation,
    entry: OutboxEntry,
  ): Promise<boolean | undefined> {
    const key = { subscription: subscription.id, sequence: entry.event.sequence, isUntouched };
    const confirmed = await ledger.readConfirmed(key);
    if (confirmed !== undefined) {
      if (confirmed.at < before) known.add(entry.event.sequence);
      return confirmed.at < before ? false : undefined;
    }
    const { delivery, isOld } = await readDelivery(subscription, entry, before);
    return isOld && (isSettled(delivery) || delivery.state === 'held') ? delivery.state === 'held' : undefined;
  }

  /** @returns the held deliveries of an old block; undefined when the whole block has to stay */
  async function heldOf(situation: Situation, block: OutboxBlock): Promise<OutboxEntry[] | undefined> {
    const { subscription, known, before } = situation;
    if (block.at >= before) return undefined;
    if (isOver(subscription)) return [];
    if (known === undefined || block.block > known.loadedBlock) return undefined;
    if (known.open.some((open) => open.block === block.block && open.held !== true)) return undefined;
    const entries = block.notices.map((event) => ({ event, block }));
    const held = await mapSome(entries, DELIVERIES_AT_ONCE, (entry) => isHeld(situation, entry));
    return held.includes(undefined) ? undefined : entries.filter((_, index) => held[index] === true);
  }

  /** @returns the blocks from a number on that are not the newest, with the held deliveries of each */
  async function readBlocks(situation: Situation, from: number) {
    const { id } = situation.subscription;
    const numbers = Array.from({ length: BLOCKS_AT_ONCE + 1 }, (_, index) => from + index);
    const found = await Promise.all(numbers.map((number) => outbox.read(id, number)));
    const blocks = found.flatMap((block, index) => (block && found[index + 1] ? [block] : []));
    return Promise.all(blocks.map(async (block) => ({ block, held: await heldOf(situation, block) })));
  }

  /** Finds the first block that stays, and keeps the held deliveries of the blocks before it. */
  async function advance(situation: Situation, alreadyKept: number): Promise<Retained> {
    const { id } = situation.subscription;
    const begin = await outbox.retained(id);
    let first = begin;
    let kept = alreadyKept;
    while (first.block - begin.block < MOST_BLOCKS && first.sequence - begin.sequence < MOST_DELIVERIES) {
      const blocks = await readBlocks(situation, first.block);
      if (blocks.length === 0) break;
      for (const { block, held } of blocks) {
        if (held === undefined || kept + held.length > MOST_KEPT) return first;
        if (held.length > 0) await outbox.keep(id, held);
        kept += held.length;
        first = { block: block.block + 1, sequence: lastOf(block) + 1 };
      }
    }
    return first;
  }

  /** Purges kept deliveries that an operator settled before the time. @returns how many are left */
  async function purgeKept(subscription: Subscription, before: string): Promise<number> {
    const { id } = subscription;
    const { sequence: from } = await outbox.retained(id);
    let left = 0;
    for (const sequence of await outbox.kept(id)) {
      const entry = sequence < from ? await outbox.find(id, sequence) : undefined;
      const found = entry && !isOver(subscription) ? await readDelivery(subscription, entry, before) : undefined;
      const isKept = found !== undefined && !(found.isOld && isSettled(found.delivery));
      left += isKept || sequence >= from ? 1 : 0;
      if (isKept || sequence >= from) continue;
      await ledger.removeAll([{ subscription: id, sequence }]);
      await outbox.removeKept(id, sequence);
    }
    return left;
  }

  /** Actions and recoveries are logged before they change the ledger. */
  async function wasNeverTouched(id: string, known: SubscriptionProgress | undefined): Promise<boolean> {
    if (known === undefined || known.interventions > 0 || known.recovery !== undefined) return false;
    const [{ position }, recovery] = await Promise.all([interventions.read(id, 0), recoveries.read(id, 1)]);
    return position === 0 && recovery === undefined;
  }

  /** @returns how many blocks were purged */
  async function purgeOne(subscription: Subscription, before: string): Promise<number> {
    const { id } = subscription;
    const known = await progress.get(id);
    await interventions.purge(id, { before: known?.interventions ?? 0, olderThan: before });
    // The newest recovery that was started stays: its number decides the next one.
    await recoveries.purge(id, { before: known?.recovery?.number ?? 0, olderThan: before });
    const isUntouched = await wasNeverTouched(id, known);
    const confirmed = new Set<number>();
    const situation = { subscription, known, before, isUntouched, confirmed };
    const first = await advance(situation, await purgeKept(subscription, before));
    return outbox.removeBefore(id, first, async (blocks) => {
      const kept = new Set(await outbox.kept(id));
      const sequences = blocks.flatMap(({ notices }) => notices.map(({ sequence }) => sequence));
      const gone = sequences.filter((sequence) => !kept.has(sequence));
      await ledger.removeAll(
        gone.map((sequence) => ({ subscription: id, sequence, isConfirmed: confirmed.has(sequence), isUntouched })),
      );
    });
  }

  return {
    /** Removes the consumers of the feeds of removed subscriptions. */
    async *staleConsumers(): AsyncGenerator<LoopItem> {
      const all = await consumers.list();
      if (all.length === 0) return;
      const removed = new Set(
        (await subscriptions.list()).flatMap(({ id, status }) => (status.state === 'removed' ? [id] : [])),
      );
      for (const { id } of all) {
        if (!removed.has(id.slice(0, id.indexOf('/')))) continue;
        yield { name: id, act: () => consumers.remove(id).then(() => ({ consumers_removed: 1 })) };
      }
    },
    /** Purges the deliveries of each subscription; one with much to purge comes again until it is done. */
    async *deliveries(before: Date): AsyncGenerator<LoopItem> {
      const begun = new Set<string>();
      for await (const [id] of progress.all()) begun.add(id);
      for (const subscription of await subscriptions.list()) {
        // One that never had an event has nothing to purge.
        if (!begun.has(subscription.id) && !isOver(subscription)) continue;
        yield* untilNothingLeft(subscription.id, 'blocks_purged', () => purgeOne(subscription, before.toISOString()));
      }
    },
  };
}
