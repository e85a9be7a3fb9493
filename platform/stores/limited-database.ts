import pLimit from 'p-limit';
import type { Database, Row, Table } from './database.js';

/**
 * A view of a database with a limited number of operations under way: however many callers it has, an operation of another
 * view waits for only so many of theirs. Reads of whole collections are not limited.
 */
export function limitDatabase(database: Database, most: number): Database {
  const limit = pLimit(most);
  return {
    ...database,
    table<R extends Row>(name: string): Table<R> {
      const table = database.table<R>(name);
      return {
        ...table,
        get: (id) => limit(() => table.get(id)),
        insert: (row) => limit(() => table.insert(row)),
        insertAll: (rows) => limit(() => table.insertAll(rows)),
        put: (row) => limit(() => table.put(row)),
        remove: (id) => limit(() => table.remove(id)),
        removeAll: (ids) => limit(() => table.removeAll(ids)),
        page: (query) => limit(() => table.page(query)),
      };
    },
  };
}
