import type { Database, Row, Table } from '../../../platform/stores/database.js';

/** A process that dies when it is about to do `operation` on the table `name`. */
export function without(database: Database, name: string, operation: 'insert' | 'put'): Database {
  const dies = async () => Promise.reject(new Error('the process died here'));
  return {
    ...database,
    table: <R extends Row>(asked: string): Table<R> => {
      const table = database.table<R>(asked);
      return asked === name ? { ...table, [operation]: dies } : table;
    },
  };
}
