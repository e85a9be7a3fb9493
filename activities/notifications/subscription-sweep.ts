import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { LostWakeUps } from '../../notifications/stores/lost-wake-ups.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface SubscriptionSweepDeps {
  subscriptions: Pick<ResourceStore<Subscription>, 'list'>;
  lostWakeUps: LostWakeUps;
  /** Returns the subscriptions whose workflow is running. */
  listNotified: () => AsyncIterable<string>;
  wakeSubscription: (id: string) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  monotonic?: () => number;
}

/** A comparison reads all subscriptions; a workflow is missing only after it was terminated. */
const COMPARED_EVERY_MS = 15 * 60_000;

/** Wakes subscriptions whose wake-up or whose workflow was lost: without one, nothing delivers their events. */
export function createSubscriptionSweep(deps: SubscriptionSweepDeps) {
  const { subscriptions, lostWakeUps, listNotified, wakeSubscription, monotonic = () => performance.now() } = deps;
  let comparedAt = -Infinity;

  async function wakeAgain(id: string): Promise<{ subscriptions_woken: number }> {
    await wakeSubscription(id);
    await lostWakeUps.remove(id);
    return { subscriptions_woken: 1 };
  }

  async function withoutWorkflow(): Promise<Set<string>> {
    const ids = new Set<string>();
    for (const { id, status } of await subscriptions.list()) if (status.state === 'active') ids.add(id);
    for await (const id of listNotified()) ids.delete(id);
    return ids;
  }

  return async function* sweepSubscriptions(): AsyncGenerator<LoopItem> {
    const at = monotonic();
    const compares = at - comparedAt >= COMPARED_EVERY_MS;
    const unwoken = compares ? await withoutWorkflow() : new Set<string>();
    for (const id of await lostWakeUps.list()) unwoken.add(id);
    for (const id of [...unwoken].sort()) yield { name: id, act: () => wakeAgain(id) };
    // Only now: a round that ends before its last item goes on with these.
    if (compares) comparedAt = at;
  };
}
