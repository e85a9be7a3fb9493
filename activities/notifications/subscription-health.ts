import type { Subscription, SubscriptionStatus } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

/** A summary of the deliveries of a subscription. */
export interface DeliverySummary {
  /** Set while the circuit breaker allows only single attempts. */
  failing: SubscriptionStatus['failing'];
  /** Number of deliveries that are not settled. */
  unsettled: number;
}

export interface SubscriptionHealthOptions {
  subscriptions: ResourceStore<Subscription>;
  /** Limit of deliveries that are not settled. */
  limit: number;
  now: () => Date;
}

/** Shares of the limit at which a backlog starts and ends; the distance keeps it from being reported again and again. */
const BACKLOG_START = 0.8;
const BACKLOG_END = 0.5;

/**
 * Writes the summary of deliveries to their subscription. Each change is one conditional write that emits one event, so
 * it is emitted once even if several workers see it.
 */
export function createSubscriptionHealth({ subscriptions, limit, now }: SubscriptionHealthOptions) {
  async function set(id: string, change: (status: SubscriptionStatus) => SubscriptionStatus | undefined) {
    return subscriptions.update(id, (each) => {
      const status = each.status.state === 'removed' ? undefined : change(each.status);
      return status && { ...each, status };
    });
  }

  /** @returns the subscription after the writes */
  return async function record(known: Subscription, { failing, unsettled }: DeliverySummary): Promise<Subscription> {
    let current = known;
    if ((failing === undefined) !== (current.status.failing === undefined)) {
      current = await set(known.id, ({ failing: before, ...status }) =>
        (failing === undefined) === (before === undefined) ? undefined : { ...status, ...(failing && { failing }) },
      );
    }
    const { backlog } = current.status;
    const share = unsettled / limit;
    if (backlog === undefined && share >= BACKLOG_START) {
      const found = { since: now().toISOString(), pending: unsettled };
      return set(known.id, (status) => (status.backlog === undefined ? { ...status, backlog: found } : undefined));
    }
    if (backlog !== undefined && share < BACKLOG_END) {
      return set(known.id, ({ backlog: over, ...status }) => (over === undefined ? undefined : status));
    }
    return current;
  };
}
