import { Readable } from 'node:stream';
import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
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
  readDetail: ReadDeliveryDetail;
}

const MOST = 100;
/** Deliveries that one page examines: with a filter that matches few, a page is short and the next page continues. */
const MOST_EXAMINED = 2_000;
const MOST_LEDGER_READS = 300;
const AT_ONCE = 20;
const OPEN_STATES: readonly (string | undefined)[] = ['pending', 'sending', 'checking', 'held', 'parked'];
const NDJSON = 'application/x-ndjson';
/** An examined delivery; `detail` is set when it matches the filter. */
interface Examined {
  sequence: number;
  /** Whether the ledger was read. */
  isRead: boolean;
  detail: DeliveryDetail | undefined;
}
const Token = z.tuple([z.literal('deliveries'), z.string(), z.string(), z.int()]);

/** `GET /v2/subscriptions/{id}/deliveries`: every delivery with its state, the newest first; as NDJSON all in one response. */
export function createDeliveryList(options: DeliveryListOptions): ReferenceStep {
  const { outbox, progress, interventions, feed, box, load, readDetail } = options;

  /** Finds the deliveries that may be open: all after a sequence, and some before it; `undefined`: no limit is known. */
  async function openOnes({ id, spec }: Subscription, { state }: DeliveryFilter) {
    const known = spec.mode === 'push' && OPEN_STATES.includes(state) ? await progress.get(id) : undefined;
    if (known === undefined) return undefined;
    const { loadedThrough: after, open, touched } = known;
    const { sequences } = await interventions.read(id, known.interventions);
    const some = new Set([...open.map(({ sequence }) => sequence), ...touched, ...sequences]);
    return { after, some: [...some].filter((each) => each <= after).sort((one, other) => other - one) };
  }

  /** Walks the candidates in the outbox, downward. */
  async function* candidates(
    subscription: Subscription,
    filter: DeliveryFilter,
    from: number,
  ): AsyncIterable<OutboxEntry> {
    const { id } = subscription;
    const { after, some } = (await openOnes(subscription, filter)) ?? { after: 0, some: [] };
    for await (const entry of outbox.walk(id, from, 'down')) {
      if (entry.event.sequence <= after) break;
      yield entry;
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

  async function* examineAll(
    subscription: Subscription,
    filter: DeliveryFilter,
    before: number | undefined,
  ): AsyncGenerator<Examined> {
    const { head } = await feed.fanOut(subscription, 0);
    const begin = await startOf(subscription, filter, head);
    const from = before === undefined ? begin : Math.min(begin, before - 1);
    let batch: OutboxEntry[] = [];
    const flush = async (): Promise<Examined[]> => {
      const looks = await Promise.all(batch.map((entry) => examine(subscription, filter, entry)));
      batch = [];
      return looks;
    };
    for await (const entry of candidates(subscription, filter, from)) {
      if (filter.from !== undefined && entry.block.at < filter.from) break;
      batch.push(entry);
      if (batch.length >= AT_ONCE) yield* await flush();
    }
    yield* await flush();
  }

  async function examine(subscription: Subscription, filter: DeliveryFilter, entry: OutboxEntry): Promise<Examined> {
    const { sequence } = entry.event;
    if (!filter.takes(entry)) return { sequence, isRead: false, detail: undefined };
    const detail = await readDetail(subscription, entry);
    return { sequence, isRead: true, detail: filter.fulfils(detail) ? detail : undefined };
  }

  function openToken(token: string, subscription: string, query: string): number {
    let cursor: z.infer<typeof Token>;
    try {
      cursor = Token.parse(JSON.parse(box.open(token)));
    } catch (cause) {
      throw new SlipwayError(
        'page.token_malformed',
        'page_token is invalid: use next_page_token of the previous response',
        { cause },
      );
    }
    if (cursor[1] === subscription && cursor[2] === query) return cursor[3];
    throw new SlipwayError(
      'page.token_mismatch',
      'page_token belongs to another subscription or filter: repeat the query of the previous page',
    );
  }

  async function* lines(subscription: Subscription, filter: DeliveryFilter, before: number | undefined) {
    for await (const { detail } of examineAll(subscription, filter, before)) {
      if (detail !== undefined) yield `${JSON.stringify(toDelivery(subscription, detail))}\n`;
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
    let [looks, ledgerReads] = [0, 0];
    let last: number | undefined;
    for await (const { sequence, isRead, detail } of examineAll(subscription, filter, before)) {
      last = sequence;
      looks += 1;
      if (isRead) ledgerReads += 1;
      if (detail !== undefined) items.push(toDelivery(subscription, detail));
      if (items.length === size || looks >= MOST_EXAMINED || ledgerReads >= MOST_LEDGER_READS) break;
      last = undefined; // and if nothing follows, this was the end
    }
    const isMore = last !== undefined && last > (await outbox.retained(id)).sequence;
    const next = isMore ? box.seal(JSON.stringify(['deliveries', id, bound, last])) : undefined;
    ctx.body = { items, next_page_token: next };
  };
}
