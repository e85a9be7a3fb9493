import { expect, onTestFinished, test } from 'vitest';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createKeptLists } from '../../../platform/stores/kept-lists.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createResources } from '../../../notifications/stores/resources.js';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { until } from '../../stack/scratch.js';

const KIND = 'Subscription';
const AT = '2026-01-01T00:00:00.000Z';

const resource = (id: string): AnyResource => ({
  ...{ kind: KIND, id, uid: id, generation: 1, revision: 0, spec: {}, status: {} },
  ...{ createdAt: AT, updatedAt: AT, createdBy: 'test', updatedBy: 'test' },
});

/** A store of a process that keeps its list, beside one of a process that does not. */
function open({ reloadMs }: { reloadMs?: number } = {}) {
  const memory = createMemoryDatabase();
  let walks = 0;
  const counted: Database = {
    ...memory,
    table: <R extends Row>(name: string): Table<R> => {
      const table = memory.table<R>(name);
      return { ...table, members: (names) => ((walks += 1), table.members(names)) };
    },
  };
  const lists = createKeptLists({ database: counted, kinds: [KIND], pollMs: 5, reloadMs });
  onTestFinished(() => lists.stop());
  const store = createResources({ database: counted, kind: KIND, lists });
  return {
    ...{ memory, lists, store, other: createResources({ database: memory, kind: KIND }) },
    ids: async () => (await store.list()).map(({ id }) => id),
    walks: () => walks,
  };
}

test('a list has every write before it, whichever process wrote, in the order of the ids', async () => {
  const { store, other, ids, lists } = open();
  await other.insert(resource('b'));
  await lists.start();
  await other.insert(resource('c'));
  await store.insert(resource('a'));
  expect(await ids()).toEqual(['a', 'b', 'c']);
  await other.update('b', (current) => ({ ...current, generation: 2 }));
  expect((await store.list()).map(({ generation }) => generation)).toEqual([1, 2, 1]);
  await other.remove('a');
  expect(await ids()).toEqual(['b', 'c']);
});

test('once it is loaded, a list reads no collection; before, it does', async () => {
  const { store, ids, lists, walks } = open();
  await store.insert(resource('a'));
  expect(await ids()).toEqual(['a']);
  expect(walks()).toBe(1);
  await lists.start();
  const loaded = walks();
  for (const id of ['b', 'c', 'd']) {
    await store.insert(resource(id));
    expect(await ids()).toContain(id);
  }
  expect(walks()).toBe(loaded);
});

test('what a caller does with its list, no other sees', async () => {
  const { store, ids, lists } = open();
  await store.insert(resource('a'));
  await lists.start();
  (await store.list()).pop();
  expect(await ids()).toEqual(['a']);
});

test('what a process of an earlier version wrote without a note is found with the next load', async () => {
  const { memory, ids, lists } = open({ reloadMs: 20 });
  await lists.start();
  await memory.table(collections.entity(KIND)).put({ _id: 'a', id: 'a', revision: 1, entity: resource('a') } as Row);
  await until(async () => (await ids()).length > 0);
  expect(await ids()).toEqual(['a']);
});
