import type { Subscription, SubscriptionStatus } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

/** What its deliveries have come to. */
export interface DeliverySummary {
  /** Set while the endpoint is left alone between single attempts. */
  failing: SubscriptionStatus['failing'];
  /** Notices that are not settled. */
  unsettled: number;
}

export interface SubscriptionHealthOptions {
  subscriptions: ResourceStore<Subscription>;
  /** How many notices may wait. */
  limit: number;
  now: () => Date;
}

const TOLD_AT = 0.8;
/** It is told again only after it was well below. */
const OVER_AT = 0.5;

/**
 * Writes what deliveries have come to into their subscription. Each change is a write of its own, and an event with it: so
 * it is told once, whoever saw it and however often.
 */
export function createSubscriptionHealth({ subscriptions, limit, now }: SubscriptionHealthOptions) {
  async function set(id: string, change: (status: SubscriptionStatus) => SubscriptionStatus | undefined) {
    return subscriptions.update(id, (each) => {
      const status = each.status.state === 'removed' ? undefined : change(each.status);
      return status && { ...each, status };
    });
  }

  /** @returns the subscription as it stands then */
  return async function record(known: Subscription, { failing, unsettled }: DeliverySummary): Promise<Subscription> {
    let current = known;
    if ((failing === undefined) !== (current.status.failing === undefined)) {
      current = await set(known.id, ({ failing: before, ...status }) =>
        (failing === undefined) === (before === undefined) ? undefined : { ...status, ...(failing && { failing }) },
      );
    }
    const { backlog } = current.status;
    const share = unsettled / limit;
    if (backlog === undefined && share >= TOLD_AT) {
      const found = { since: now().toISOString(), pending: unsettled };
      return set(known.id, (status) => (status.backlog === undefined ? { ...status, backlog: found } : undefined));
    }
    if (backlog !== undefined && share < OVER_AT) {
      return set(known.id, ({ backlog: over, ...status }) => (over === undefined ? undefined : status));
    }
    return current;
  };
}
