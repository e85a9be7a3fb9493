import { expect, test } from 'vitest';
import { collections } from '../../../platform/stores/collections.js';
import type { Database } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import type { Revision } from '../../../platform/stores/resource-log.js';
import { createResourceUpkeep } from '../../../platform/stores/resource-upkeep.js';

const KIND = 'ModelDeployment';
const rowOf = (id: string, revision: number): Revision => ({
  ...{ _id: id, id, revision, change: 'statusUpdated', at: '2026-01-01T00:00:00.000Z', commit: `${revision}` },
  entity: null,
});

/** Counts the reads of a whole collection. */
function counting(database: Database, collection: string): { database: Database; scans: () => number } {
  let scans = 0;
  const table: Database['table'] = (name) => {
    const found = database.table<never>(name) as ReturnType<Database['table']>;
    const members: typeof found.members = (names) => {
      scans += name === collection ? 1 : 0;
      return found.members(names);
    };
    return { ...found, members } as never;
  };
  return { database: { ...database, table }, scans: () => scans };
}

test.each([
  ['a few changes, by a read of each', 3, 0],
  ['many changes, by one read of all', 150, 1],
])('a list gets what dead writers committed among %s', async (_, changed, reads) => {
  const memory = createMemoryDatabase();
  const stored = memory.table<Revision>(collections.entity(KIND));
  const log = memory.table<Revision>(collections.log(KIND));
  const ids = Array.from({ length: changed }, (_, n) => `changed-${n}`);
  await stored.insertAll(Array.from({ length: 50 }, (_, n) => rowOf(`still-${n}`, 1)));
  await stored.insertAll(ids.slice(1).map((id) => rowOf(id, id === 'changed-1' ? 1 : 2)));
  await log.insertAll(ids.map((id) => ({ ...rowOf(id, 2), _id: `${id}/2` })));
  const { database, scans } = counting(memory, collections.entity(KIND));
  const settled: string[] = [];
  const settle = async (id: string) => void settled.push(id);
  const healed = await createResourceUpkeep({ database, kind: KIND, resources: { settle } }).heal();
  expect([healed, settled, scans()]).toEqual([2, ['changed-0', 'changed-1'], reads]);
});

test('many changes are a read of each once the collection is known to be much larger', async () => {
  const memory = createMemoryDatabase();
  const ids = Array.from({ length: 150 }, (_, n) => `changed-${n}`);
  const still = Array.from({ length: 1_000 }, (_, n) => rowOf(`still-${n}`, 1));
  await memory.table<Revision>(collections.entity(KIND)).insertAll([...still, ...ids.map((id) => rowOf(id, 1))]);
  await memory
    .table<Revision>(collections.log(KIND))
    .insertAll(ids.map((id) => ({ ...rowOf(id, id === 'changed-7' ? 2 : 1), _id: `${id}/2` })));
  const { database, scans } = counting(memory, collections.entity(KIND));
  const settled: string[] = [];
  const settle = async (id: string) => void settled.push(id);
  const upkeep = createResourceUpkeep({ database, kind: KIND, resources: { settle } });
  await upkeep.heal();
  expect(scans()).toBe(1);
  await upkeep.heal();
  expect([scans(), settled]).toEqual([1, ['changed-7', 'changed-7']]);
});
