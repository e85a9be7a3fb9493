import type { Subscription } from '../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface DrainFaultsOptions {
  subscriptions: Pick<ResourceStore<Subscription>, 'update'>;
  now?: () => Date;
  /** Called with each drain that ended with an error that no store explains. */
  onDrainFault?: (fault: { subscription: string; err: unknown }) => void;
}

/**
 * Shows on a subscription that its drains end with an unexpected error: Temporal repeats them, and no other signal tells
 * that nothing is sent.
 */
export function createDrainFaults({
  subscriptions,
  now = () => new Date(),
  onDrainFault = () => {},
}: DrainFaultsOptions) {
  const set = (id: string, change: (fault: Subscription['status']['fault']) => Subscription['status']['fault']) =>
    subscriptions.update(id, (each) => {
      const { fault, ...status } = each.status;
      const next = change(fault);
      return next === fault ? undefined : { ...each, status: { ...status, ...(next && { fault: next }) } };
    });

  return {
    /** Keeps the time of the first of several faults. */
    async failed(id: string, err: unknown): Promise<void> {
      if (err instanceof SlipwayError && err.retryable && err.code !== 'internal') return;
      onDrainFault({ subscription: id, err });
      const reason = `unexpected error: ${err instanceof Error ? err.name : 'error'}`;
      await set(id, (fault) =>
        fault?.reason === reason ? fault : { since: fault?.since ?? now().toISOString(), reason },
      );
    },
    passed: (id: string) => set(id, () => undefined),
  };
}
