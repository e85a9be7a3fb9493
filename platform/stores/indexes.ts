import { collections } from './collections.js';
import type { Database } from './database.js';
import { listedFields, LISTED_KINDS, type ListedKind } from './listed-fields.js';

/** An index of one collection. Its name says its members, so a changed index is another one. */
export interface CollectionIndex {
  collection: string;
  name: string;
  /** Paths of names joined by dots; ascending. */
  members: readonly string[];
}

/** Every index beside that of `_id`, which each collection has. */
export const INDEXES: readonly CollectionIndex[] = LISTED_KINDS.flatMap(indexesOf);

/**
 * The kind is a member of the resources that are not removed. Each index ends with the id, so that pages are found in their
 * order and without reading documents; the last one holds all fields, for filters by several.
 */
function indexesOf(kind: ListedKind): CollectionIndex[] {
  const fields = listedFields(kind);
  const all = fields.length > 1 ? [['kind', ...fields]] : [];
  const rows = [['kind'], ...fields.map((field) => [field]), ...all];
  return rows.map((row) => ({
    collection: collections.entity(kind),
    name: `list by ${row.join(', ')}`,
    members: [...row.map((field) => `entity.${field}`), '_id'],
  }));
}

/** Creates the indexes that are missing, unless the server has none. @throws unavailable */
export async function ensureIndexes(database: Database): Promise<void> {
  for (const index of await missingIndexes(database)) await database.createIndex(index);
}

/** @throws unavailable */
export async function missingIndexes(database: Database): Promise<CollectionIndex[]> {
  if (await database.scans()) return [];
  const known = new Map<string, readonly string[]>();
  for (const { collection } of INDEXES) {
    if (!known.has(collection)) known.set(collection, await database.indexNames(collection));
  }
  return INDEXES.filter(({ collection, name }) => known.get(collection)?.includes(name) !== true);
}
