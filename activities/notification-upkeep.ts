import type { FeedConsumer } from '../resources/feed-consumer.js';
import { lastOf, type OutboxBlock } from '../resources/notice.js';
import type { Subscription } from '../resources/subscription.js';
import type { AttemptLedger } from '../stores/attempts.js';
import type { EntityStore } from '../stores/entities.js';
import type { Interventions } from '../stores/interventions.js';
import type { Outbox } from '../stores/outbox.js';
import type { ProgressStore } from '../stores/progress.js';
import type { Recoveries } from '../stores/recoveries.js';
import { deliveryPolicyOf, foldDelivery, isSettled } from '../webhooks/delivery.js';
import { timelineOf } from '../webhooks/timeline.js';

export interface NotificationUpkeepOptions {
  subscriptions: EntityStore<Subscription>;
  consumers: EntityStore<FeedConsumer>;
  outbox: Outbox;
  ledger: AttemptLedger;
  progress: ProgressStore;
  interventions: Interventions;
  recoveries: Pick<Recoveries, 'purge'>;
}

/** Of one subscription in one round. */
const MOST_BLOCKS = 200;

/**
 * Lets go of notices that were settled before a time, from the oldest on: the first that is not settled stays, and so does
 * what comes behind it. What is only pulled goes by the time when it was made. The newest block stays: it says how far the
 * streams were read.
 */
export function createNotificationUpkeep(options: NotificationUpkeepOptions) {
  const { subscriptions, consumers, outbox, ledger, progress, interventions, recoveries } = options;

  async function isOver(subscription: Subscription, block: OutboxBlock, before: string): Promise<boolean> {
    if (block.at >= before) return false;
    if (subscription.spec.mode === 'pull' || subscription.status.state === 'removed') return true;
    const known = await progress.get(subscription.id);
    if (known === undefined || block.block > known.loadedBlock) return false;
    if (known.open.some((open) => open.block === block.block)) return false;
    for (const { id: noticeId, sequence } of block.notices) {
      const facts = await ledger.read({ subscription: subscription.id, sequence });
      const record = { noticeId, mintedAt: block.at, ...facts };
      const delivery = foldDelivery(record, deliveryPolicyOf(subscription));
      if (!isSettled(delivery) || timelineOf(record, delivery).some(({ at }) => at >= before)) return false;
    }
    return true;
  }

  async function purgeOne(subscription: Subscription, before: string): Promise<number> {
    const { id } = subscription;
    const known = await progress.get(id);
    await interventions.purge(id, { before: known?.interventions ?? 0, olderThan: before });
    // The newest that was begun stays: it tells what comes next.
    await recoveries.purge(id, { before: known?.recovery?.number ?? 0, olderThan: before });
    let first = await outbox.retained(id);
    for (let looked = 0; looked < MOST_BLOCKS; looked += 1) {
      const block = await outbox.read(id, first.block);
      const isNewest = block === undefined || (await outbox.read(id, first.block + 1)) === undefined;
      if (isNewest || !(await isOver(subscription, block, before))) break;
      first = { block: block.block + 1, sequence: lastOf(block) + 1 };
    }
    return outbox.removeBefore(id, first, async ({ notices }) => {
      for (const { sequence } of notices) await ledger.remove({ subscription: id, sequence });
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
