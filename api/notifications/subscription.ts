import { setTimeout as wait } from 'node:timers/promises';
import { mergePatch } from '../../reference/rows/merge-patch.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { ProbeReport } from '../../notifications/kinds/probe.js';
import {
  MOST_SUBSCRIPTIONS,
  type Subscription,
  type SubscriptionStatus,
} from '../../notifications/kinds/subscription.js';
import {
  initialStatus,
  pausedStatus,
  removedStatus,
  resumedStatus,
  withoutReceiver,
  withStreams,
} from '../../notifications/kinds/subscription-status.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { readProgress, type SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { maskHeaders, openHeaders, sealHeaders } from '../../notifications/delivery/sealed-headers.js';
import { afterProbe, type Probe, probeFailureReason } from '../../notifications/delivery/probe.js';
import { readJson } from '../http/exact-json.js';
import type { FeedSource } from './feed-page.js';
import { drawId, insertOnce } from '../http/idempotent-creation.js';
import { newResourceFields } from './new-resource.js';
import { type ReferenceQuotas, withinQuota } from '../reference/quota.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceStep } from '../reference/state.js';
import {
  createSubscriptionAccess,
  type Notifications,
  requireSubscription,
  type SubscriptionAccess,
} from './subscription-access.js';
import { acceptSubscription, type SubscriptionChecks } from './subscription-checks.js';
import { createSubscriptionKeys } from './subscription-keys.js';
import { requireOwner, requireOwnKey } from './subscription-owner.js';
import { mayReadSubscription } from './stream-scopes.js';
import { subscriptionTag, toSubscription } from './subscription-resource.js';

export type { Notifications } from './subscription-access.js';

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
  quotas?: ReferenceQuotas | undefined;
  now?: () => Date;
  /** Waits until every worker has read a change of keys. */
  sleep?: (ms: number) => Promise<unknown>;
}

const LIMIT_BYTES = 64 * 1_024;

type Deps = SubscriptionRoutesOptions &
  SubscriptionAccess & {
    keys: ReturnType<typeof createSubscriptionKeys>;
    mostSubscriptions: number;
    now: () => Date;
  };

type Accepted = Awaited<ReturnType<typeof acceptSubscription>>;

/** `/v2/subscriptions`: the subscriptions. A secret is shown once, at its creation. */
export function createSubscriptionRoutes(options: SubscriptionRoutesOptions) {
  const { mostSubscriptions = MOST_SUBSCRIPTIONS, now = () => new Date(), sleep = wait } = options;
  const access = createSubscriptionAccess({ ...options, now });
  const keys = createSubscriptionKeys({ ...access, box: options.box, now, sleep });
  const deps: Deps = { ...options, ...access, keys, mostSubscriptions, now };
  return {
    create: create(deps),
    list: list(deps),
    read: read(deps),
    patch: patch(deps),
    remove: remove(deps),
    probe: probeAgain(deps),
    pause: pause(deps),
    resume: resume(deps),
    rotate: keys.rotate,
    cut: keys.cut,
    load: access.load,
  };
}

const create =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const { subscriptions, notifications, reservedIds, keys, send } = deps;
    readQuery(ctx, []);
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const accepted = await acceptSubscription(given, ctx.state.client, deps);
    const { id, isRepeat } = await drawId(ctx, { reservedIds, prefix: 'sub', digest });
    const subscription = await insertOnce(isRepeat, {
      find: () => subscriptions.get(id),
      insert: () => insertNew(deps, { id, ...accepted, actor: ctx.state.client.actor }),
    });
    requireSubscription(subscription);
    // An active one starts at the end of its streams: its first event wakes it, and until then it costs nothing.
    if (subscription.status.state === 'unverified') await notifications.wake(subscription.id);
    ctx.status = 201;
    ctx.set('Location', `/v2/subscriptions/${subscription.id}`);
    await send(ctx, subscription, { secret: keys.shownFirst(subscription) });
  };

type New = Accepted & { id: string; actor: string };

async function insertNew(deps: Deps, { id, spec, begin, actor }: New): Promise<Subscription> {
  await requireRoom(deps);
  const wanted = { kind: 'Subscription', id, owner: actor } as const;
  return withinQuota(deps.quotas, wanted, () => probeAndInsert(deps, { id, spec, begin, actor }));
}

async function probeAndInsert(deps: Deps, { id, spec, begin, actor }: New): Promise<Subscription> {
  const status = initialStatus(spec, { keys: [deps.keys.newKey(id, 'hmac').key], ...begin });
  return deps.subscriptions.insert({
    kind: 'Subscription',
    ...{ id, spec: { ...spec, headers: sealHeaders({ id, headers: spec.headers }, deps.box) } },
    status: spec.mode === 'pull' ? status : afterProbe(status, await probeReceiver(deps, { id, spec, status })),
    ...newResourceFields({ at: deps.now().toISOString(), actor }),
  });
}

async function requireRoom({ existing, mostSubscriptions }: Deps): Promise<void> {
  if ((await existing()).length < mostSubscriptions) return;
  throw new SlipwayError(
    'subscription.too_many',
    `limit of ${mostSubscriptions} subscriptions reached: remove one first`,
  );
}

/** Probes the receiver with the headers and the keys of its deliveries. */
const probeReceiver = (
  { probe, keys, box }: Deps,
  { id, spec, status }: Pick<Subscription, 'id' | 'spec'> & { status: Pick<SubscriptionStatus, 'keys'> },
): Promise<ProbeReport> =>
  probe({
    id,
    spec: { ...spec, headers: openHeaders({ id, headers: spec.headers }, box) },
    keys: keys.signing({ id, status }),
  });

const list =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    const { client } = ctx.state;
    const all = (await deps.existing()).filter((each) => mayReadSubscription(client, each));
    const saved = await readProgress(
      deps.progress,
      all.map(({ id }) => id),
    );
    ctx.body = {
      items: await Promise.all(all.map(async (each) => toSubscription(await settle(deps, each), saved.get(each.id)))),
    };
  };

/** Completes a change of settings that an interrupted request may have left without its positions. */
async function settle(
  { subscriptions, activateSettings }: Deps,
  subscription: Subscription,
  read?: SourcePositions,
): Promise<Subscription> {
  const { id, generation, status } = subscription;
  if (generation === 1 || status.effective?.generation === generation) return subscription;
  const after = await activateSettings(subscription, read);
  return subscriptions.update(id, (each) =>
    each.generation === generation
      ? { ...each, status: { ...each.status, effective: { generation, after } } }
      : undefined,
  );
}

const read =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    await deps.send(ctx, await settle(deps, await deps.load(ctx)));
  };

const patch =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const { feed, load, change, send } = deps;
    const current = await load(ctx);
    requireOwner(ctx, current);
    if (ctx.get('If-Match') === '') {
      const members = { etag: subscriptionTag(current) };
      throw new SlipwayError('write.precondition_required', `send If-Match with the current ETag, ${members.etag}`, {
        members,
      });
    }
    const types = ['application/json', 'application/merge-patch+json'];
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES, types });
    const shown = { ...current.spec, headers: maskHeaders(current.spec.headers) };
    const checks = { ...deps, stored: current.spec };
    const { spec, begin } = await acceptSubscription(mergePatch(shown, given), ctx.state.client, checks);
    // Another receiver: it must answer a probe before anything is sent to it.
    const isMoved = spec.url !== current.spec.url || spec.receipt_url !== current.spec.receipt_url;
    const report = isMoved && spec.mode === 'push' ? await probeReceiver(deps, { ...current, spec }) : undefined;
    if (report?.answered === false) throw probeFailed(report);
    // Fan-out first: earlier events use the earlier settings.
    const { sources } = await feed.fanOut(current, Number.MAX_SAFE_INTEGER);
    const changed = await change(ctx, (each) => {
      const status = report === undefined ? withoutReceiver(each.status, spec) : afterProbe(each.status, report);
      return { ...each, spec, status: withStreams(status, begin), generation: each.generation + 1 };
    });
    await send(ctx, await settle(deps, changed, sources));
  };

const remove =
  ({ load, change }: Deps): ReferenceStep =>
  async (ctx) => {
    requireOwner(ctx, await load(ctx));
    await change(ctx, (each) => ({ ...each, status: removedStatus(each.status) }));
    ctx.status = 204;
  };

/** Probes the receiver again and reports its level. */
const probeAgain =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const subscription = await deps.load(ctx);
    if (subscription.spec.mode === 'pull')
      throw new SlipwayError('entity.invalid', 'the subscription has mode "pull" and no receiver to probe');
    const report = await probeReceiver(deps, subscription);
    const changed = await deps.change(ctx, (each) => ({ ...each, status: afterProbe(each.status, report) }));
    if (!report.answered) throw probeFailed(report);
    await deps.send(ctx, changed);
  };

const pause =
  ({ load, change, send }: Deps): ReferenceStep =>
  async (ctx) => {
    requireOwnKey(ctx, await load(ctx));
    await send(ctx, await change(ctx, (each) => ({ ...each, status: pausedStatus(each.status) })));
  };

const resume =
  ({ load, change, send }: Deps): ReferenceStep =>
  async (ctx) => {
    requireOwnKey(ctx, await load(ctx));
    await send(ctx, await change(ctx, (each) => ({ ...each, status: resumedStatus(each.status, each.spec) })));
  };

function probeFailed(report: ProbeReport): SlipwayError {
  const { sent, received } = report.steps.at(-1) ?? {};
  const members = { sent, received };
  return new SlipwayError('probe.failed', `the receiver did not take a probe: ${probeFailureReason(report)}`, {
    members,
  });
}
