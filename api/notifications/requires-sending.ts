import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';

/**
 * Whoever wants something sent once more is to know that nothing is: nobody else would tell them.
 * @throws subscription.disabled
 */
export function requireNotDisabled({ status: { state, reason } }: Pick<Subscription, 'status'>): void {
  if (state !== 'disabled') return;
  const why = reason === null ? '' : `: ${reason}`;
  throw new SlipwayError('subscription.disabled', `nothing is sent until the subscription is resumed${why}`, {
    members: { reason },
  });
}
