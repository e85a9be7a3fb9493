import type { Leaf } from '../resources/dataset-leaves.js';
import type { DatasetLookup } from '../resources/dataset.js';
import { parseStoredRow, type StoredRow, valueAt } from './columns/index.js';
import type { LookupRow } from './lookup/document.js';
import { createLookupIndex, type LookupIndex } from './lookup/lookup-index.js';
import type { RowStore } from './row-store.js';

/** Search as you type over stored rows, by the same row numbers. */
export interface RowLookup {
  index: LookupIndex;
  /** What the index takes in of a row. */
  show(row: number, values: StoredRow): LookupRow;
}

export interface RowLookupOptions {
  rows: RowStore;
  leaves: ReadonlyMap<string, Leaf>;
  lookup: DatasetLookup;
}

/** An empty one: every state that some reader may ask for goes in, and who asks refuses those of other versions. */
export function createRowLookup({ rows, leaves, lookup }: RowLookupOptions): RowLookup {
  const { fields: names, aliases, weight } = lookup;
  const weightLeaf = leaves.get(weight ?? '');

  function show(row: number, values: StoredRow): LookupRow {
    const heavy = weightLeaf && valueAt(values, weightLeaf);
    return {
      id: rows.id(row),
      weight: heavy === undefined ? undefined : Number(heavy),
      texts(path) {
        const leaf = leaves.get(path);
        // A field that was retyped holds other things, until the index for its new type takes the place of this one.
        return [leaf && valueAt(values, leaf)].flat().filter((value) => typeof value === 'string');
      },
    };
  }

  const source = (row: number) => show(row, parseStoredRow(rows.bytes(row).toString()));
  return { index: createLookupIndex({ fields: { names, aliases }, source }), show };
}
