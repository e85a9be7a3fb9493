import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { openProcess } from './dataset-process.js';

/**
 * A process to be killed: writes ten entities over and over, and prints a line for each acknowledged write. It kills
 * itself at the moment that the last arguments name: before or after the n-th insert into a collection.
 */
const [uri = '', name = '', dataset = '', moment = '', collection = '', nth = '0'] = process.argv.slice(2);

const die = async (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

function deadly(database: Database): Database {
  let inserts = 0;
  const around = async <T>(insert: () => Promise<T>): Promise<T> => {
    inserts += 1;
    const last = inserts === Number(nth);
    if (last && moment === 'before') await die();
    const result = await insert();
    if (last && moment === 'after') await die();
    return result;
  };
  return {
    ...database,
    table<R extends Row>(asked: string): Table<R> {
      const table = database.table<R>(asked);
      if (asked !== collection) return table;
      return {
        ...table,
        insert: (row) => around(() => table.insert(row)),
        insertAll: (rows) => around(() => table.insertAll(rows)),
      };
    },
  };
}

const writer = openProcess(deadly(await connectDatabase(uri, name)), dataset);
await writer.follower.catchUp();
for (let n = 0; ; n += 1) {
  const id = String((n % 10) + 1);
  const word = `${process.pid}-${n}`;
  const { state } = await writer.writer.write(writer.put(id, word));
  process.stdout.write(`${id} ${state?.version} ${word}\n`);
}
