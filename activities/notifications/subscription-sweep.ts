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
}

/** Wakes subscriptions whose wake-up or whose workflow was lost: without one, nothing delivers their events. */
export function createSubscriptionSweep(deps: SubscriptionSweepDeps) {
  const { subscriptions, lostWakeUps, listNotified, wakeSubscription } = deps;

  async function wakeAgain(id: string): Promise<{ subscriptions_woken: number }> {
    await wakeSubscription(id);
    await lostWakeUps.remove(id);
    return { subscriptions_woken: 1 };
  }

  return async function* sweepSubscriptions(): AsyncGenerator<LoopItem> {
    const unwoken = new Set<string>();
    for (const { id, status } of await subscriptions.list()) if (status.state === 'active') unwoken.add(id);
    for await (const id of listNotified()) unwoken.delete(id);
    for (const id of await lostWakeUps.list()) unwoken.add(id);
    for (const id of [...unwoken].sort()) yield { name: id, act: () => wakeAgain(id) };
  };
}
