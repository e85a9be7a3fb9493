import type { AnyResource, Kind } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Condition, Database } from './database.js';
import type { ResourceIndex } from './resource-index.js';
import type { Revision } from './resource-log.js';

/** The database answers: by its indexes, or on the embedded server by reading the whole collection. */
export function createQueriedIndex<E extends AnyResource>(options: {
  database: Database;
  kind: Kind;
}): ResourceIndex<E> {
  const { database, kind } = options;
  const stored = database.table<Revision<E>>(collections.entity(kind));
  // The row of a removed resource has none.
  const exists: Condition = { path: 'entity.kind', in: [kind] };

  return {
    async page({ where, ...range }) {
      const conditions = where.map(({ field, in: values }) => ({ path: `entity.${field}`, in: values }));
      const { rows, total } = await stored.page({ where: [exists, ...conditions], ...range });
      return { items: rows.flatMap(({ entity }) => entity ?? []), total };
    },
  };
}
