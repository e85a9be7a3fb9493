import type { Subscription } from '../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ReferenceContext } from '../reference/state.js';

/** The pipeline that maintains a subscription, or else the caller who created it. */
export const ownerOf = ({ status: { owner }, createdBy }: Pick<Subscription, 'status' | 'createdBy'>): string =>
  owner === undefined ? createdBy : `pipeline/${owner.pipeline}`;

type Request = Pick<ReferenceContext, 'state'>;

/**
 * Refuses an API key that did not create the subscription: a key belongs to one application, which must not redirect, stop or
 * drop the events of another.
 * @throws subscription.not_owner
 */
export function requireOwnKey({ state: { client } }: Request, { createdBy }: Subscription): void {
  if (!client.actor.startsWith('key:') || client.actor === createdBy) return;
  const message = `"${createdBy}" owns the subscription, and an API key changes only its own: use a token`;
  throw new SlipwayError('subscription.not_owner', message);
}

/**
 * Refuses a change of settings or secrets also where a pipeline maintains the subscription: its next repair would undo it.
 * @throws subscription.owned, subscription.not_owner
 */
export function requireOwner(request: Request, subscription: Subscription): void {
  const { owner } = subscription.status;
  if (owner !== undefined) {
    const message = `pipeline "${owner.pipeline}" owns the subscription: change notify of the pipeline instead`;
    throw new SlipwayError('subscription.owned', message);
  }
  requireOwnKey(request, subscription);
}
