import type { BuiltIndex } from '../dataset/dataset-index.js';
import type { Filter } from '../filter/index.js';
import type { Pages } from '../dataset/page.js';
import type { RowStore } from '../rows/row-store.js';

/** One dataset as one request reads it: at one version, with the declaration that the schema was made of. */
export interface DatasetView {
  name: string;
  rows: RowStore;
  pages: Pages;
  index: BuiltIndex;
  version: number;
  /** Only rows that match are read. */
  rule?: Filter | undefined;
  /** Commit time of the version. */
  asOf: string;
}

/** A position in a walk, bound to its search. */
interface CursorPosition {
  /** The search in its canonical form; the same text that a page token of REST is bound to. */
  query: string;
  version: number;
  /** Generation of the declaration. */
  generation: number;
  after: bigint;
}

/** Seals and opens the cursors of connections. */
export interface Cursors {
  queryOf(search: { dataset: string; filter: string | undefined; order: string }): string;
  seal(place: CursorPosition): string;
  /** Returns the version of a cursor; waits briefly until this process has it. */
  versionOf(cursor: string, dataset: string): Promise<number>;
  /** @throws page.token_mismatch, page.token_expired */
  open(cursor: string, asked: { query: string; dataset: string; generation: number }): Promise<CursorPosition>;
}
