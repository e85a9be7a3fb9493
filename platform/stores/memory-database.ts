import { textAt } from '../kinds/text-at.js';
import type { Database, PageQuery, Row, Table } from './database.js';

/** The in-memory twin of `connectDatabase` for tests: rows live as long as the object. */
export function createMemoryDatabase(): Database {
  const tables = new Map<string, Map<string, Row>>();

  function table<R extends Row>(name: string): Table<R> {
    // Every caller of a table name uses the same row type.
    const rows = (tables.get(name) ?? new Map<string, Row>()) as Map<string, R>;
    tables.set(name, rows);
    return {
      get: async (id) => structuredClone(rows.get(id)),
      insert: async (row) => {
        if (rows.has(row._id)) return false;
        rows.set(row._id, structuredClone(row));
        return true;
      },
      insertAll: async (given) => {
        const taken: string[] = [];
        for (const row of given) {
          if (rows.has(row._id)) taken.push(row._id);
          else rows.set(row._id, structuredClone(row));
        }
        return taken;
      },
      put: async (row) => void rows.set(row._id, structuredClone(row)),
      remove: async (id) => void rows.delete(id),
      removeAll: async (ids) => ids.forEach((id) => rows.delete(id)),
      async *scan({ descending = false } = {}) {
        const ids = [...rows.keys()].sort();
        for (const id of descending ? ids.reverse() : ids) {
          const row = rows.get(id);
          if (row !== undefined) yield structuredClone(row);
        }
      },
      async *members(names) {
        for (const row of rows.values()) {
          const kept = Object.entries(row).filter(([name]) => name === '_id' || names.some((each) => each === name));
          yield structuredClone(Object.fromEntries(kept)) as typeof row;
        }
      },
      async page({ where, skip, limit }) {
        const found = [...rows.values()].filter((row) => matches(row, where)).sort((a, b) => (a._id < b._id ? -1 : 1));
        return { rows: structuredClone(found.slice(skip, skip + limit)), total: found.length };
      },
    };
  }

  return {
    table,
    ping: async () => {},
    now: () => new Date(),
    scans: async () => true,
    createIndex: async () => {},
    indexNames: async () => [],
    close: async () => {},
  };
}

const matches = (row: Row, where: PageQuery['where']): boolean =>
  where.every(({ path, in: values }) => values.some((value) => value === textAt(row, path)));
