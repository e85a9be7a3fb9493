import { canonicalText } from '../filter/index.js';
import { orderText } from '../dataset/order.js';
import type { PageRows } from '../dataset/page.js';
import type { PageFacts } from './field-meaning.js';
import { referringFilter } from './reverse-references.js';
import type { Cursors, DatasetView } from './view.js';
import type { RowsWork } from './row-writer.js';

/** A search of one request; with a target, over the rows that refer to that row. */
export interface ConnectionSearch {
  work: RowsWork;
  target?: bigint | undefined;
}

/** Returns the canonical query that cursors of a search are bound to. */
export function queryOf(cursors: Cursors, { work: { view, search, leaf }, target }: ConnectionSearch): string {
  const filter =
    leaf === undefined || target === undefined ? search.filter : referringFilter(leaf, target, search.filter);
  return cursors.queryOf({
    dataset: view.name,
    filter: filter === undefined ? undefined : canonicalText(filter),
    order: orderText(search.order),
  });
}

/** `tested` is set for a search: 0 when its result was cached. */
type FoundPage = Pick<PageRows, 'rows' | 'hasMore' | 'total'> &
  Partial<Pick<PageRows, 'tested'>> & {
    /** Every row of the search, where it is known already. */
    all?: Int32Array;
  };

/** A page of rows of one dataset. */
export class ConnectionPage implements PageFacts {
  readonly rows: readonly number[];
  readonly hasMore: boolean;
  readonly total: number;
  readonly version: number;
  readonly hasPrevious: boolean;
  /** Whether the page came from a cache. */
  readonly isRepeated: boolean;
  readonly #searched: ConnectionSearch;
  readonly #cursors: Cursors;
  readonly #all: Int32Array | undefined;

  constructor(cursors: Cursors, searched: ConnectionSearch, found: FoundPage) {
    const { view, search } = searched.work;
    this.rows = found.rows;
    this.hasMore = found.hasMore;
    this.total = found.total;
    this.version = view.version;
    this.hasPrevious = search.after !== undefined;
    this.isRepeated = found.tested === 0;
    this.#searched = searched;
    this.#cursors = cursors;
    this.#all = found.all;
  }

  get view(): DatasetView {
    return this.#searched.work.view;
  }

  /** Returns every row of the whole search, unordered. */
  async allRows(): Promise<Int32Array> {
    const { view, search } = this.#searched.work;
    const { index, version, pages } = view;
    return this.#all ?? pages.matching({ index, filter: search.filter, version });
  }

  cursorAt(row: number): string {
    const { index, rows } = this.view;
    const query = queryOf(this.#cursors, this.#searched);
    const { generation } = index.declaration;
    return this.#cursors.seal({ query, version: this.version, generation, after: rows.id(row) });
  }

  cursorOf(end: 'first' | 'last'): string | null {
    const row = this.rows.at(end === 'first' ? 0 : -1);
    return row === undefined ? null : this.cursorAt(row);
  }
}
