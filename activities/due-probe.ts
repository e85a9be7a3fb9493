import type { Subscription } from '../resources/subscription.js';
import type { EntityStore } from '../stores/entities.js';
import { afterProbe, isProbeDue, type Probe } from '../webhooks/probing.js';
import type { SigningKey } from '../webhooks/signing-keys.js';

export interface DueProbeDeps {
  subscriptions: EntityStore<Subscription>;
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
