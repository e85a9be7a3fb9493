import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { sealHeaders } from '../../notifications/delivery/sealed-headers.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { requireTag } from '../http/etag.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext } from '../reference/state.js';
import { mayReadSubscription, unreadable } from './stream-scopes.js';
import { subscriptionTag, toSubscription } from './subscription-resource.js';

/** The workflows that dispatch deliveries. */
export interface Notifications {
  /** Wakes the worker of a subscription. Never fails: the next wake-up finds the same events. */
  wake(subscriptionId: string): Promise<void>;
}

export interface SubscriptionAccessDeps {
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  notifications: Notifications;
  /** Seals the headers. */
  box: Pick<SecretBox, 'seal'>;
  now: () => Date;
}

export type SubscriptionAccess = ReturnType<typeof createSubscriptionAccess>;

/** Reads, changes and sends the subscription that a request names. */
export function createSubscriptionAccess(deps: SubscriptionAccessDeps) {
  const { subscriptions, progress, notifications, box, now } = deps;

  /** Loads a subscription. To a client that may not read its streams it does not exist. */
  async function load({ params, state }: ReferenceContext): Promise<Subscription> {
    const subscription = await subscriptions.get(params.id ?? '');
    if (subscription === undefined) throw unknownSubscription();
    if (!mayReadSubscription(state.client, subscription)) throw unknownSubscription(unreadable());
    return requireSubscription(subscription);
  }

  async function send(ctx: ReferenceContext, subscription: Subscription, more: object = {}): Promise<void> {
    ctx.set('ETag', subscriptionTag(subscription));
    ctx.body = { ...toSubscription(subscription, await progress.get(subscription.id)), ...more };
  }

  /** Applies a change unless the subscription changed since the caller read it (`If-Match`). */
  async function change(ctx: ReferenceContext, to: (current: Subscription) => Subscription): Promise<Subscription> {
    readQuery(ctx, []);
    const { id } = await load(ctx);
    const changed = await subscriptions.update(id, (current) => {
      requireTag(ctx, subscriptionTag(requireSubscription(current)), 'subscription');
      const changed = to(current);
      const spec = { ...changed.spec, headers: sealHeaders({ id, headers: changed.spec.headers }, box) };
      return { ...changed, spec, updatedAt: now().toISOString(), updatedBy: ctx.state.client.actor };
    });
    await notifications.wake(id);
    return changed;
  }

  /** All that are not removed. */
  const existing = async (): Promise<Subscription[]> =>
    (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');

  return { load, send, change, existing };
}

/** @throws subscription.not_found for one that is removed */
export function requireSubscription(subscription: Subscription): Subscription {
  if (subscription.status.state === 'removed') throw unknownSubscription();
  return subscription;
}

const unknownSubscription = (cause?: SlipwayError) =>
  new SlipwayError('subscription.not_found', 'there is no such subscription', { cause });
