import type { Leaf } from '../dataset/dataset-leaves.js';
import { type Column, createColumn, setValue } from './column.js';
import { setList } from './list.js';
import { createPostings, type Postings } from './postings.js';
import { createRecentRows } from './recent-rows.js';
import { type StoredRow, valueAt } from './stored-row.js';

export type { Column, ListColumn, ScalarColumn } from './column.js';
export type { Postings } from './postings.js';
export { parseStoredRow, type StoredRow, valueAt } from './stored-row.js';

export interface ColumnsOptions {
  /** An index is built anew when this many rows, and this share of all, were set since. */
  lagRows?: number;
  lagShare?: number;
}

export type Columns = ReturnType<typeof createColumns>;

/**
 * The values of a dataset by row number, one column for each leaf that filters or orders may name, with an index from
 * value to rows for texts, enums, ids and references.
 *
 * What a predicate or an order has read of a row stays so until the row is set again: whoever gives a row number to
 * another row makes sure that no search still asks for the first.
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
    /** Puts a row in its place, behind the others or over one that nobody asks for any more. */
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
     * Builds the index anew that lags most, some 20 ms for a million rows. An index that lags is right all the same, but
     * slower: call this from time to time.
     * @returns whether another one lags
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
     * Sorts the texts of a column in steps, so that orders of many rows by it take less; undefined where nothing is to be
     * done. Orders are right without it, and while it goes on.
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
