import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { afterProbe, isProbeDue, type Probe } from '../../notifications/delivery/probe.js';
import type { HeadersOf } from '../../notifications/delivery/sealed-headers.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';

export interface DueProbeDeps {
  subscriptions: ResourceStore<Subscription>;
  keysOf: (subscription: Subscription) => SigningKey[];
  headersOf: HeadersOf;
  probe: Probe;
}

/** Probes the receiver of a subscription at intervals. A report counts once it is stored: until then the probe is repeated. */
export function createDueProbe({ subscriptions, keysOf, headersOf, probe }: DueProbeDeps) {
  return async function probeWhenDue(id: string): Promise<void> {
    const subscription = await subscriptions.get(id);
    if (subscription === undefined || !isProbeDue(subscription, new Date())) return;
    const { spec, generation } = subscription;
    const report = await probe({ id, spec: { ...spec, headers: headersOf(subscription) }, keys: keysOf(subscription) });
    await subscriptions.update(id, (each) =>
      // The API probes changed settings itself.
      each.generation === generation ? { ...each, status: afterProbe(each.status, report) } : undefined,
    );
  };
}
