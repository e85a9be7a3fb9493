import { LRUCache } from 'lru-cache';
import { parseStoredRow, type StoredRow } from '../columns/index.js';
import type { RowStore } from '../row-store.js';
import { holds, type KeptText, type ReadRow, type SeenAll, type Written } from './kept-text.js';
import type { Planned } from './work.js';

const CACHE_BYTES = 32 * 2 ** 20;
/** As many ways of showing a row as are kept. */
const MOST = 4;

/** A row that was parsed, and what was written of it. */
export interface CachedRow {
  state: ReadRow;
  values: StoredRow;
  texts: RowTexts;
}

interface Entry extends CachedRow {
  bytes: number;
}

/** Rows of one dataset: one that many requests show is parsed once. */
export function createRowCache(rows: RowStore): (row: number) => CachedRow {
  const known = new LRUCache<number, Entry>({
    maxSize: CACHE_BYTES,
    // The parsed row, and the texts of it.
    sizeCalculation: ({ bytes }) => bytes * 8 + 400,
  });
  return (row) => {
    const from = rows.from(row);
    const found = known.get(row);
    if (found?.state.from === from) return found;
    const bytes = rows.bytes(row);
    const values = parseStoredRow(bytes.toString());
    const entry = { state: { rows, row, from }, values, bytes: bytes.length, texts: createRowTexts() };
    known.set(row, entry);
    return entry;
  };
}

export type RowTexts = ReturnType<typeof createRowTexts>;

/** Texts of one row, which itself never changes, by the fields that were asked for. */
function createRowTexts() {
  const kept = new Map<readonly Planned[], KeptText>();
  return {
    get(fields: readonly Planned[], now: SeenAll): Written | undefined {
      const found = kept.get(fields);
      return found !== undefined && holds(found, now) ? found : undefined;
    },
    set(fields: readonly Planned[], seen: SeenAll, { text, reads }: Written): void {
      if (kept.size >= MOST && !kept.has(fields)) kept.clear();
      kept.set(fields, { text, reads, seen });
    },
  };
}
