import type { FeedConsumer } from '../../notifications/kinds/feed-consumer.js';
import { lastOf, type OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import { deliveryPolicyOf, foldDelivery, isSettled } from '../../notifications/delivery/delivery.js';
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

/** Of one subscription in one round. */
const MOST_BLOCKS = 200;
/** Notices of one subscription that wait for people while what was made with them is gone. */
const MOST_KEPT = 1_000;

/**
 * Lets go of notices that were settled before a time, from the oldest on: the first that is on its way stays, and so does
 * what comes behind it; one that waits for people stays alone. What is only pulled goes by the time when it was made. The
 * newest block stays: it says how far the streams were read.
 */
export function createNotificationUpkeep(options: NotificationUpkeepOptions) {
  const { subscriptions, consumers, outbox, ledger, progress, interventions, recoveries } = options;

  async function readDelivery(subscription: Subscription, { event: notice, block }: OutboxEntry, before: string) {
    const facts = await ledger.read({ subscription: subscription.id, sequence: notice.sequence });
    const record = { deliveryId: notice.id, createdAt: block.at, ...facts };
    const delivery = foldDelivery(record, deliveryPolicyOf(subscription));
    return { delivery, isOld: timelineOf(record, delivery).every(({ at }) => at < before) };
  }

  const isOver = ({ spec, status }: Subscription): boolean => spec.mode === 'pull' || status.state === 'removed';

  /** @returns what of an old block waits for people and must stay; undefined: all of it must */
  async function whatStays(subscription: Subscription, block: OutboxBlock, before: string) {
    if (block.at >= before) return undefined;
    if (isOver(subscription)) return [];
    const known = await progress.get(subscription.id);
    if (known === undefined || block.block > known.loadedBlock) return undefined;
    if (known.open.some((open) => open.block === block.block && open.held !== true)) return undefined;
    const staying: OutboxEntry[] = [];
    for (const notice of block.notices) {
      const { delivery, isOld } = await readDelivery(subscription, { event: notice, block }, before);
      if (!isOld || !(isSettled(delivery) || delivery.state === 'held')) return undefined;
      if (delivery.state === 'held') staying.push({ event: notice, block });
    }
    return staying;
  }

  /** What stayed alone goes when people have decided about it, and that is long ago too. */
  async function purgeKept(subscription: Subscription, before: string): Promise<number> {
    const { id } = subscription;
    const { sequence: from } = await outbox.retained(id);
    let left = 0;
    for (const sequence of await outbox.kept(id)) {
      const minted = sequence < from ? await outbox.find(id, sequence) : undefined;
      const found = minted && !isOver(subscription) ? await readDelivery(subscription, minted, before) : undefined;
      const stays = found !== undefined && !(found.isOld && isSettled(found.delivery));
      left += stays || sequence >= from ? 1 : 0;
      if (stays || sequence >= from) continue;
      await ledger.remove({ subscription: id, sequence });
      await outbox.removeKept(id, sequence);
    }
    return left;
  }

  async function purgeOne(subscription: Subscription, before: string): Promise<number> {
    const { id } = subscription;
    const known = await progress.get(id);
    await interventions.purge(id, { before: known?.interventions ?? 0, olderThan: before });
    // The newest that was begun stays: it tells what comes next.
    await recoveries.purge(id, { before: known?.recovery?.number ?? 0, olderThan: before });
    let kept = await purgeKept(subscription, before);
    let first = await outbox.retained(id);
    for (let looked = 0; looked < MOST_BLOCKS; looked += 1) {
      const block = await outbox.read(id, first.block);
      const isNewest = block === undefined || (await outbox.read(id, first.block + 1)) === undefined;
      const staying = isNewest ? undefined : await whatStays(subscription, block, before);
      if (isNewest || staying === undefined || kept + staying.length > MOST_KEPT) break;
      if (staying.length > 0) await outbox.keep(id, staying);
      kept += staying.length;
      first = { block: block.block + 1, sequence: lastOf(block) + 1 };
    }
    return outbox.removeBefore(id, first, async ({ notices }) => {
      const staying = new Set(await outbox.kept(id));
      for (const { sequence } of notices) {
        if (!staying.has(sequence)) await ledger.remove({ subscription: id, sequence });
      }
    });
  }

  return {
    /** @returns how many blocks went */
    async purge(before: Date): Promise<number> {
      const all = await subscriptions.list();
      const removed = new Set(all.flatMap(({ id, status }) => (status.state === 'removed' ? [id] : [])));
      for (const { id } of await consumers.list()) {
        if (removed.has(id.slice(0, id.indexOf('/')))) await consumers.remove(id);
      }
      let count = 0;
      for (const subscription of all) count += await purgeOne(subscription, before.toISOString());
      return count;
    },
  };
}
