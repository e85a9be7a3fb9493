import { mergePatch } from '../../reference/rows/merge-patch.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { ProbeReport } from '../../notifications/kinds/probe.js';
import {
  MOST_SUBSCRIPTIONS,
  type Subscription,
  type SubscriptionSpec,
  type SubscriptionStatus,
} from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { afterProbe, type Probe, probeFailureReason } from '../../notifications/delivery/probe.js';
import { readJson } from '../http/exact-json.js';
import type { FeedSource } from './feed-page.js';
import { drawId, insertOnce } from '../http/idempotent-creation.js';
import { newResourceFields } from './new-resource.js';
import { requireTag } from '../http/etag.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { acceptSubscription, type SubscriptionChecks } from './subscription-checks.js';
import { createSubscriptionKeys } from './subscription-keys.js';
import { requireUnowned } from './subscription-owner.js';
import { subscriptionTag, toSubscription } from './subscription-resource.js';

/** The workflows that dispatch deliveries. */
export interface Notifications {
  /** Wakes the worker of a subscription. Never fails: the next wake-up finds the same events. */
  wake(subscriptionId: string): Promise<void>;
}

export interface SubscriptionRoutesOptions extends SubscriptionChecks {
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  notifications: Notifications;
  /** Writes new events to the outbox, by the settings in force. */
  feed: Pick<FeedSource, 'fanOut'>;
  /** Activates the current settings after the position of the earlier ones. @returns these positions */
  activateSettings: (subscription: Subscription, read?: SourcePositions) => Promise<SourcePositions>;
  box: SecretBox;
  reservedIds: ReservedIds;
  probe: Probe;
  mostSubscriptions?: number;
  now?: () => Date;
}

const LIMIT_BYTES = 64 * 1_024;
/** `/v2/subscriptions`: the subscriptions. A secret is shown once, at its creation. */
export function createSubscriptionRoutes(options: SubscriptionRoutesOptions) {
  const { subscriptions, progress, notifications, feed, activateSettings, box, reservedIds, probe } = options;
  const { mostSubscriptions = MOST_SUBSCRIPTIONS, now = () => new Date() } = options;

  async function load({ params }: ReferenceContext): Promise<Subscription> {
    const subscription = await subscriptions.get(params.id ?? '');
    if (subscription === undefined || subscription.status.state === 'removed') throw unknown();
    return subscription;
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
      if (current.status.state === 'removed') throw unknown();
      requireTag(ctx, subscriptionTag(current), 'subscription');
      return { ...to(current), updatedAt: now().toISOString(), updatedBy: ctx.state.client.actor };
    });
    await notifications.wake(id);
    return changed;
  }

  const keys = createSubscriptionKeys({ box, load, change, send, now });

  /** Probes the receiver with the keys that sign now. */
  const ask = ({
    id,
    spec,
    status,
  }: Pick<Subscription, 'id' | 'spec'> & { status: Pick<SubscriptionStatus, 'keys'> }) =>
    probe({ id, spec, keys: keys.signing(status.keys) });

  async function requireRoom(): Promise<void> {
    const all = (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
    if (all.length < mostSubscriptions) return;
    throw new SlipwayError(
      'subscription.too_many',
      `limit of ${mostSubscriptions} subscriptions reached: remove one first`,
    );
  }

  const create: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const { spec, begin } = await acceptSubscription(given, ctx.state.client, options);
    const { id, isRepeat } = await drawId(ctx, { reservedIds, prefix: 'sub', digest });
    const subscription = await insertOnce(isRepeat, {
      find: () => subscriptions.get(id),
      async insert() {
        await requireRoom();
        const { key } = keys.newKey('hmac');
        const state = spec.mode === 'pull' ? 'active' : 'unverified';
        const made = { state, reason: null, keys: [key], level: 'L0', receipts: 'none', checked_at: null } as const;
        const status = { ...made, ...begin };
        return subscriptions.insert({
          kind: 'Subscription',
          ...{ id, spec },
          status: spec.mode === 'pull' ? status : afterProbe(status, await ask({ id, spec, status })),
          ...newResourceFields({ at: now().toISOString(), actor: ctx.state.client.actor }),
        });
      },
    });
    if (subscription.status.state === 'removed') throw unknown();
    await notifications.wake(subscription.id);
    ctx.status = 201;
    ctx.set('Location', `/v2/subscriptions/${subscription.id}`);
    await send(ctx, subscription, { secret: keys.shownFirst(subscription.status) });
  };

  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const all = (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
    ctx.body = {
      items: await Promise.all(
        all.map(async (each) => toSubscription(await settle(each), await progress.get(each.id))),
      ),
    };
  };

  /** Completes a change of settings that an interrupted request may have left without its positions. */
  async function settle(subscription: Subscription, read?: SourcePositions): Promise<Subscription> {
    const { id, generation, status } = subscription;
    if (generation === 1 || status.effective?.generation === generation) return subscription;
    const after = await activateSettings(subscription, read);
    return subscriptions.update(id, (each) =>
      each.generation === generation
        ? { ...each, status: { ...each.status, effective: { generation, after } } }
        : undefined,
    );
  }

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    await send(ctx, await settle(await load(ctx)));
  };

  const patch: ReferenceStep = async (ctx) => {
    const current = await load(ctx);
    requireUnowned(current);
    if (ctx.get('If-Match') === '') {
      const members = { etag: subscriptionTag(current) };
      throw new SlipwayError('write.precondition_required', 'say with If-Match which version you mean', { members });
    }
    const types = ['application/json', 'application/merge-patch+json'];
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES, types });
    const wanted = mergePatch(current.spec, given);
    const { spec, begin } = await acceptSubscription(wanted, ctx.state.client, options);
    // Another receiver: it must answer a probe before anything is sent to it.
    const isMoved = spec.url !== current.spec.url || spec.receipt_url !== current.spec.receipt_url;
    const report = isMoved && spec.mode === 'push' ? await ask({ ...current, spec }) : undefined;
    if (report?.answered === false) throw probeFailed(report);
    // Fan-out first: earlier events use the earlier settings.
    const { sources } = await feed.fanOut(current, Number.MAX_SAFE_INTEGER);
    const changed = await change(ctx, (each) => ({
      ...each,
      spec,
      status: {
        ...(report === undefined ? withoutReceiver(each.status, spec) : afterProbe(each.status, report)),
        // Streams that it reads already continue at their position; positions of removed streams are dropped.
        starts_at: Object.fromEntries(
          Object.entries(begin.starts_at).map(([stream, position]) => [
            stream,
            each.status.starts_at[stream] ?? position,
          ]),
        ),
        declarations: { ...each.status.declarations, ...begin.declarations },
      },
      generation: each.generation + 1,
    }));
    await send(ctx, await settle(changed, sources));
  };

  const remove: ReferenceStep = async (ctx) => {
    requireUnowned(await load(ctx));
    await change(ctx, (each) => ({ ...each, status: { ...each.status, state: 'removed', keys: [] } }));
    ctx.status = 204;
  };

  /** Probes the receiver again and reports its level. */
  const look: ReferenceStep = async (ctx) => {
    const subscription = await load(ctx);
    if (subscription.spec.mode === 'pull')
      throw new SlipwayError('entity.invalid', 'the subscription has mode "pull" and no receiver to probe');
    const report = await ask(subscription);
    const changed = await change(ctx, (each) => ({ ...each, status: afterProbe(each.status, report) }));
    if (!report.answered) throw probeFailed(report);
    await send(ctx, changed);
  };

  const pause: ReferenceStep = async (ctx) => {
    await send(
      ctx,
      await change(ctx, (each) => ({ ...each, status: { ...each.status, state: 'paused', reason: null } })),
    );
  };
  /** Resumes; a subscription whose receiver never answered waits for its first answer again. */
  const resume: ReferenceStep = async (ctx) => {
    const changed = await change(ctx, (each) => {
      const isProven = each.spec.mode === 'pull' || each.status.checked_at !== null;
      return { ...each, status: { ...each.status, state: isProven ? 'active' : 'unverified', reason: null } };
    });
    await send(ctx, changed);
  };

  const { rotate, cut } = keys;
  return { create, list, read, patch, remove, probe: look, pause, resume, rotate, cut, load };
}

/** Activates a subscription that is only pulled: it needs no receiver. */
const withoutReceiver = (status: SubscriptionStatus, { mode }: SubscriptionSpec): SubscriptionStatus =>
  mode === 'pull' && status.state === 'unverified' ? { ...status, state: 'active', reason: null } : status;

function probeFailed(report: ProbeReport): SlipwayError {
  const { sent, received } = report.steps.at(-1) ?? {};
  const members = { sent, received };
  return new SlipwayError('probe.failed', `the receiver did not take a probe: ${probeFailureReason(report)}`, {
    members,
  });
}

const unknown = () => new SlipwayError('subscription.not_found', 'there is no such subscription');
