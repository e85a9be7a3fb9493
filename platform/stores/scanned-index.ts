import type { AnyResource, Kind } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { meets, type ResourceIndex } from './resource-index.js';
import type { Revision } from './resource-log.js';

/** Reads the whole collection for each page: right at any time, and slow. */
export function createScannedIndex<E extends AnyResource>(options: {
  database: Database;
  kind: Kind;
}): ResourceIndex<E> {
  const stored = options.database.table<Revision<E>>(collections.entity(options.kind));
  return {
    async page({ where, skip, limit }) {
      const found: E[] = [];
      for await (const { entity } of stored.scan()) if (entity !== null && meets(entity, where)) found.push(entity);
      return { items: found.slice(skip, skip + limit), total: found.length };
    },
  };
}
