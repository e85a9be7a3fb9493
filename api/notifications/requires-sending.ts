import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';

/**
 * Refuses an operator action that would have no effect while the subscription is disabled.
 * @throws subscription.disabled
 */
export function requireNotDisabled({ status: { state, reason } }: Pick<Subscription, 'status'>): void {
  if (state !== 'disabled') return;
  const why = reason === null ? '' : `: ${reason}`;
  throw new SlipwayError('subscription.disabled', `the subscription is disabled${why}: resume it first`, {
    members: { reason },
  });
}
