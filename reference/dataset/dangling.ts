import { setImmediate as turn } from 'node:timers/promises';
import type { Leaf } from './dataset-leaves.js';
import { ABSENT } from '../columns/column.js';
import { type Columns, parseStoredRow, valueAt } from '../columns/index.js';
import type { RowStore } from '../rows/row-store.js';

/** One dataset at one version, and the references of its rows. */
export interface Referring {
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

/** Rows that are looked at before others get their turn. */
const SLICE = 5_000;

/** Rows with references that lead to nothing, by their ids, and how many references these are. */
export async function findDangling(referring: Referring): Promise<{ rows: Int32Array; references: number }> {
  const { rows, version } = referring;
  const look = createLook(referring);
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

/** What is wrong with single rows. */
export function createLook({
  rows,
  leaves,
  columns,
  exists,
}: Referring): (row: number) => readonly DanglingReference[] {
  const readers = leaves.map((leaf) => {
    const { dataset = '', steps } = leaf;
    return { dataset, field: steps.slice(0, -1).join('.'), read: readerOf(leaf, rows, columns) };
  });
  // Most rows lack nothing, and every read looks: so nothing is made for those.
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

/** Columns hold their arrays anew when they grow, so these are looked up for each row. */
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
