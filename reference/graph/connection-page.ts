import type { PageRows } from '../page.js';
import type { PageFacts } from './meaning.js';
import type { Cursors, DatasetView } from './view.js';
import type { RowsWork } from './row-writer.js';

export interface ConnectionPageOptions {
  work: RowsWork;
  found: Pick<PageRows, 'rows' | 'hasMore' | 'total'>;
  /** The search that finds the rows, as cursors are bound to it. */
  queryOf: () => string;
  cursors: Cursors;
}

/** A page of rows of one dataset. */
export class ConnectionPage implements PageFacts {
  readonly view: DatasetView;
  readonly rows: readonly number[];
  readonly hasMore: boolean;
  readonly total: number;
  readonly version: number;
  readonly hasPrevious: boolean;
  readonly #queryOf: () => string;
  readonly #cursors: Cursors;

  constructor({ work: { view, search }, found, queryOf, cursors }: ConnectionPageOptions) {
    this.view = view;
    this.rows = found.rows;
    this.hasMore = found.hasMore;
    this.total = found.total;
    this.version = view.version;
    this.hasPrevious = search.after !== undefined;
    this.#queryOf = queryOf;
    this.#cursors = cursors;
  }

  cursorAt(row: number): string {
    const { index, rows } = this.view;
    const { generation } = index.declaration;
    return this.#cursors.seal({ query: this.#queryOf(), version: this.version, generation, after: rows.id(row) });
  }

  cursorOf(end: 'first' | 'last'): string | null {
    const row = this.rows.at(end === 'first' ? 0 : -1);
    return row === undefined ? null : this.cursorAt(row);
  }
}
