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
import { afterProbe, type Probe, whyFailed } from '../../notifications/delivery/probe.js';
import { readJson } from '../reference/body.js';
import type { FeedSource } from './feed-page.js';
import { drawId, insertOnce } from '../reference/idempotency-key.js';
import { beginEntity } from '../reference/new-row.js';
import { requireTag } from '../reference/precondition.js';
import { readQuery } from '../reference/query.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { acceptSubscription, type SubscriptionChecks } from './subscription-checks.js';
import { createSubscriptionKeys } from './subscription-keys.js';
import { requireUnowned } from './subscription-owner.js';
import { subscriptionTag, toSubscription } from './subscription-resource.js';

/** The workflows that deliver. */
export interface Notifications {
  /** Looks for new notices of a subscription now. Never fails: whoever looks next finds the same. */
  wake(subscriptionId: string): Promise<void>;
}

export interface SubscriptionRoutesOptions extends SubscriptionChecks {
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  notifications: Notifications;
  /** Makes notices of what has happened, by the settings that count. */
  feed: Pick<FeedSource, 'mint'>;
  /** Makes the present settings count behind what was read by those before. @returns behind which places */
  bringIntoForce: (subscription: Subscription, read?: SourcePositions) => Promise<SourcePositions>;
  box: SecretBox;
  reservedIds: ReservedIds;
  probe: Probe;
  mostSubscriptions?: number;
  now?: () => Date;
}

const LIMIT_BYTES = 64 * 1_024;
/** `/v2/subscriptions`: who is told of what, where, and under which promise. A secret is shown once, when it is made. */
export function createSubscriptionRoutes(options: SubscriptionRoutesOptions) {
  const { subscriptions, progress, notifications, feed, bringIntoForce, box, reservedIds, probe } = options;
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

  /** Takes a change unless somebody changed it since the caller looked. */
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

  /** What the receiver shows, with keys that sign now. */
  const ask = ({
    id,
    spec,
    status,
  }: Pick<Subscription, 'id' | 'spec'> & { status: Pick<SubscriptionStatus, 'keys'> }) =>
    probe({ id, spec, keys: keys.signing(status.keys) });

  async function requireRoom(): Promise<void> {
    const all = (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
    if (all.length < mostSubscriptions) return;
    throw new SlipwayError('subscription.too_many', `there may be ${mostSubscriptions} subscriptions`);
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
          ...beginEntity({ at: now().toISOString(), actor: ctx.state.client.actor }),
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

  /** Says where new settings begin to count; who made them may have died before. */
  async function settle(subscription: Subscription, read?: SourcePositions): Promise<Subscription> {
    const { id, generation, status } = subscription;
    if (generation === 1 || status.effective?.generation === generation) return subscription;
    const after = await bringIntoForce(subscription, read);
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
    // Another receiver: nothing is sent to it before it has answered.
    const isMoved = spec.url !== current.spec.url || spec.receipt_url !== current.spec.receipt_url;
    const report = isMoved && spec.mode === 'push' ? await ask({ ...current, spec }) : undefined;
    if (report?.answered === false) throw probeFailed(report);
    // What happened until now goes by the settings until now.
    const { sources } = await feed.mint(current, Number.MAX_SAFE_INTEGER);
    const changed = await change(ctx, (each) => ({
      ...each,
      spec,
      status: {
        ...(report === undefined ? withoutReceiver(each.status, spec) : afterProbe(each.status, report)),
        // Streams that it reads already go on where they are; those that it leaves are forgotten.
        starts_at: Object.fromEntries(
          Object.entries(begin.starts_at).map(([stream, place]) => [stream, each.status.starts_at[stream] ?? place]),
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

  /** Looks at the receiver again: the answer is what it has shown now. */
  const look: ReferenceStep = async (ctx) => {
    const subscription = await load(ctx);
    if (subscription.spec.mode === 'pull')
      throw new SlipwayError('entity.invalid', 'there is no receiver: its feed is read');
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
  /** One whose receiver never answered goes back to waiting for that. */
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

/** What is only read needs no receiver to start. */
const withoutReceiver = (status: SubscriptionStatus, { mode }: SubscriptionSpec): SubscriptionStatus =>
  mode === 'pull' && status.state === 'unverified' ? { ...status, state: 'active', reason: null } : status;

function probeFailed(report: ProbeReport): SlipwayError {
  const { sent, received } = report.steps.at(-1) ?? {};
  const members = { sent, received };
  return new SlipwayError('probe.failed', `the receiver did not take a probe: ${whyFailed(report)}`, { members });
}

const unknown = () => new SlipwayError('subscription.not_found', 'there is no such subscription');
