import type { Span } from '../../notifications/kinds/feed-consumer.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { deliveryPolicyOf, deliveryRecordOf, foldDelivery, isSettled } from '../../notifications/delivery/delivery.js';
import type { Notifications } from './subscription-access.js';

export interface FeedSettlementOptions {
  outbox: Outbox;
  ledger: AttemptLedger;
  progress: SubscriptionProgressStore;
  interventions: OperatorActions;
  notifications: Notifications;
  now?: () => Date;
}

const AT_ONCE = 50;

/** Settles the push deliveries of events that were read from the feed, and wakes the worker of the subscription. */
export function createFeedSettlement(options: FeedSettlementOptions) {
  const { outbox, ledger, progress, interventions, notifications, now = () => new Date() } = options;

  async function settleOne(subscription: Subscription, { event, block }: OutboxEntry, actor: string): Promise<boolean> {
    const key = { subscription: subscription.id, sequence: event.sequence };
    const facts = await ledger.read(key);
    const record = deliveryRecordOf({ event, block }, facts);
    if (isSettled(foldDelivery(record, deliveryPolicyOf(subscription)))) return false;
    const at = now().toISOString();
    await ledger.settle(key, { episode: facts.reopenings.length, state: 'delivered', by: 'feed', at, actor });
    return true;
  }

  return async (subscription: Subscription, spans: readonly Span[], actor: string): Promise<void> => {
    const { id, spec } = subscription;
    const isPushed = spec.mode === 'push';
    const known = isPushed ? await progress.get(id) : undefined;
    const open = new Set(known?.open.map(({ sequence }) => sequence));
    const isOpen = (sequence: number) => known === undefined || sequence > known.loadedThrough || open.has(sequence);
    const settled: number[] = [];
    let batch: OutboxEntry[] = [];
    const flush = async (): Promise<void> => {
      const done = await Promise.all(batch.map((entry) => settleOne(subscription, entry, actor)));
      batch.forEach(({ event }, index) => done[index] && settled.push(event.sequence));
      batch = [];
    };
    for (const { from, to } of spans) {
      for await (const entry of outbox.walk(id, from, 'up')) {
        if (entry.event.sequence > to) break;
        if (isOpen(entry.event.sequence)) batch.push(entry);
        if (batch.length >= AT_ONCE) await flush();
      }
    }
    await flush();
    if (settled.length === 0 || !isPushed) return;
    await interventions.add(id, settled, { after: known?.interventions ?? 0 });
    await notifications.wake(id);
  };
}
