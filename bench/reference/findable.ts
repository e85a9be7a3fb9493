/**
 * From the acknowledgement of a write to the moment when another process finds it: two processes' worth of datasets on
 * one database (`MONGODB_URI`), each with a connection and memory of its own.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { createDatasets } from '../../reference/stores/datasets.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import { createRowWrites } from '../../reference/stores/row-writes.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { writeResult } from '../report.js';

const WRITES = 300;
const uri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017';
const name = `bench-${randomUUID().slice(0, 8)}`;

async function open() {
  const database = await connectDatabase(uri, name);
  const datasets = createDatasets({ database, indexed: true });
  await datasets.start();
  return { database, datasets };
}
const [one, other] = [await open(), await open()];
const spec = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
await createDeclarations(one).declare({ name: 'words', spec, actor: 'bench', force: false });
const { dataset } = await other.datasets.need('words');
const writes = createRowWrites(one);

const acknowledged: number[] = [];
const findable: number[] = [];
for (let n = 1; n <= WRITES; n += 1) {
  const began = performance.now();
  const { position } = await writes.put({ dataset: 'words', id: BigInt(n), actor: 'bench' }, { word: `word ${n}` });
  const done = performance.now();
  if (!(await dataset.follower.waitFor(position, 10_000))) throw new Error('it was never found');
  findable.push(performance.now() - done);
  acknowledged.push(done - began);
  await sleep(Math.random() * 500); // polls slow down while nothing comes
}
for (const { datasets, database } of [one, other]) {
  await datasets.stop();
  await database.close();
}
const client = new MongoClient(uri);
await client.db(name).dropDatabase();
await client.close();

const at = (list: number[], share: number): number =>
  list.sort((a, b) => a - b)[Math.ceil(list.length * share) - 1] ?? NaN;
const figures = {
  writes: WRITES,
  writeMs: { p50: at(acknowledged, 0.5), p99: at(acknowledged, 0.99) },
  findableMs: { p50: at(findable, 0.5), p99: at(findable, 0.99), max: at(findable, 1) },
  barMs: 1_000,
};
console.table({ write: figures.writeMs, findable: figures.findableMs });
await writeResult('findable', figures);
