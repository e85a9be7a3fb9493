import type { Slipway } from '../../client/index.js';

/** Integers beyond 2^53 are text. */
export type Row = Readonly<Record<string, unknown>>;

export interface Wanted {
  dataset: string;
  filter?: string;
  orderBy?: string;
  fields?: string;
  asOf?: number;
  limit: number;
}

/** The most that the API puts on a page. */
const PAGE_SIZE = 500;

/** Reads rows page by page, at most `limit`. The last page says how many there are in all. */
export async function* readRowPages(
  { http }: Slipway,
  { dataset, filter, orderBy, fields, asOf, limit }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<{ rows: readonly Row[]; total: number }> {
  let token: string | undefined;
  let left = limit;
  do {
    const query = {
      page_size: Math.min(PAGE_SIZE, left),
      ...(orderBy !== undefined && { order_by: orderBy }),
      ...(fields !== undefined && { fields }),
      ...(asOf !== undefined && { as_of: asOf }),
      ...(token !== undefined && { page_token: token }),
    };
    const path = { dataset };
    const { data } =
      filter === undefined
        ? await http.GET('/v2/{dataset}', { params: { path, query }, signal })
        : await http.GET('/v2/{dataset}/search', { params: { path, query: { ...query, q: filter } }, signal });
    const { items: rows = [], total_size: total = 0, next_page_token: next } = data ?? {};
    left -= rows.length;
    token = next;
    yield { rows, total };
  } while (token !== undefined && left > 0);
}
