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
  /** Active subscriptions whose workflow did not run when they were compared, in order. */
  let unstarted: Set<string> = new Set();

  async function wakeAgain(id: string): Promise<{ subscriptions_woken: number }> {
    unstarted.delete(id);
    await wakeSubscription(id);
    await lostWakeUps.remove(id);
    return { subscriptions_woken: 1 };
  }

  async function findActive(): Promise<Set<string>> {
    const active = (await subscriptions.list()).filter(({ status }) => status.state === 'active');
    return new Set(active.map(({ id }) => id).sort());
  }

  return async function* sweepSubscriptions(): AsyncGenerator<LoopItem> {
    const at = monotonic();
    if (at - comparedAt >= COMPARED_EVERY_MS) {
      unstarted = await findActive();
      comparedAt = at;
    }
    // Events start some of those that are left meanwhile.
    if (unstarted.size > 0) for await (const id of listNotified()) unstarted.delete(id);
    const names = new Set([...[...unstarted].slice(0, MOST_STARTED), ...(await lostWakeUps.list())]);
    // One that is not reached in this turn stays for the next.
    for (const id of [...names].sort()) yield { name: id, act: () => wakeAgain(id) };
  };
}
