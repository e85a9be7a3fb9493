import { afterEach, expect, test } from 'vitest';
import {
  createLiveDataset,
  type LiveDataset,
  type LiveDatasetOptions,
} from '../../../reference/stores/live-dataset.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { openDatasets } from './open-datasets.js';

const opened: LiveDataset[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((dataset) => dataset.stop()));
});

/** Opens a dataset with rows, and further processes that load it. */
async function open() {
  const scene = await openDatasets();
  await scene.declare('words', { name: { type: 'text' }, size: { type: 'integer' } });
  for (const id of [1, 2, 3]) await scene.put('words', id, { name: `n${id}`, size: BigInt(id) });
  const load = (more: Partial<LiveDatasetOptions> = {}): LiveDataset => {
    const dataset = createLiveDataset({ database: scene.database, name: 'words', ...more });
    opened.push(dataset);
    return dataset;
  };
  return { ...scene, load };
}

/** A database whose reads of the log fail while `away` is set. */
function failing(database: Database, state: { away: boolean; reads: number }): Database {
  return {
    ...database,
    table<R extends Row>(name: string): Table<R> {
      const table = database.table<R>(name);
      return {
        ...table,
        get: async (id) => {
          state.reads += 1;
          if (state.away) throw new Error('the database does not answer');
          return table.get(id);
        },
      };
    },
  };
}

test('before its start a dataset has no state, after it that of the end of the log', async () => {
  const { load } = await open();
  const dataset = load();
  expect([dataset.isReady, dataset.replica.position, dataset.replica.declaration]).toEqual([false, 0, undefined]);
  await dataset.start();
  expect([dataset.isReady, dataset.replica.rows.live(), dataset.index]).toEqual([true, 3, undefined]);
});

test('starts at the same time are one start, and a later one reads nothing', async () => {
  const { load, database } = await open();
  const state = { away: false, reads: 0 };
  const dataset = load({ database: failing(database, state) });
  await Promise.all([dataset.start(), dataset.start(), dataset.start()]);
  expect(dataset.replica.rows.live()).toBe(3);
  await dataset.stop();
  const { reads } = state;
  await dataset.start();
  expect(state.reads).toBe(reads);
});

test('a start that fails is tried again from where it was', async () => {
  const { load, database } = await open();
  const state = { away: true, reads: 0 };
  const dataset = load({ database: failing(database, state) });
  await expect(dataset.start()).rejects.toThrow('does not answer');
  expect(dataset.isReady).toBe(false);
  state.away = false;
  await dataset.start();
  expect([dataset.isReady, dataset.replica.rows.live()]).toEqual([true, 3]);
});

test('a process that searches has the rows in its index, also those that are written later', async () => {
  const { load, put } = await open();
  const dataset = load({ indexed: true });
  await dataset.start();
  const { index } = dataset;
  expect(index?.built?.columns.end()).toBe(dataset.replica.rows.end());
  await put('words', 4, { name: 'n4' });
  await dataset.follower.catchUp();
  expect(index?.built?.columns.end()).toBe(dataset.replica.rows.end());
  expect(dataset.replica.rows.live()).toBe(4);
});

test('a dataset without a declaration is ready and empty', async () => {
  const dataset = createLiveDataset({ database: createMemoryDatabase(), name: 'words', indexed: true });
  opened.push(dataset);
  await dataset.start();
  expect([dataset.isReady, dataset.replica.declaration, dataset.replica.rows.live()]).toEqual([true, undefined, 0]);
});

test('two processes have the same rows at every version that both keep', async () => {
  const { load, put, remove } = await open();
  const one = load();
  await one.start();
  await put('words', 1, { name: 'changed' });
  await remove('words', 2);
  await put('words', 2, { name: 'again' });
  const other = load({ indexed: true });
  await Promise.all([one.follower.catchUp(), other.start()]);
  expect(other.replica.position).toBe(one.replica.position);
  for (let position = 1; position <= one.replica.position; position += 1) {
    for (const id of [1n, 2n, 3n, 4n]) {
      const [mine, theirs] = [one, other].map(({ replica: { rows } }) => {
        const row = rows.findAt(id, position);
        return row < 0 ? undefined : [rows.version(row), rows.isDeleted(row), rows.bytes(row).toString()];
      });
      expect([position, id, theirs]).toEqual([position, id, mine]);
    }
  }
});

test('datasets of one database do not see each other', async () => {
  const { load, declare, put } = await open();
  await declare('others', { name: { type: 'text' } });
  await put('others', 9, { name: 'x' });
  const others = load({ name: 'others' });
  await others.start();
  expect([others.replica.rows.find(1n), others.replica.rows.find(9n) >= 0]).toEqual([-1, true]);
});
