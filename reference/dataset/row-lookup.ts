import type { Leaf } from './dataset-leaves.js';
import type { DatasetLookup } from './dataset.js';
import { parseStoredRow, type StoredRow, valueAt } from '../columns/index.js';
import type { LookupRow } from '../lookup/document.js';
import { createLookupIndex, type LookupIndex, lookupIndexFromBytes } from '../lookup/lookup-index.js';
import type { RowStore } from '../rows/row-store.js';
import { type RowTextReader, rowTextReader } from '../rows/row-texts.js';

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
  /** The declared fields and lookup in words: an index that was saved for others is refused. */
  madeFor: string;
  /** As it was saved, over the same row numbers. */
  saved?: Uint8Array | undefined;
}

/**
 * An empty one, or one that was saved: every state that some reader may ask for goes in, and who asks refuses those of
 * other versions.
 * @throws unavailable when what was saved is damaged or of something else
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
        // A field that was retyped holds other things, until the index for its new type takes the place of this one.
        return [leaf && valueAt(values, leaf)].flat().filter((value) => typeof value === 'string');
      },
    };
  }

  const readers = new Map<string, RowTextReader>();
  for (const path of [...names, ...aliases]) {
    const leaf = leaves.get(path);
    const reader = leaf && rowTextReader(leaf, leaves);
    if (reader) readers.set(path, reader);
  }

  /** For one text of a hit the whole row is not parsed. */
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
