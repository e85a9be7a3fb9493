import type { Leaf } from '../dataset/dataset-leaves.js';
import { type Column, createColumn, setValue } from './column.js';
import { setList } from './list-column.js';
import { createPostings, type Postings } from './postings.js';
import { createRecentRows } from './recent-rows.js';
import { type StoredRow, valueAt } from './stored-row.js';

export type { Column } from './column.js';
export type { Postings } from './postings.js';
export { parseStoredRow, type StoredRow, valueAt } from './stored-row.js';

export interface ColumnsOptions {
  /** An index is rebuilt when this many rows, and this share of all, were set since it was built. */
  lagRows?: number;
  lagShare?: number;
}

export type Columns = ReturnType<typeof createColumns>;

/**
 * The values of a dataset by row number, one column for each leaf that filters or orders may name, with an index from
 * value to rows for texts, enums, ids and references.
 *
 * The values that a predicate or an order reads for a row stay unchanged until the row is set again: the caller that
 * reuses a row number ensures that no search still needs the earlier row.
 */
export function createColumns(
  leaves: ReadonlyMap<string, Leaf>,
  { lagRows = 4_096, lagShare = 1 / 32 }: ColumnsOptions = {},
) {
  const used = [...leaves.values()].filter(({ filterable, sortable }) => filterable || sortable);
  const columns = new Map<string, Column>(used.map((leaf) => [leaf.path, createColumn(leaf)]));
  const cells = used.flatMap((leaf) => {
    const column = columns.get(leaf.path);
    return column ? [{ leaf, column }] : [];
  });
  const recent = createRecentRows();
  const indexes = new Map<string, Postings>(
    cells.flatMap(({ leaf, column }) => {
      const postings = leaf.filterable ? createPostings(column, recent) : undefined;
      return postings ? [[leaf.path, postings] as const] : [];
    }),
  );
  let end = 0;

  return {
    /** Row numbers are below this. */
    end: () => end,
    /** Sets a row: appends it, or overwrites one that no search needs. */
    set(row: number, values: StoredRow): void {
      end = Math.max(end, row + 1);
      for (const { leaf, column } of cells) {
        const value = valueAt(values, leaf);
        if (column.kind === 'list') setList(column, row, value);
        else setValue(column, row, value);
      }
      recent.add(row);
    },
    /** The column of a leaf; undefined when it may be neither filtered nor sorted by. */
    column: (path: string): Column | undefined => columns.get(path),
    /** The index of a leaf, where it has one. */
    index: (path: string): Postings | undefined => indexes.get(path),
    /**
     * Rebuilds the index that lags most, about 20 ms for a million rows. A lagging index is correct but slower: call
     * this regularly.
     * @returns whether another index lags
     */
    maintain(): boolean {
      const limit = Math.max(lagRows, end * lagShare);
      const lagging = [...indexes.values()].filter((postings) => postings.lag() > limit);
      const [worst] = lagging.toSorted((one, other) => other.lag() - one.lag());
      worst?.rebuild(end);
      recent.forget(Math.min(recent.now(), ...[...indexes.values()].map((postings) => postings.builtAt())));
      return lagging.length > 1;
    },
    /**
     * Sorts the texts of a column in steps, which speeds up orders of many rows; undefined when nothing is to be done.
     * Orders are correct without it, and during it.
     */
    sorting(path: string): Generator<void> | undefined {
      const column = columns.get(path);
      return column?.kind === 'text' ? column.ranks.sorting() : undefined;
    },
    sizeBytes(): number {
      const sizes = [...columns.values(), ...indexes.values()].map((part) => sizeOf(part));
      return sizes.reduce((sum, size) => sum + size, recent.sizeBytes());
    },
  };
}

function sizeOf(part: Column | Postings): number {
  if (!('kind' in part)) return part.sizeBytes();
  switch (part.kind) {
    case 'list':
      return part.starts.byteLength + part.counts.byteLength + sizeOf(part.items);
    case 'text':
      return part.codes.byteLength + part.dictionary.sizeBytes() + part.ranks.sizeBytes();
    case 'id':
      return part.codes.byteLength + part.dictionary.sizeBytes();
    case 'int64':
      return part.high.byteLength + part.low.byteLength + part.present.byteLength;
    case 'number':
      return part.values.byteLength;
  }
}
