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

/** Counts the rows that are read by themselves, and those that are read in a row. */
function counting(database: Database, collection: string) {
  const rows = { byThemselves: 0, inARow: 0 };
  const table: Database['table'] = (name) => {
    const found = database.table<never>(name) as ReturnType<Database['table']>;
    if (name !== collection) return found as never;
    const get: typeof found.get = (id) => {
      rows.byThemselves += 1;
      return found.get(id);
    };
    const members: typeof found.members = async function* (names) {
      for await (const row of found.members(names)) {
        rows.inARow += 1;
        yield row;
      }
    };
    return { ...found, get, members } as never;
  };
  return { database: { ...database, table } satisfies Database, rows };
}

test.each([
  ['a few changes, by a read of each', 3, 50, { byThemselves: 3, inARow: 0 }],
  ['many changes, by one read of all', 150, 50, { byThemselves: 2, inARow: 199 }],
  ['many changes of a large collection, by no read of all', 150, 2_000, { byThemselves: 150, inARow: 600 }],
])('a list gets what dead writers committed among %s', async (_, changed, still, reads) => {
  const memory = createMemoryDatabase();
  const stored = memory.table<Revision>(collections.entity(KIND));
  const log = memory.table<Revision>(collections.log(KIND));
  const ids = Array.from({ length: changed }, (_, n) => `changed-${n}`);
  await stored.insertAll(Array.from({ length: still }, (_, n) => rowOf(`still-${n}`, 1)));
  await stored.insertAll(ids.slice(1).map((id) => rowOf(id, id === 'changed-1' ? 1 : 2)));
  await log.insertAll(ids.map((id) => ({ ...rowOf(id, 2), _id: `${id}/2` })));
  const { database, rows } = counting(memory, collections.entity(KIND));
  const settled: string[] = [];
  const settle = async (id: string) => void settled.push(id);
  const healed = await createResourceUpkeep({ database, kind: KIND, resources: { settle } }).heal();
  expect([healed, settled, rows]).toEqual([2, ['changed-0', 'changed-1'], reads]);
});
