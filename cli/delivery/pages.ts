import type { components, paths, Slipway } from '../../client/index.js';

export type Delivery = components['schemas']['Delivery'] & { subscription: string };
type Query = NonNullable<paths['/v2/subscriptions/{id}/deliveries']['get']['parameters']['query']>;

interface Wanted extends Pick<Query, 'type' | 'subject' | 'from' | 'until'> {
  /** Without it, the failed deliveries of all subscriptions. */
  subscription?: string;
  state: NonNullable<Query['state']>;
}

/** The most that the API puts on a page. */
const PAGE_SIZE = 100;

/** Reads deliveries, at most `limit`; a page may be short, so only a missing token ends the list. */
export async function readDeliveries(
  slipway: Slipway,
  { limit, signal, ...wanted }: Wanted & { limit: number; signal: AbortSignal },
): Promise<{ deliveries: Delivery[]; isMore: boolean }> {
  const deliveries: Delivery[] = [];
  let token: string | undefined;
  do {
    const page = { page_size: Math.min(PAGE_SIZE, limit - deliveries.length), ...(token && { page_token: token }) };
    const { items, next } = await readPage(slipway, wanted, page, signal);
    deliveries.push(...items);
    token = next;
  } while (token !== undefined && deliveries.length < limit);
  return { deliveries, isMore: token !== undefined };
}

async function readPage(
  { http }: Slipway,
  { subscription, state, ...filter }: Wanted,
  page: Pick<Query, 'page_size' | 'page_token'>,
  signal: AbortSignal,
): Promise<{ items: Delivery[]; next: string | undefined }> {
  if (subscription === undefined) {
    const { data } = await http.GET('/v2/failed-deliveries', { params: { query: { ...filter, ...page } }, signal });
    return { items: data?.items ?? [], next: data?.next_page_token };
  }
  const { data } = await http.GET('/v2/subscriptions/{id}/deliveries', {
    params: { path: { id: subscription }, query: { state, ...filter, ...page } },
    // Without it, the server may answer with a line for each delivery.
    headers: { Accept: 'application/json' },
    signal,
  });
  if (data === undefined || !('items' in data)) return { items: [], next: undefined }; // the type has the lines, too
  return { items: data.items.map((item) => ({ ...item, subscription })), next: data.next_page_token };
}
