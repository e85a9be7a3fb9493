import type { FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import { lastOf, type OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
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
  recoveries: Pick<Recoveries, 'purge'>;
}

/** Blocks of one subscription that are purged at once; a round repeats it until none is old. */
const MOST_BLOCKS = 200;
/** Held deliveries of one subscription that are kept after the rest of their block is purged. */
const MOST_KEPT = 1_000;

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

  /** @returns the held deliveries of an old block; undefined when the whole block has to stay */
  async function heldOf(subscription: Subscription, block: OutboxBlock, before: string) {
    if (block.at >= before) return undefined;
    if (isOver(subscription)) return [];
    const known = await progress.get(subscription.id);
    if (known === undefined || block.block > known.loadedBlock) return undefined;
    if (known.open.some((open) => open.block === block.block && open.held !== true)) return undefined;
    const held: OutboxEntry[] = [];
    for (const notice of block.notices) {
      const { delivery, isOld } = await readDelivery(subscription, { event: notice, block }, before);
      if (!isOld || !(isSettled(delivery) || delivery.state === 'held')) return undefined;
      if (delivery.state === 'held') held.push({ event: notice, block });
    }
    return held;
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
      await ledger.remove({ subscription: id, sequence });
      await outbox.removeKept(id, sequence);
    }
    return left;
  }

  /** @returns how many blocks were purged, and whether there may be more of them */
  async function purgeOne(subscription: Subscription, before: string): Promise<{ purged: number; more: boolean }> {
    const { id } = subscription;
    const known = await progress.get(id);
    await interventions.purge(id, { before: known?.interventions ?? 0, olderThan: before });
    // The newest recovery that was started stays: its number decides the next one.
    await recoveries.purge(id, { before: known?.recovery?.number ?? 0, olderThan: before });
    let kept = await purgeKept(subscription, before);
    let first = await outbox.retained(id);
    let count = 0;
    for (; count < MOST_BLOCKS; count += 1) {
      const block = await outbox.read(id, first.block);
      const isNewest = block === undefined || (await outbox.read(id, first.block + 1)) === undefined;
      const held = isNewest ? undefined : await heldOf(subscription, block, before);
      if (isNewest || held === undefined || kept + held.length > MOST_KEPT) break;
      if (held.length > 0) await outbox.keep(id, held);
      kept += held.length;
      first = { block: block.block + 1, sequence: lastOf(block) + 1 };
    }
    const purged = await outbox.removeBefore(id, first, async ({ notices }) => {
      const keptSequences = new Set(await outbox.kept(id));
      for (const { sequence } of notices) {
        if (!keptSequences.has(sequence)) await ledger.remove({ subscription: id, sequence });
      }
    });
    return { purged, more: count === MOST_BLOCKS };
  }

  return {
    /** Removes the consumers of the feeds of removed subscriptions. */
    async *staleConsumers(): AsyncGenerator<LoopItem> {
      const removed = new Set(
        (await subscriptions.list()).flatMap(({ id, status }) => (status.state === 'removed' ? [id] : [])),
      );
      for (const { id } of await consumers.list()) {
        if (!removed.has(id.slice(0, id.indexOf('/')))) continue;
        yield { name: id, act: () => consumers.remove(id).then(() => ({ consumers_removed: 1 })) };
      }
    },
    /** Purges the deliveries of each subscription; one with much to purge comes again until it is done. */
    async *deliveries(before: Date): AsyncGenerator<LoopItem> {
      for (const subscription of await subscriptions.list()) {
        const left = { isMore: false };
        const act = async () => {
          const { purged, more } = await purgeOne(subscription, before.toISOString());
          left.isMore = more;
          return purged === 0 ? undefined : { blocks_purged: purged };
        };
        do {
          left.isMore = false; // one that fails does not come again in this round
          yield { name: subscription.id, act };
        } while (left.isMore);
      }
    },
  };
}
