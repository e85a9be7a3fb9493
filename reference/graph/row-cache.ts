import { LRUCache } from 'lru-cache';
import { parseStoredRow, type StoredRow } from '../columns/index.js';
import type { RowStore } from '../row-store.js';
import { createRowTexts, type RowTexts } from './row-texts.js';

const CACHE_BYTES = 32 * 2 ** 20;

/** A row that was parsed, and what was written of it. */
export interface CachedRow {
  row: StoredRow;
  texts: RowTexts;
}

interface Entry extends CachedRow {
  from: number;
  bytes: number;
}

/** Rows of one dataset: one that many requests show is parsed once. */
export function createRowCache(rows: RowStore): (row: number) => CachedRow {
  const known = new LRUCache<number, Entry>({
    maxSize: CACHE_BYTES,
    // The parsed row, and the texts of it.
    sizeCalculation: ({ bytes }) => bytes * 8 + 400,
  });
  return (number) => {
    // A number may be given to another row, which then is of a later position.
    const from = rows.from(number);
    const found = known.get(number);
    if (found?.from === from) return found;
    const bytes = rows.bytes(number);
    const entry = { from, row: parseStoredRow(bytes.toString()), bytes: bytes.length, texts: createRowTexts() };
    known.set(number, entry);
    return entry;
  };
}
