import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { afterContradiction } from '../../notifications/delivery/probe.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface SubscriptionUpdatesOptions {
  subscriptions: Pick<ResourceStore<Subscription>, 'update'>;
  id: string;
  now: () => Date;
}

/** Writes the conclusions of a dispatcher about its receiver to the subscription. Each update returns the new one. */
export function createSubscriptionUpdates({ subscriptions, id, now }: SubscriptionUpdatesOptions) {
  return {
    disable: (reason: string): Promise<Subscription> =>
      subscriptions.update(id, (each) =>
        each.status.state === 'active' ? { ...each, status: { ...each.status, state: 'disabled', reason } } : undefined,
      ),
    /** Withdraws the level of a receiver that reported an event as new a second time. */
    contradict(event: OutboxEvent): Promise<Subscription> {
      const received = 'webhook-receipt: new, a second time';
      const step = { sent: `POST of ${event.id}`, expected: 'webhook-receipt: duplicate', received, ok: false };
      return subscriptions.update(id, (each) =>
        each.status.level === 'L0'
          ? undefined
          : { ...each, status: afterContradiction(each.status, step, now().toISOString()) },
      );
    },
  };
}
