import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { Database } from '../../../platform/stores/database.js';
import { createDatasets, type Datasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createSnapshots } from '../../../reference/stores/snapshots.js';
import { openTestBucket } from '../../platform/stores/test-bucket.js';
import { nameTestDatabase } from '../../platform/stores/test-database.js';

const { uri, name, drop } = nameTestDatabase();
const SPEC = DatasetSpec.parse({ fields: { word: { type: 'text' } }, allow_blind_put: true });
const ENTITIES = 12;
const FIRST = 9_007_199_254_740_993n;

let objects: ObjectStore;
const databases: Database[] = [];
const all: Datasets[] = [];
const folders: string[] = [];
beforeAll(async () => {
  objects = await openTestBucket();
});
afterAll(async () => {
  for (const datasets of all) await datasets.stop();
  for (const database of databases) await database.close();
  for (const folder of folders) await rm(folder, { recursive: true });
  await drop();
});

/** The parts of one process: a connection, memory, files. */
async function openProcess() {
  const database = await connectDatabase(uri, name);
  databases.push(database);
  const folder = await mkdtemp(join(tmpdir(), 'slipway-agreement-'));
  folders.push(folder);
  const snapshots = createSnapshots({ objects, folder });
  const datasets = createDatasets({ database, indexed: true, snapshots });
  all.push(datasets);
  await datasets.start();
  return { datasets, snapshots, writes: createRowWrites({ datasets }) };
}
type Process = Awaited<ReturnType<typeof openProcess>>;

/** Every entity at every version, of a process that knows all of the log. */
async function statesOf({ datasets }: Process): Promise<unknown[]> {
  const { dataset } = await datasets.need('words');
  await dataset.follower.catchUp();
  const { rows, position } = dataset.replica;
  const states: unknown[] = [];
  for (let version = 1; version <= position; version += 1) {
    for (let n = 0n; n < ENTITIES; n += 1n) {
      const row = rows.findAt(FIRST + n, version);
      if (row >= 0) states.push([version, n, rows.isDeleted(row), rows.bytes(row).toString()]);
    }
  }
  return states;
}

/** One writer after the other in a process, while the other process writes to the same entities. */
async function writeMany({ writes }: Process, actor: string): Promise<number> {
  let written = 0;
  for (let n = 0; n < 60; n += 1) {
    const id = FIRST + BigInt((n * 7) % ENTITIES);
    const write = { dataset: 'words', id, actor };
    const call = n % 10 === 9 ? writes.remove(write) : writes.put(write, { word: `${actor} ${n}` });
    // Both may delete the same entity, or write it all the time: the loser gets an error, and its write has no effect.
    const done = await call.catch((err: { code?: string }) => {
      if (err.code !== 'entity.deleted' && err.code !== 'entity.not_found' && err.code !== 'write.conflict') throw err;
    });
    if (done?.change !== undefined) written += 1;
  }
  return written;
}

test('processes that write to the same entities agree on every version, and so does one that comes later', async () => {
  const [one, other] = [await openProcess(), await openProcess()];
  await createDeclarations(one).declare({ name: 'words', spec: SPEC, actor: 'test', force: false });
  await other.datasets.need('words');
  const counts = await Promise.all([writeMany(one, 'one'), writeMany(other, 'other')]);
  const states = await statesOf(one);
  expect(await statesOf(other)).toEqual(states);
  expect(states.length).toBeGreaterThan(100);

  // Every acknowledged write is a version of its entity, and nothing else is.
  const { replica } = one.datasets.get('words').dataset;
  const versions = Array.from({ length: ENTITIES }, (_, n) => replica.latest(String(FIRST + BigInt(n)))?.version ?? 0);
  expect(versions.reduce((sum, version) => sum + version, 0)).toBe((counts[0] ?? 0) + (counts[1] ?? 0));

  const head = replica.head();
  if (head === undefined) throw new Error('nothing holds it');
  await one.snapshots.save('words', replica, head);
  await one.writes.put({ dataset: 'words', id: FIRST, actor: 'one' }, { word: 'behind the snapshot' });
  const late = await openProcess();
  expect(await statesOf(late)).toEqual(await statesOf(one));
  expect(late.datasets.get('words').dataset.replica.newest).toBe(replica.newest);
});
