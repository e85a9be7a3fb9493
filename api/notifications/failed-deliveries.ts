import { z } from 'zod';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { shortHash } from '../http/etag.js';
import { readQuery, toCount } from '../http/parameters.js';
import type { ReferenceStep } from '../reference/state.js';
import { type DeliveryExaminationDeps, examineDeliveries } from './delivery-examination.js';
import { FILTER_NAMES, readDeliveryFilter } from './delivery-filter.js';
import { collectDeliveryPage, parseToken } from './delivery-page.js';
import { toDelivery } from './delivery-view.js';
import { mayReadSubscription } from './stream-scopes.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

export interface FailedDeliveriesOptions extends DeliveryExaminationDeps {
  subscriptions: Pick<ResourceStore<Subscription>, 'list'>;
  /** Seals page tokens. */
  box: SecretBox;
}

/** A position in the list: the deliveries of `subscription` before `sequence` come next. */
interface Position {
  subscription: string;
  sequence: number;
}

const MOST = 100;
const FILTERS = FILTER_NAMES.filter((name) => name !== 'state');
/** Subscriptions that one page passes, and those among them whose deliveries it reads: the next page continues. */
const MOST_SUBSCRIPTIONS = 500;
const MOST_READ = 20;

/** `GET /v2/failed-deliveries`: the failed deliveries of all subscriptions that the client may read, one after the other. */
export const createFailedDeliveries =
  (options: FailedDeliveriesOptions): ReferenceStep =>
  async (ctx) => {
    const { box } = options;
    const { client } = ctx.state;
    const query = readQuery(ctx, ['page_size', 'page_token', ...FILTERS]);
    const filter = readDeliveryFilter({ ...query, state: 'failed' });
    const size = query.page_size === undefined ? 20 : toCount('page_size', query.page_size, { from: 1, to: MOST });
    const hash = shortHash(JSON.stringify(FILTERS.map((name) => query[name] ?? null)));
    const from = query.page_token === undefined ? undefined : openToken(box, hash, query.page_token);
    const subscriptions = (await options.subscriptions.list())
      .filter(({ id, status }) => status.state !== 'removed' && id >= (from?.subscription ?? ''))
      .filter((each) => mayReadSubscription(client, each))
      .sort((one, other) => (one.id < other.id ? -1 : 1));

    const items: object[] = [];
    let next: Position | undefined;
    let read = 0;
    for (const [index, subscription] of subscriptions.entries()) {
      const { id } = subscription;
      if (index === MOST_SUBSCRIPTIONS || read === MOST_READ)
        next = { subscription: id, sequence: Number.MAX_SAFE_INTEGER };
      if (next !== undefined) break;
      if ((await options.progress.get(id))?.counts.failed === 0) continue;
      read += 1;
      const before = id === from?.subscription ? from.sequence : undefined;
      const examined = examineDeliveries(options, { subscription, filter, before });
      const { details, last } = await collectDeliveryPage(examined, size - items.length);
      items.push(...details.map((detail) => ({ subscription: id, ...toDelivery(subscription, detail) })));
      if (last !== undefined) next = { subscription: id, sequence: last };
    }
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { items, next_page_token: next && sealToken(box, hash, next) };
  };

const Token = z.tuple([z.literal('failed'), z.string(), z.string(), z.int()]);

const sealToken = (box: SecretBox, query: string, { subscription, sequence }: Position): string =>
  box.seal(JSON.stringify(['failed', query, subscription, sequence]), secretPlaces.token('failed'));

/** @throws page.token_malformed, page.token_mismatch */
function openToken(box: SecretBox, query: string, token: string): Position {
  const [, known, subscription, sequence] = parseToken({ box, place: secretPlaces.token('failed'), token }, Token);
  if (known === query) return { subscription, sequence };
  throw new SlipwayError(
    'page.token_mismatch',
    'page_token belongs to another filter: repeat the query of the previous page',
  );
}
