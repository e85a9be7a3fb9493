import { Readable } from 'node:stream';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { shortHash } from '../http/etag.js';
import { readQuery, toCount } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { examineDeliveries, type ExaminedDelivery } from './delivery-examination.js';
import { FILTER_NAMES, readDeliveryFilter } from './delivery-filter.js';
import { collectDeliveryPage, openDeliveryToken, sealDeliveryToken } from './delivery-page.js';
import { type ReadDeliveryDetail, toDelivery } from './delivery-view.js';
import type { FeedSource } from './feed-page.js';

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
const NDJSON = 'application/x-ndjson';

/** `GET /v2/subscriptions/{id}/deliveries`: every delivery with its state, the newest first; as NDJSON all in one response. */
export const createDeliveryList =
  (options: DeliveryListOptions): ReferenceStep =>
  async (ctx) => {
    const { outbox, box, load } = options;
    const query = readQuery(ctx, ['page_size', 'page_token', ...FILTER_NAMES]);
    const filter = readDeliveryFilter(query);
    const size = query.page_size === undefined ? 20 : toCount('page_size', query.page_size, { from: 1, to: MOST });
    const subscription = await load(ctx);
    const { id } = subscription;
    const cursor = {
      subscription: id,
      query: shortHash(JSON.stringify(FILTER_NAMES.map((name) => query[name] ?? null))),
    };
    const before = query.page_token === undefined ? undefined : openDeliveryToken(box, cursor, query.page_token);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Vary', 'Accept');
    const examined = examineDeliveries(options, { subscription, filter, before });
    if (ctx.accepts(['application/json', NDJSON]) === NDJSON) {
      ctx.type = NDJSON;
      ctx.body = Readable.from(toLines(subscription, examined));
      return;
    }
    const { details, last } = await collectDeliveryPage(examined, size);
    const isMore = last !== undefined && last > (await outbox.retained(id)).sequence;
    ctx.body = {
      items: details.map((detail) => toDelivery(subscription, detail)),
      next_page_token: isMore ? sealDeliveryToken(box, cursor, last) : undefined,
    };
  };

async function* toLines(subscription: Subscription, examined: AsyncIterable<ExaminedDelivery>) {
  for await (const { detail } of examined) {
    if (detail !== undefined) yield `${JSON.stringify(toDelivery(subscription, detail))}\n`;
  }
}
