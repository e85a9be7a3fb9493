import { z } from 'zod';
import { formatTimestamp, parseTimestamp } from '../../reference/rows/time.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import {
  acknowledge,
  acknowledgedThrough,
  consumerId,
  type FeedConsumer,
  pendingIn,
  type Span,
} from '../../notifications/kinds/feed-consumer.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import { readJson } from '../http/exact-json.js';
import { firstFrom } from './delivery-filter.js';
import { createConsumerAccess, unknownConsumer } from './feed-consumer-access.js';
import { createFeedNext } from './feed-next.js';
import type { FeedOptions } from './feed.js';
import { type FeedSource, requireRetained } from './feed-page.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';

export interface FeedConsumerOptions extends FeedOptions {
  consumers: ResourceStore<FeedConsumer>;
  /** Settles the push deliveries of what a reader acknowledges. */
  settle: (subscription: Subscription, spans: readonly Span[], actor: string) => Promise<void>;
  now?: () => Date;
}

const LIMIT_BYTES = 4 * 1_024;
const Digits = z.string('must be a number in digits').regex(/^[1-9]\d{0,14}$/, 'must be a number in digits');
const Settings = z.strictObject({ settles: z.boolean('must be true or false').default(false) });
const Ack = z.strictObject({ through: Digits, from: Digits.optional() });
const Seek = z.strictObject({ to: z.string('must be beginning, end, a number or a time') });

/** `/v2/feed/{id}/consumers`: readers whose place is kept here. All readers of one name share what there is. */
export function createFeedConsumerRoutes(options: FeedConsumerOptions) {
  const { outbox, feed, consumers, settle, load } = options;
  const access = createConsumerAccess(options);

  const ack: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const request = await access.open(ctx);
    const { through, from = '1' } = await readBody(ctx, Ack);
    const span = { from: Number(from), to: Number(through) };
    const { spec, status } = await access.get(request);
    if (span.to > status.handedOut) {
      throw new SlipwayError('feed.ack_ahead', `notices up to ${status.handedOut} were handed out`, {
        members: { handed_out_through: String(status.handedOut) },
      });
    }
    // Before the place moves: a reader that hears of no success acknowledges again.
    if (spec.settles) await settle(request.subscription, pendingIn(status, span), request.actor);
    ctx.body = toConsumer(await access.change(request, (each) => ({ status: acknowledge(each.status, span) })));
  };

  const seek: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const request = await access.open(ctx);
    const { to } = await readBody(ctx, Seek);
    await access.ensure(request);
    const next = await positionOf({ outbox, feed }, request.subscription, to);
    ctx.body = toConsumer(await access.change(request, () => ({ status: { handedOut: next - 1, pending: [] } })));
  };

  const put: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const request = await access.open(ctx);
    const spec = await readBody(ctx, Settings);
    await access.ensure(request);
    ctx.body = toConsumer(await access.change(request, () => ({ spec })));
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    ctx.body = toConsumer(await access.get(await access.open(ctx)));
  };

  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { id } = await load(ctx);
    const all = (await consumers.list()).filter((each) => each.id.startsWith(consumerId(id, '')));
    ctx.body = { items: all.map(toConsumer) };
  };

  const remove: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { id } = await access.open(ctx);
    if ((await consumers.remove(id)) === undefined) throw unknownConsumer();
    ctx.status = 204;
  };

  return { next: createFeedNext({ ...options, access }), ack, seek, put, read, list, remove };
}

async function readBody<T>(ctx: ReferenceContext, schema: z.ZodType<T>): Promise<T> {
  const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
  const result = schema.safeParse(given);
  if (!result.success) throw new SlipwayError('entity.invalid', z.prettifyError(result.error));
  return result.data;
}

/** @returns the number that comes next. @throws entity.invalid, feed.cursor_expired */
async function positionOf(
  { outbox, feed }: { outbox: Outbox; feed: FeedSource },
  subscription: Subscription,
  to: string,
): Promise<number> {
  const { sequence: first } = await outbox.retained(subscription.id);
  if (to === 'beginning') return first;
  let state = await feed.fanOut(subscription, Number.MAX_SAFE_INTEGER);
  while (state.more) state = await feed.fanOut(subscription, Number.MAX_SAFE_INTEGER);
  const end = state.head + 1;
  if (to === 'end') return end;
  if (/^[1-9]\d{0,14}$/.test(to)) {
    requireRetained(Number(to), first);
    return Math.min(Number(to), end);
  }
  const ms = parseTimestamp(to);
  if (ms === undefined) {
    throw new SlipwayError(
      'entity.invalid',
      'to takes beginning, end, a number or a time such as 2026-01-31T00:00:00Z',
    );
  }
  return firstFrom(outbox, subscription.id, formatTimestamp(ms), { low: first, high: end });
}

function toConsumer({ id, spec, status, createdAt, updatedAt }: FeedConsumer) {
  return {
    name: id.slice(id.indexOf('/') + 1),
    settles: spec.settles,
    acknowledged_through: String(acknowledgedThrough(status)),
    handed_out_through: String(status.handedOut),
    pending: status.pending.map(({ from, to, until }) => ({ from: String(from), to: String(to), until })),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
