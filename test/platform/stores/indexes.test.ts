import { expect, test } from 'vitest';
import type { Database } from '../../../platform/stores/database.js';
import { ensureIndexes, INDEXES, missingIndexes } from '../../../platform/stores/indexes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';

/** A server with indexes: it refuses a second one of a name, as MongoDB does when its members differ. */
function indexing(scans = false) {
  const created = new Map<string, string[]>();
  const database: Database = {
    ...createMemoryDatabase(),
    scans: async () => scans,
    createIndex: async ({ collection, name, members }) => {
      const key = `${collection}/${name}`;
      if (created.has(key)) throw new Error(`there is an index ${key}`);
      created.set(key, [...members]);
    },
    indexNames: async (collection) =>
      [...created.keys()].flatMap((key) =>
        key.startsWith(`${collection}/`) ? [key.slice(collection.length + 1)] : [],
      ),
  };
  return { database, created };
}

test('a start creates every index, and the next one none', async () => {
  const { database, created } = indexing();
  expect(await missingIndexes(database)).toEqual(INDEXES);
  await ensureIndexes(database);
  expect(created.size).toBe(INDEXES.length);
  await ensureIndexes(database);
  expect(await missingIndexes(database)).toEqual([]);
});

test('an index that was dropped is missing, and made again', async () => {
  const { database, created } = indexing();
  await ensureIndexes(database);
  created.delete('ModelTraining/list by status.state');
  expect((await missingIndexes(database)).map(({ name }) => name)).toEqual(['list by status.state']);
  await ensureIndexes(database);
  expect(await missingIndexes(database)).toEqual([]);
});

test('a server that only scans gets none, and misses none', async () => {
  const { database, created } = indexing(true);
  await ensureIndexes(database);
  expect([created.size, await missingIndexes(database)]).toEqual([0, []]);
});

test('the indexes of trainings hold each filter alone, none, and all of them, in the order of ids', () => {
  const members = INDEXES.filter(({ collection }) => collection === 'ModelTraining').map((index) => index.members);
  const fields = ['spec.toolchain', 'spec.model.name', 'spec.model.version', 'status.state'];
  const paths = fields.map((field) => `entity.${field}`);
  expect(members).toEqual([
    ['entity.kind', '_id'],
    ...paths.map((path) => [path, '_id']),
    ['entity.kind', ...paths, '_id'],
  ]);
});
