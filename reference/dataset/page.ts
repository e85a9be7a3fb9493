import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { BuiltIndex } from './dataset-index.js';
import { canonicalText, type Filter, isKept } from '../filter/index.js';
import { type Order, orderText } from './order.js';
import { TopRows } from '../rows/top-rows.js';
import { finishInSlices } from '../lookup/steps.js';
import { compileOrder } from '../rows/row-order.js';
import type { RowStore } from '../rows/row-store.js';
import { createSearch, type Plan } from './search.js';

export interface RowsQuery {
  index: BuiltIndex;
  /** Without one, every row. */
  filter?: Filter | undefined;
  /** Dataset version to read: it must still be retained. */
  version: number;
}

export interface PageQuery extends RowsQuery {
  order: Order;
  size: number;
  /** Only rows after the one with this id, which belongs to that version too. */
  after?: bigint | undefined;
}

export interface PageRows {
  rows: readonly number[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  /** Rows of the whole search. */
  total: number;
  /** The access plan, and the number of rows examined; 0 when the result was cached. */
  plan: Plan;
  tested: number;
}

/** Rows examined before the loop yields: some milliseconds. */
const SLICE = 50_000;
/** A search over fewer rows is repeated faster than it is cached. */
const WORTH_KEEPING = 1_000;
/** Ordered rows cached ahead of a walk, so that each next page is read from there. */
const AHEAD = 2_000;
/** From this many rows on, ordering by a text pays for sorting the texts once. */
const WORTH_SORTING = 50_000;
const CACHE_BYTES = 64 * 2 ** 20;
/** Size of a cache entry besides its rows, mostly the parts of the filter. */
const ENTRY_BYTES = 1_000;

interface SearchResult {
  rows: Int32Array;
  plan: Plan;
}

/** The next rows of a walk, in order. */
interface OrderedRows {
  rows: readonly number[];
  /** Whether no rows follow them. */
  isAll: boolean;
}

/**
 * Pages of searches over one dataset. The result of a search at a version never changes, so it is cached for the next
 * page; any other process computes the same result.
 */
export function createPages(rows: RowStore) {
  const found = new LRUCache<string, SearchResult>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (entry, key) => entry.rows.byteLength + key.length * 2 + ENTRY_BYTES,
  });
  /** By the row that they follow. */
  const ordered = new LRUCache<string, OrderedRows>({
    maxSize: CACHE_BYTES / 4,
    sizeCalculation: (list, key) => list.rows.length * 8 + key.length * 2 + 100,
  });

  /** The latest page of each filter. */
  const latest = new WeakMap<object, { query: PageQuery; page: PageRows }>();

  const keyOf = ({ index, filter, version }: RowsQuery): string =>
    `${index.declaration.generation} ${version} ${filter === undefined ? '' : canonicalText(filter)}`;

  async function search(
    { index, filter, version }: RowsQuery,
    key: string,
  ): Promise<SearchResult & { tested: number }> {
    const known = found.get(key);
    if (known !== undefined) return { ...known, tested: 0 };
    if (filter === undefined) {
      const end = rows.end();
      const all = await visibleRows(rows, version);
      const entry = { rows: all, plan: { rows: all.length, end: all.length } };
      found.set(key, entry);
      return { ...entry, tested: end };
    }
    const running = createSearch({
      filter,
      columns: index.columns,
      isVisible: (row) => rows.isAt(row, version),
      findId: (id) => rows.findAt(id, version),
    });
    while (!running.advance(SLICE)) await turn();
    const { plan } = running;
    const tested = running.tested();
    if (tested < WORTH_KEEPING) return { rows: running.found(), plan, tested };
    const entry = { rows: withoutRest(running.found()), plan };
    found.set(key, entry);
    return { ...entry, tested };
  }

  /** Returns rows in order after a row, at least one more than the page has; cached where a key is given. */
  async function order(query: PageQuery, rowsFound: Int32Array, key: string | undefined): Promise<OrderedRows> {
    const { index, version, size, after } = query;
    const known = key === undefined ? undefined : ordered.get(`${after ?? 0n} ${key}`);
    if (known !== undefined && (known.isAll || known.rows.length > size)) return known;
    // A request for a second page is likely to be followed by one for a third.
    const wanted = after === undefined ? size + 1 : Math.max(AHEAD, size + 1);
    if (rowsFound.length >= WORTH_SORTING) sortTexts(query);
    const last = after === undefined ? undefined : rows.findAt(after, version);
    const first = new TopRows({ order: compileOrder(query.order, index.columns), size: wanted, after: last });
    for (let at = 0; at < rowsFound.length; at += SLICE) {
      if (at > 0) await turn();
      first.take(rowsFound.length <= SLICE ? rowsFound : rowsFound.subarray(at, at + SLICE));
    }
    const inOrder = first.list();
    const list = { rows: inOrder, isAll: inOrder.length < wanted };
    // The first page of a search is requested most often.
    if (after === undefined && key !== undefined) ordered.set(`0 ${key}`, list);
    return list;
  }

  async function findPage(query: PageQuery): Promise<PageRows> {
    const { size } = query;
    const key = keyOf(query);
    const { rows: all, plan, tested } = await search(query, key);
    const sorted = all.length < WORTH_KEEPING ? undefined : `${orderText(query.order)} ${key}`;
    const { rows: list, isAll } = await order(query, all, sorted);
    const page = list.slice(0, size);
    const rest = list.slice(size);
    const end = page.at(-1);
    if (end !== undefined && sorted !== undefined && rest.length > size)
      ordered.set(`${rows.id(end)} ${sorted}`, { rows: rest, isAll });
    return { rows: page, hasMore: rest.length > 0, total: all.length, plan, tested };
  }

  return {
    /** Returns every row of that state that matches the filter, unordered. */
    async matching(query: RowsQuery): Promise<Int32Array> {
      return (await search(query, keyOf(query))).rows;
    },
    /** Returns the identical list object for a repeated query whose filter is cached. */
    async page(query: PageQuery): Promise<PageRows> {
      const { filter = EVERY_ROW } = query;
      const before = latest.get(filter);
      if (before !== undefined && isSame(before.query, query)) return before.page;
      const page = await findPage(query);
      if (query.filter === undefined || isKept(query.filter))
        latest.set(filter, { query, page: { ...page, tested: 0 } });
      return page;
    },
  };
}
export type Pages = ReturnType<typeof createPages>;

/** Lists the rows of a version, in slices. */
async function visibleRows(rows: RowStore, version: number): Promise<Int32Array> {
  const all = new Int32Array(rows.end());
  let count = 0;
  for (let row = 0; row < all.length; row += 1) {
    if (row % SLICE === SLICE - 1) await turn();
    if (rows.isAt(row, version)) all[count++] = row;
  }
  return all.slice(0, count);
}

/** Copies a view of a larger buffer, so that a cache entry does not retain the whole buffer. */
const withoutRest = (rows: Int32Array): Int32Array =>
  rows.byteLength === rows.buffer.byteLength ? rows : rows.slice();

/** Sorts in the background, for the next pages by this order. */
function sortTexts({ index, order: [first] }: PageQuery): void {
  const steps =
    first !== undefined && 'leaf' in first && first.leaf.type === 'text'
      ? index.columns.sorting(first.leaf.path)
      : undefined;
  if (steps !== undefined) void finishInSlices(steps);
}

/** Key of `latest` for a query without a filter. */
const EVERY_ROW = {};

function isSame(one: PageQuery, other: PageQuery): boolean {
  return (
    one.index === other.index &&
    one.version === other.version &&
    one.size === other.size &&
    one.after === other.after &&
    one.order.length === other.order.length &&
    // The filter is the same, and so the place that a distance is measured from.
    one.order.every(({ path, descending }, at) => {
      const key = other.order[at];
      return path === key?.path && descending === key.descending;
    })
  );
}
