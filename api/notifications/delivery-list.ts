import { Readable } from 'node:stream';
import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { Minted, Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { type DeliveryFilter, FILTER_NAMES, firstFrom, readDeliveryFilter } from './delivery-filter.js';
import { type ReadDeliveryDetail, type DeliveryDetail, toDelivery } from './delivery-view.js';
import type { FeedSource } from './feed-page.js';
import { readQuery, toCount } from '../http/parameters.js';
import { shortHash } from '../http/etag.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';

export interface DeliveryListOptions {
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  interventions: OperatorActions;
  feed: FeedSource;
  /** Seals page tokens. */
  box: SecretBox;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  readStanding: ReadDeliveryDetail;
}

const MOST = 100;
/** Notices that one page looks at: with a filter that takes few a page is short, and the walk goes on behind it. */
const MOST_LOOKS = 2_000;
const MOST_LEDGER_LOOKS = 300;
const AT_ONCE = 20;
const OPEN_STATES: readonly (string | undefined)[] = ['pending', 'sending', 'checking', 'held', 'parked'];
const NDJSON = 'application/x-ndjson';
/** A notice that was looked at; with what became of it when it is one that is meant. */
interface Look {
  sequence: number;
  /** Whether the ledger was asked. */
  isRead: boolean;
  standing: DeliveryDetail | undefined;
}
const Token = z.tuple([z.literal('deliveries'), z.string(), z.string(), z.int()]);

/** `GET /v2/subscriptions/{id}/deliveries`: what became of each notice, the newest first; as NDJSON all in one answer. */
export function createDeliveryList(options: DeliveryListOptions): ReferenceStep {
  const { outbox, progress, interventions, feed, box, load, readStanding } = options;

  /** What can be open at all: everything behind a number, and some before it; `undefined`: every notice. */
  async function openOnes({ id, spec }: Subscription, { state }: DeliveryFilter) {
    const known = spec.mode === 'push' && OPEN_STATES.includes(state) ? await progress.get(id) : undefined;
    if (known === undefined) return undefined;
    const { loadedThrough: behind, open, touched } = known;
    const { sequences } = await interventions.read(id, known.interventions);
    const some = new Set([...open.map(({ sequence }) => sequence), ...touched, ...sequences]);
    return { behind, some: [...some].filter((each) => each <= behind).sort((one, other) => other - one) };
  }

  /** What the outbox has of them, downward. */
  async function* candidates(subscription: Subscription, filter: DeliveryFilter, from: number): AsyncIterable<Minted> {
    const { id } = subscription;
    const { behind, some } = (await openOnes(subscription, filter)) ?? { behind: 0, some: [] };
    for await (const minted of outbox.walk(id, from, 'down')) {
      if (minted.notice.sequence <= behind) break;
      yield minted;
    }
    for (const sequence of some) {
      const found = sequence > from ? undefined : await outbox.find(id, sequence);
      if (found !== undefined) yield found;
    }
  }

  async function startOf({ id }: Subscription, { until }: DeliveryFilter, head: number): Promise<number> {
    if (until === undefined) return head;
    const { sequence: low } = await outbox.retained(id);
    return (await firstFrom(outbox, id, until, { low, high: head + 1 })) - 1;
  }

  async function* look(
    subscription: Subscription,
    filter: DeliveryFilter,
    before: number | undefined,
  ): AsyncGenerator<Look> {
    const { head } = await feed.mint(subscription, 0);
    const begin = await startOf(subscription, filter, head);
    const from = before === undefined ? begin : Math.min(begin, before - 1);
    let batch: Minted[] = [];
    const flush = async (): Promise<Look[]> => {
      const looks = await Promise.all(batch.map((minted) => lookAt(subscription, filter, minted)));
      batch = [];
      return looks;
    };
    for await (const minted of candidates(subscription, filter, from)) {
      if (filter.from !== undefined && minted.block.at < filter.from) break;
      batch.push(minted);
      if (batch.length >= AT_ONCE) yield* await flush();
    }
    yield* await flush();
  }

  async function lookAt(subscription: Subscription, filter: DeliveryFilter, minted: Minted): Promise<Look> {
    const { sequence } = minted.notice;
    if (!filter.takes(minted)) return { sequence, isRead: false, standing: undefined };
    const standing = await readStanding(subscription, minted);
    return { sequence, isRead: true, standing: filter.fulfils(standing) ? standing : undefined };
  }

  function openToken(token: string, subscription: string, query: string): number {
    let place: z.infer<typeof Token>;
    try {
      place = Token.parse(JSON.parse(box.open(token)));
    } catch (cause) {
      throw new SlipwayError('page.token_malformed', 'page_token is not one of ours', { cause });
    }
    if (place[1] === subscription && place[2] === query) return place[3];
    throw new SlipwayError('page.token_mismatch', 'page_token belongs to another subscription or filter');
  }

  async function* lines(subscription: Subscription, filter: DeliveryFilter, before: number | undefined) {
    for await (const { standing } of look(subscription, filter, before)) {
      if (standing !== undefined) yield `${JSON.stringify(toDelivery(subscription, standing))}\n`;
    }
  }

  return async (ctx) => {
    const query = readQuery(ctx, ['page_size', 'page_token', ...FILTER_NAMES]);
    const filter = readDeliveryFilter(query);
    const size = query.page_size === undefined ? 20 : toCount('page_size', query.page_size, { from: 1, to: MOST });
    const subscription = await load(ctx);
    const { id } = subscription;
    const bound = shortHash(JSON.stringify(FILTER_NAMES.map((name) => query[name] ?? null)));
    const before = query.page_token === undefined ? undefined : openToken(query.page_token, id, bound);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Vary', 'Accept');
    if (ctx.accepts(['application/json', NDJSON]) === NDJSON) {
      ctx.type = NDJSON;
      ctx.body = Readable.from(lines(subscription, filter, before));
      return;
    }
    const items: object[] = [];
    let [looks, ledgerLooks] = [0, 0];
    let last: number | undefined;
    for await (const { sequence, isRead, standing } of look(subscription, filter, before)) {
      last = sequence;
      looks += 1;
      if (isRead) ledgerLooks += 1;
      if (standing !== undefined) items.push(toDelivery(subscription, standing));
      if (items.length === size || looks >= MOST_LOOKS || ledgerLooks >= MOST_LEDGER_LOOKS) break;
      last = undefined; // and if nothing follows, this was the end
    }
    const isMore = last !== undefined && last > (await outbox.retained(id)).sequence;
    const next = isMore ? box.seal(JSON.stringify(['deliveries', id, bound, last])) : undefined;
    ctx.body = { items, next_page_token: next };
  };
}
