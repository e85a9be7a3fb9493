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

/** Workflows that one round starts: thousands of drains at once would hold up those that have events. */
const MOST_STARTED = 200;

/** Wakes subscriptions whose wake-up or whose workflow was lost: without one, nothing delivers their events. */
export function createSubscriptionSweep(deps: SubscriptionSweepDeps) {
  const { subscriptions, lostWakeUps, listNotified, wakeSubscription, monotonic = () => performance.now() } = deps;
  let comparedAt = -Infinity;
  /** In order. */
  let unstarted: Set<string> = new Set();

  async function wakeAgain(id: string): Promise<{ subscriptions_woken: number }> {
    unstarted.delete(id);
    await wakeSubscription(id);
    await lostWakeUps.remove(id);
    return { subscriptions_woken: 1 };
  }

  async function withoutWorkflow(): Promise<Set<string>> {
    const ids = new Set<string>();
    for (const { id, status } of await subscriptions.list()) if (status.state === 'active') ids.add(id);
    for await (const id of listNotified()) ids.delete(id);
    return new Set([...ids].sort());
  }

  return async function* sweepSubscriptions(): AsyncGenerator<LoopItem> {
    const at = monotonic();
    if (at - comparedAt >= COMPARED_EVERY_MS) {
      unstarted = await withoutWorkflow();
      comparedAt = at;
    }
    const names = new Set([...[...unstarted].slice(0, MOST_STARTED), ...(await lostWakeUps.list())]);
    // One that is not reached in this turn stays for the next.
    for (const id of [...names].sort()) yield { name: id, act: () => wakeAgain(id) };
  };
}
