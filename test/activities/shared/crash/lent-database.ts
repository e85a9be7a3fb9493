import type { ChildProcess } from 'node:child_process';
import { SlipwayError } from '../../../../platform/kinds/errors.js';
import type { Database, Row, Table } from '../../../../platform/stores/database.js';

/** A call of a table over the channel between a process and its child. */
interface Call {
  call: number;
  table: string;
  operation: 'get' | 'insert' | 'insertAll' | 'put' | 'remove' | 'removeAll' | 'scan' | 'members' | 'page';
  given: unknown;
}
interface Answer {
  call: number;
  result?: unknown;
  unavailable?: true;
}

/** Lends a database to a child: the child's writes stay when it is killed, as with any server. */
export function lend(child: ChildProcess, database: Database): void {
  child.on('message', (message: Call) => {
    if (message.call === undefined) return;
    void run(database, message).then((answer) => {
      if (child.connected) child.send(answer, () => {}); // it may be dead by then
    });
  });
}

async function run(database: Database, { call, table: name, operation, given }: Call): Promise<Answer> {
  const table = database.table<Row>(name);
  try {
    // The types are those of the child's own call.
    if (operation === 'scan' || operation === 'members') {
      const rows: Row[] = [];
      for await (const row of (table[operation] as (given: unknown) => AsyncIterable<Row>)(given)) rows.push(row);
      return { call, result: rows };
    }
    return { call, result: await (table[operation] as (given: unknown) => Promise<unknown>)(given) };
  } catch {
    return { call, unavailable: true };
  }
}

/** The database that the parent lends. */
export function borrow(): Database {
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  process.on('message', (answer: Answer) => {
    waiting.get(answer.call)?.(answer);
    waiting.delete(answer.call);
  });
  const ask = async <T>(table: string, operation: Call['operation'], given: unknown): Promise<T> => {
    const call = (calls += 1);
    const answered = new Promise<Answer>((resolve) => waiting.set(call, resolve));
    process.send?.({ call, table, operation, given } satisfies Call);
    const { result, unavailable } = await answered;
    if (unavailable) throw new SlipwayError('unavailable', 'the database does not answer');
    return result as T;
  };
  return {
    table: <R extends Row>(name: string): Table<R> => ({
      get: (id) => ask(name, 'get', id),
      insert: (row) => ask(name, 'insert', row),
      insertAll: (rows) => ask(name, 'insertAll', rows),
      put: (row) => ask(name, 'put', row),
      remove: (id) => ask(name, 'remove', id),
      removeAll: (ids) => ask(name, 'removeAll', ids),
      async *scan(options) {
        yield* await ask<R[]>(name, 'scan', options);
      },
      async *members(names) {
        yield* await ask<R[]>(name, 'members', names);
      },
      page: (query) => ask(name, 'page', query),
    }),
    ping: async () => {},
    now: () => new Date(),
    scans: async () => true,
    createIndex: async () => {},
    indexNames: async () => [],
    close: async () => {},
  };
}
