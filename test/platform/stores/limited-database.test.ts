import { expect, test } from 'vitest';
import type { Row } from '../../../platform/stores/database.js';
import { limitDatabase } from '../../../platform/stores/limited-database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { until } from '../../stack/scratch.js';

test('only so many operations are under way, on all tables together; those of the database itself are not limited', async () => {
  const memory = createMemoryDatabase();
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let begun = 0;
  const slow = {
    ...memory,
    table: <R extends Row>(name: string) => {
      const table = memory.table<R>(name);
      const get = async (id: string) => {
        begun += 1;
        await finished;
        return table.get(id);
      };
      return { ...table, get };
    },
  };
  const limited = limitDatabase(slow, 3);
  const reads = Array.from({ length: 10 }, (_, n) => limited.table(n % 2 ? 'one' : 'other').get('id'));
  await until(() => begun === 3);
  const beside = slow.table('one').get('id');
  expect(begun).toBe(4);
  finish();
  expect(await Promise.all([...reads, beside])).toEqual(Array.from({ length: 11 }, () => undefined));
});

test('a limited table does all that the table does', async () => {
  const memory = createMemoryDatabase();
  const [table, own] = [
    limitDatabase(memory, 1).table<Row & { n: number }>('t'),
    memory.table<Row & { n: number }>('t'),
  ];
  expect([await table.insert({ _id: 'a', n: 1 }), await table.insert({ _id: 'a', n: 2 })]).toEqual([true, false]);
  expect(
    await table.insertAll([
      { _id: 'a', n: 3 },
      { _id: 'b', n: 4 },
    ]),
  ).toEqual(['a']);
  await table.put({ _id: 'c', n: 5 });
  await table.remove('a');
  await table.removeAll(['b']);
  expect([await own.get('a'), await own.get('b'), await table.get('c')]).toEqual([
    undefined,
    undefined,
    { _id: 'c', n: 5 },
  ]);
});
