import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { afterProbe, isProbeDue, type Probe } from '../../notifications/delivery/probe.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';

export interface DueProbeDeps {
  subscriptions: ResourceStore<Subscription>;
  keysOf: (subscription: Subscription) => SigningKey[];
  probe: Probe;
}

/** Looks now and then at what the receiver does. What was found counts once it is stored: until then it is asked anew. */
export function createDueProbe({ subscriptions, keysOf, probe }: DueProbeDeps) {
  return async function probeWhenDue(id: string): Promise<void> {
    const subscription = await subscriptions.get(id);
    if (subscription === undefined || !isProbeDue(subscription, new Date())) return;
    const { spec, generation } = subscription;
    const report = await probe({ id, spec, keys: keysOf(subscription) });
    await subscriptions.update(id, (each) =>
      // Settings that changed meanwhile were probed with their change.
      each.generation === generation ? { ...each, status: afterProbe(each.status, report) } : undefined,
    );
  };
}
