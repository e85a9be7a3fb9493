import type { Subscription } from '../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../platform/kinds/errors.js';

/**
 * Refuses to change a subscription that a pipeline maintains: the next repair would undo the change.
 * @throws subscription.owned
 */
export function requireUnowned({ status: { owner } }: Pick<Subscription, 'status'>): void {
  if (owner === undefined) return;
  const message = `pipeline "${owner.pipeline}" owns the subscription: change notify of the pipeline instead`;
  throw new SlipwayError('subscription.owned', message);
}
