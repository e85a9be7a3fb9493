import { LRUCache } from 'lru-cache';
import { isValidAt, type CachedText, type DatasetVersions } from './cached-text.js';
import type { PlannedField } from './planned-field.js';

const CACHE_BYTES = 32 * 2 ** 20;

interface Entry extends CachedText {
  fields: readonly PlannedField[];
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
    get(rows: readonly number[], fields: readonly PlannedField[], now: DatasetVersions): string | undefined {
      const found = known.get(rows);
      return found?.fields === fields && isValidAt(found, now) ? found.text : undefined;
    },
    set(rows: readonly number[], entry: Entry): void {
      known.set(rows, entry);
    },
  };
}
