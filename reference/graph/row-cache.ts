import { LRUCache } from 'lru-cache';
import { parseStoredRow, type StoredRow } from '../columns/index.js';
import type { RowStore } from '../row-store.js';

const CACHE_BYTES = 16 * 2 ** 20;

/** Parsed rows of one dataset: a row that many requests show is parsed once. */
export function createRowCache(rows: RowStore): (row: number) => StoredRow {
  const known = new LRUCache<number, { from: number; row: StoredRow; bytes: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes * 4 + 200,
  });
  return (number) => {
    // A number may be given to another row, which then is of a later position.
    const from = rows.from(number);
    const found = known.get(number);
    if (found?.from === from) return found.row;
    const bytes = rows.bytes(number);
    const row = parseStoredRow(bytes.toString());
    known.set(number, { from, row, bytes: bytes.length });
    return row;
  };
}
