import { setImmediate as turn } from 'node:timers/promises';
import type { Leaf } from './dataset-leaves.js';
import { ABSENT } from '../columns/column.js';
import { type Columns, parseStoredRow, valueAt } from '../columns/index.js';
import type { RowStore } from '../rows/row-store.js';

/** One dataset at one version, with the references of its rows. */
export interface ReferenceView {
  rows: RowStore;
  version: number;
  leaves: readonly Leaf[];
  /** Without it, or for a leaf that has no column, each row is parsed. */
  columns: Columns | undefined;
  /** Whether this id of a dataset is there. */
  exists: (dataset: string, id: bigint) => boolean;
}

/** A reference that leads to nothing. */
export interface DanglingReference {
  field: string;
  dataset: string;
  id: bigint;
}

/** Rows examined before the loop yields. */
const SLICE = 5_000;

/** Finds the rows with references to missing rows, ordered by id, and counts those references. */
export async function findDangling(referring: ReferenceView): Promise<{ rows: Int32Array; references: number }> {
  const { rows, version } = referring;
  const look = createDanglingFinder(referring);
  const found: number[] = [];
  let references = 0;
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (row % SLICE === SLICE - 1) await turn();
    if (!rows.isAt(row, version)) continue;
    const { length } = look(row);
    if (length > 0) found.push(row);
    references += length;
  }
  found.sort((one, other) => (rows.id(one) < rows.id(other) ? -1 : 1));
  return { rows: Int32Array.from(found), references };
}

/** Creates a function that lists the dangling references of a row. */
export function createDanglingFinder({
  rows,
  leaves,
  columns,
  exists,
}: ReferenceView): (row: number) => readonly DanglingReference[] {
  const readers = leaves.map((leaf) => {
    const { dataset = '', steps } = leaf;
    return { dataset, field: steps.slice(0, -1).join('.'), read: readerOf(leaf, rows, columns) };
  });
  // Called for every read, and most rows have no dangling reference: allocate nothing for those.
  return (row) => {
    let found: DanglingReference[] | undefined;
    for (const { dataset, field, read } of readers) {
      for (const id of read(row)) {
        if (!exists(dataset, id)) (found ??= []).push({ field, dataset, id });
      }
    }
    return found ?? NONE;
  };
}
const NONE: readonly never[] = [];

/** A column replaces its arrays when it grows, so the arrays are looked up for each row. */
function readerOf(leaf: Leaf, rows: RowStore, columns: Columns | undefined): (row: number) => readonly bigint[] {
  const column = columns?.column(leaf.path);
  if (column?.kind === 'id') {
    return (row) => {
      const code = column.codes[row] ?? ABSENT;
      return code === ABSENT ? NONE : [column.dictionary.value(code)];
    };
  }
  if (column?.kind === 'list') {
    return (row) => {
      const { items, starts, counts } = column;
      const start = starts[row] ?? 0;
      if (items.kind !== 'id') return NONE;
      const ids: bigint[] = [];
      const end = start + (counts[row] ?? 0);
      for (let at = start; at < end; at += 1) ids.push(items.dictionary.value(items.codes[at] ?? ABSENT));
      return ids;
    };
  }
  return (row) =>
    [valueAt(parseStoredRow(rows.bytes(row).toString()), leaf)]
      .flat()
      .flatMap((value) => (typeof value === 'string' ? BigInt(value) : []));
}
