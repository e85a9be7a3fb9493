import { LRUCache } from 'lru-cache';
import { holds, type KeptText, type SeenAll } from './kept-text.js';
import type { Planned } from './work.js';

const CACHE_BYTES = 32 * 2 ** 20;

interface Entry extends KeptText {
  fields: readonly Planned[];
}

/**
 * Cache of the text of the rows of a page, one per page: the latest.
 *
 * A search returns the same list object for as long as its version is read: the list identifies the page.
 */
export function createPageTexts() {
  const known = new LRUCache<readonly number[], Entry>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ text, reads }) => text.length * 2 + (reads?.length ?? 0) * 8 + 400,
  });
  return {
    get(rows: readonly number[], fields: readonly Planned[], now: SeenAll): string | undefined {
      const found = known.get(rows);
      return found?.fields === fields && holds(found, now) ? found.text : undefined;
    },
    set(rows: readonly number[], entry: Entry): void {
      known.set(rows, entry);
    },
  };
}
