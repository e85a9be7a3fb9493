import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createKeptIndexes } from '../../../platform/stores/kept-indexes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createResourceChanges } from '../../../platform/stores/resource-changes.js';
import { createResourceUpkeep } from '../../../platform/stores/resource-upkeep.js';
import { type Listed, listed, resourceIndexContract, storeOn } from './resource-index.contract.js';
import { without } from './faults.js';

const KIND = 'ModelTraining';
const ALL = { where: [], skip: 0, limit: 100 };

async function openKept(database: Database, { documentBytes = 1_000_000 } = {}) {
  const indexes = createKeptIndexes({ database, documentBytes, pollMs: 5 });
  await indexes.start();
  const index = indexes.of<Listed>(KIND);
  const ids = async () => (await index.page(ALL)).items.map(({ id }) => id);
  return { index, ids, stop: () => indexes.stop() };
}

/** Calls `act` before an operation on a collection. */
function watched(
  database: Database,
  act: (collection: string, operation: keyof Table<Row>) => void | Promise<void>,
): Database {
  return {
    ...database,
    table: <R extends Row>(name: string): Table<R> => {
      const table = database.table<R>(name);
      return {
        ...table,
        get: async (id) => (await act(name, 'get'), table.get(id)),
        page: async (query) => (await act(name, 'page'), table.page(query)),
        put: async (row) => (await act(name, 'put'), table.put(row)),
        async *scan(options) {
          await act(name, 'scan');
          yield* table.scan(options);
        },
        async *members(names) {
          await act(name, 'members');
          yield* table.members(names);
        },
      };
    },
  };
}

describe.each([
  ['with room for all documents', undefined],
  ['with room for one or two', 1_000],
  ['without documents', 0],
])('contract %s', (_, documentBytes) => {
  resourceIndexContract(async () => {
    const database = createMemoryDatabase();
    const indexes = createKeptIndexes({ database, pollMs: 5, ...(documentBytes !== undefined && { documentBytes }) });
    await indexes.start();
    return { database, index: indexes.of(KIND), close: () => indexes.stop() };
  });
});

test('once it is loaded, no page reads a collection', async () => {
  const memory = createMemoryDatabase();
  await storeOn(memory).insert(listed('a'));
  const walks: string[] = [];
  const database = watched(memory, (collection, operation) => {
    if (operation !== 'get') walks.push(`${operation} ${collection}`);
  });
  const { ids, stop } = await openKept(database);
  walks.length = 0;
  await storeOn(memory).insert(listed('b'));
  expect(await ids()).toEqual(['a', 'b']);
  expect(walks).toEqual([]);
  await stop();
});

test('until it is loaded, the database answers; a load that fails is repeated', async () => {
  const memory = createMemoryDatabase();
  await storeOn(memory).insert(listed('a'));
  let failures = 3;
  const walks: string[] = [];
  const database = watched(memory, (collection, operation) => {
    if (operation === 'scan') walks.push(collection);
    if (operation === 'members' && failures-- > 0) throw new SlipwayError('unavailable', 'away');
  });
  const errors: unknown[] = [];
  const indexes = createKeptIndexes({ database, pollMs: 1, onError: (err) => errors.push(err) });
  const index = indexes.of<Listed>(KIND);
  expect(await index.page(ALL)).toMatchObject({ total: 1 });
  expect(walks).toEqual([KIND]);
  await indexes.start();
  expect(errors).toHaveLength(3);
  expect(await index.page(ALL)).toMatchObject({ items: [{ id: 'a' }], total: 1 });
  expect(walks).toEqual([KIND]);
  await indexes.stop();
});

test('writes during a load are not lost, wherever the writer is at that moment', async () => {
  for (const moment of ['members ModelTraining', 'members ModelTrainingLog'] as const) {
    const memory = createMemoryDatabase();
    await storeOn(memory).insert(listed('a'));
    let isLoading = true;
    const database = watched(memory, async (collection, operation) => {
      if (!isLoading || `${operation} ${collection}` !== moment) return;
      isLoading = false;
      await storeOn(memory).insert(listed('b'));
      await storeOn(memory).remove('a');
    });
    const { ids, stop } = await openKept(database);
    expect([moment, await ids()]).toEqual([moment, ['b']]);
    await stop();
  }
});

test('a write whose collection lags behind its log while the index loads is listed, at the latest when it is through', async () => {
  const memory = createMemoryDatabase();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let reached = () => {};
  const atPut = new Promise<void>((resolve) => (reached = resolve));
  const slow = watched(memory, async (collection, operation) => {
    if (operation !== 'put' || collection !== KIND) return;
    reached();
    await released;
  });
  const writing = storeOn(slow).insert(listed('a'));
  await atPut; // its change is in the log, and nothing follows it
  const opened = await Promise.all([openKept(memory), openKept(memory, { documentBytes: 0 })]);
  const pages = () => Promise.all(opened.map(({ ids }) => ids()));
  expect(await pages()).toEqual([['a'], []]);
  release();
  await writing;
  expect(await pages()).toEqual([['a'], ['a']]);
  await Promise.all(opened.map(({ stop }) => stop()));
});

test('a write whose writer died is listed after the collection was healed', async () => {
  const database = createMemoryDatabase();
  const { ids, stop } = await openKept(database);
  const dying = storeOn(without(database, collections.entity(KIND), 'put'));
  await expect(dying.insert(listed('a'))).rejects.toThrow('the process died here');
  await createResourceUpkeep({ database, kind: KIND, resources: storeOn(database) }).heal();
  expect(await ids()).toEqual(['a']);
  await stop();
});

test('a change that arrives again, late, does not bring back a removed resource', async () => {
  const database = createMemoryDatabase();
  const store = storeOn(database);
  const { ids, stop } = await openKept(database);
  await store.insert(listed('a'));
  await store.remove('a');
  await createResourceChanges({ database }).append({ kind: KIND, id: 'a', revision: 1 });
  expect(await ids()).toEqual([]);
  await stop();
});

test('a read that fails does not lose its change', async () => {
  const memory = createMemoryDatabase();
  let isAway = false;
  const database = watched(memory, (collection) => {
    if (isAway && collection === KIND) throw new SlipwayError('unavailable', 'away');
  });
  const { ids, stop } = await openKept(database);
  await storeOn(memory).insert(listed('a'));
  isAway = true;
  await expect(ids()).rejects.toMatchObject({ code: 'unavailable' });
  isAway = false;
  expect(await ids()).toEqual(['a']);
  await stop();
});

test('upkeep removes old changes, and later ones are still followed', async () => {
  const database = createMemoryDatabase();
  const { ids, stop } = await openKept(database);
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = storeOn(database, () => new Date(now));
  const changes = createResourceChanges({ database, now: () => new Date(now) });
  for (const id of ['a', 'b']) await store.insert(listed(id));
  expect(await ids()).toEqual(['a', 'b']);
  expect(await changes.purge(new Date(now + 1))).toBe(0); // a follower may not have read them yet
  now += 3 * 3_600_000;
  await store.insert(listed('c'));
  expect(await changes.purge(new Date(now))).toBe(2);
  await store.remove('a');
  expect(await ids()).toEqual(['b', 'c']);
  const late = await openKept(database);
  await storeOn(database).remove('b');
  expect(await late.ids()).toEqual(['c']);
  await Promise.all([stop(), late.stop()]);
});

test('a resource that changes while its page is read is not shown where it does not match', async () => {
  const memory = createMemoryDatabase();
  await storeOn(memory).insert(listed('a', { state: 'running' }));
  let isReading = false;
  const database = watched(memory, async (collection, operation) => {
    if (!isReading || collection !== KIND || operation !== 'get') return;
    isReading = false;
    await storeOn(memory).update('a', (current) => ({ ...current, status: { ...current.status, state: 'failed' } }));
  });
  const { index, stop } = await openKept(database, { documentBytes: 0 });
  const running = { where: [{ field: 'status.state', in: ['running'] }], skip: 0, limit: 9 } as const;
  isReading = true;
  expect((await index.page(running)).items).toEqual([]);
  expect(await index.page(running)).toEqual({ items: [], total: 0 });
  await stop();
});

test('a load that is under way ends when the process ends', async () => {
  const memory = createMemoryDatabase();
  for (const id of ['a', 'b', 'c']) await storeOn(memory).insert(listed(id));
  let read = 0;
  let end: Promise<void> | undefined;
  const errors: unknown[] = [];
  const database: Database = {
    ...memory,
    table: <R extends Row>(name: string): Table<R> => ({
      ...memory.table<R>(name),
      async *members(names) {
        for await (const row of memory.table<R>(name).members(names)) {
          if (name === KIND && (read += 1) === 2) end = indexes.stop();
          yield row;
        }
      },
    }),
  };
  const indexes = createKeptIndexes({ database, onError: (err) => errors.push(err) });
  void indexes.start();
  while (end === undefined) await turn();
  await end;
  expect([read, errors]).toEqual([2, []]);
});
