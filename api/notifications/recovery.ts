import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import {
  type Recovery,
  type RecoveryCounts,
  type RecoveryPosition,
  RecoverySpec,
} from '../../notifications/kinds/recovery.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import { readJson } from '../http/exact-json.js';
import { firstFrom, toTime } from './delivery-filter.js';
import { requireNotDisabled } from './requires-sending.js';
import type { FeedSource } from './feed-page.js';
import { readQuery, toCount } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import type { Notifications } from './subscription-access.js';
import { filteredTypes } from './subscription-types.js';

export interface RecoveryRoutesOptions {
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  recoveries: Recoveries;
  feed: FeedSource;
  notifications: Notifications;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  now?: () => Date;
}

const LIMIT_BYTES = 64 * 1_024;
const NONE: RecoveryCounts = { examined: 0, matched: 0, reopened: 0 };

/** `.../replay`, `.../recover` and `.../recoveries/{id}`: orders to send deliveries again; the worker carries them out. */
export function createRecoveryRoutes(options: RecoveryRoutesOptions) {
  const { outbox, progress, recoveries, feed, notifications, load, now = () => new Date() } = options;

  /** Finds the sequences in the window of a recovery; later events are not part of it. */
  async function windowOf(subscription: Subscription, { from, until, sequences }: RecoverySpec) {
    const { id } = subscription;
    const [{ sequence: low }, { head }] = await Promise.all([outbox.retained(id), feed.fanOut(subscription, 0)]);
    const range = { low, high: head + 1 };
    const numbers = sequences?.map(Number) ?? [];
    const first = from === null ? low : await firstFrom(outbox, id, from, range);
    const last = until === null ? head : (await firstFrom(outbox, id, until, range)) - 1;
    if (sequences === null) return { first, last };
    return { first: Math.max(first, Math.min(...numbers)), last: Math.min(last, Math.max(...numbers)) };
  }

  const order =
    (kind: Recovery['kind']): ReferenceStep =>
    async (ctx) => {
      readQuery(ctx, []);
      const subscription = await load(ctx);
      const { id } = subscription;
      const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
      const spec = readSpec(given, subscription);
      if (!spec.dry_run) requireNotDisabled(subscription);
      const { actor } = ctx.state.client;
      const recovery = { kind, spec, ...(await windowOf(subscription, spec)), actor, at: now().toISOString() };
      const number = await recoveries.add(id, recovery, (await progress.get(id))?.recovery?.number ?? 0);
      await notifications.wake(id);
      ctx.status = 202;
      ctx.set('Location', `/v2/subscriptions/${id}/recoveries/rec_${number}`);
      ctx.body = toRecovery(number, recovery, { state: 'queued', ...NONE });
    };

  /** Shows the result of a recovery, or its progress. */
  async function show(
    subscription: string,
    number: number,
    recovery: Recovery,
    position: RecoveryPosition | undefined,
  ) {
    const end = await recoveries.readEnd(subscription, number);
    if (end !== undefined) {
      const { at: ended_at, ...counts } = end;
      return toRecovery(number, recovery, { state: 'done', ...counts, ended_at });
    }
    const isBegun = position?.number === number;
    const { examined, matched, reopened } = isBegun ? position : NONE;
    return toRecovery(number, recovery, { state: isBegun ? 'running' : 'queued', examined, matched, reopened });
  }

  /** The newest first. */
  const list: ReferenceStep = async (ctx) => {
    const { before, page_size: size = '20' } = readQuery(ctx, ['before', 'page_size']);
    const { id } = await load(ctx);
    const most = toCount('page_size', size, { from: 1, to: 100 });
    const position = (await progress.get(id))?.recovery;
    const oldest = (await recoveries.purgedTo(id)) + 1;
    const newest = await findNewest(id, Math.max(position?.number ?? 0, oldest - 1));
    const below = before === undefined ? Infinity : toCount('before', before, { from: 1, to: Number.MAX_SAFE_INTEGER });
    let number = Math.min(newest, below - 1);
    const items: ReturnType<typeof toRecovery>[] = [];
    for (; number >= oldest && items.length < most; number -= 1) {
      const recovery = await recoveries.read(id, number);
      if (recovery !== undefined) items.push(await show(id, number, recovery, position));
    }
    ctx.body = { items, ...(number >= oldest && { next: `before=${number + 1}&page_size=${size}` }) };
  };

  /** @param known a number that was begun or removed; later ones are queued */
  async function findNewest(id: string, known: number): Promise<number> {
    let newest = known;
    while ((await recoveries.read(id, newest + 1)) !== undefined) newest += 1;
    return newest;
  }

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { id } = await load(ctx);
    const [, digits] = /^rec_([1-9]\d{0,14})$/.exec(ctx.params.recovery ?? '') ?? [];
    const number = Number(digits);
    const recovery = digits === undefined ? undefined : await recoveries.read(id, number);
    if (recovery === undefined) throw new SlipwayError('recovery.not_found', 'the subscription has no such recovery');
    ctx.body = await show(id, number, recovery, (await progress.get(id))?.recovery);
  };

  return { replay: order('replay'), recover: order('recover'), list, read };
}

/** @throws entity.invalid, filter.invalid, parameter.invalid */
function readSpec(given: unknown, subscription: Subscription): RecoverySpec {
  const result = RecoverySpec.safeParse(given);
  if (!result.success) throw new SlipwayError('entity.invalid', z.prettifyError(result.error));
  const spec = result.data;
  if (subscription.spec.mode === 'pull') {
    throw new SlipwayError('entity.invalid', 'the subscription has mode "pull": move its feed cursor back instead');
  }
  if (spec.filter !== null && subscription.spec.payload !== 'full') {
    throw new SlipwayError('entity.invalid', 'a filter needs events with payload "full": leave the filter out');
  }
  const types = spec.types.length > 0 ? spec.types : subscription.spec.types;
  filteredTypes({ types, filter: spec.filter }, subscription.status.declarations);
  const timeOf = (name: 'from' | 'until') => (spec[name] === null ? null : toTime(name, spec[name]));
  return { ...spec, from: timeOf('from'), until: timeOf('until') };
}

type RecoveryState = RecoveryCounts & { state: 'queued' | 'running' | 'done'; ended_at?: string };

const toRecovery = (number: number, { kind, spec, first, last, actor, at }: Recovery, state: RecoveryState) => ({
  id: `rec_${number}`,
  kind,
  ...spec,
  first: String(first),
  last: String(last),
  ...state,
  created_at: at,
  created_by: actor,
});
