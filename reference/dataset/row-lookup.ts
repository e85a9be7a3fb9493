import type { Leaf } from './dataset-leaves.js';
import type { DatasetLookup } from './dataset.js';
import { parseStoredRow, type StoredRow, valueAt } from '../columns/index.js';
import type { LookupRow } from '../lookup/document.js';
import { createLookupIndex, type LookupIndex, lookupIndexFromBytes } from '../lookup/lookup-index.js';
import type { RowStore } from '../rows/row-store.js';
import { type TextFieldReader, textFieldReader } from '../rows/text-field-reader.js';

/** Search as you type over stored rows, by the same row numbers. */
export interface RowLookup {
  index: LookupIndex;
  /** Returns the values of a row that the index needs. */
  show(row: number, values: StoredRow): LookupRow;
}

export interface RowLookupOptions {
  rows: RowStore;
  leaves: ReadonlyMap<string, Leaf>;
  lookup: DatasetLookup;
  /** Canonical text of the declared fields and lookup: an index saved for another text is refused. */
  madeFor: string;
  /** A saved index over the same row numbers. */
  saved?: Uint8Array | undefined;
}

/**
 * Creates an empty lookup, or one from a saved index. It contains every state that a reader may request; the query
 * filters by version.
 * @throws unavailable when the saved index is damaged or was made for another declaration
 */
export function createRowLookup({ rows, leaves, lookup, madeFor, saved }: RowLookupOptions): RowLookup {
  const { fields: names, aliases, weight } = lookup;
  const weightLeaf = leaves.get(weight ?? '');

  function show(row: number, values: StoredRow): LookupRow {
    const heavy = weightLeaf && valueAt(values, weightLeaf);
    return {
      id: rows.id(row),
      weight: heavy === undefined ? undefined : Number(heavy),
      texts(path) {
        const leaf = leaves.get(path);
        // A retyped field holds other values until the index for its new type replaces this one.
        return [leaf && valueAt(values, leaf)].flat().filter((value) => typeof value === 'string');
      },
    };
  }

  const readers = new Map<string, TextFieldReader>();
  for (const path of [...names, ...aliases]) {
    const leaf = leaves.get(path);
    const reader = leaf && textFieldReader(leaf, leaves);
    if (reader) readers.set(path, reader);
  }

  /** Reads one text of a hit without parsing the whole row. */
  function source(row: number): LookupRow {
    const bytes = rows.bytes(row);
    let parsed: LookupRow | undefined;
    return {
      id: rows.id(row),
      get weight() {
        return (parsed ??= parse(row)).weight;
      },
      texts(path) {
        return readers.get(path)?.(bytes) ?? (parsed ??= parse(row)).texts(path);
      },
    };
  }
  function parse(row: number): LookupRow {
    return show(row, parseStoredRow(rows.bytes(row).toString()));
  }

  const options = { fields: { names, aliases }, source, madeFor };
  return { index: saved ? lookupIndexFromBytes(saved, options) : createLookupIndex(options), show };
}
