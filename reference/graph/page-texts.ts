import { LRUCache } from 'lru-cache';
import { holds, type KeptText, type SeenAll } from './kept-text.js';
import type { Planned } from './work.js';

const CACHE_BYTES = 32 * 2 ** 20;

interface Entry extends KeptText {
  fields: readonly Planned[];
}

/**
 * Texts of the rows of pages, each as it was asked for last.
 *
 * A search gives the same list for as long as its version is read: the list stands for the page.
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
