/**
 * Pages of 100,000 trainings: in the memory of the process alone, and with `MONGODB_URI` from a database with the trainings written
 * directly, in which case the pages are those of the resource store.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { createResources } from '../../notifications/stores/resources.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import { ensureIndexes } from '../../platform/stores/indexes.js';
import { KeptDocuments } from '../../platform/stores/kept-documents.js';
import { createKeptIndexes } from '../../platform/stores/kept-indexes.js';
import { listedFields } from '../../platform/stores/listed-fields.js';
import { ListedResources } from '../../platform/stores/listed-resources.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import type { ListCondition, ListQuery } from '../../platform/stores/resource-index.js';
import { writeResult } from '../report.js';
import { rowOf, trainingOf } from './trainings.js';

const BAR_MS = 50;
const MOST_BYTES = 2 ** 30;
const { values: options } = parseArgs({
  options: {
    trainings: { type: 'string', default: '100000' },
    size: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '40' },
  },
});
const [count, size, rounds] = [Number(options.trainings), Number(options.size), Number(options.rounds)];

const state: ListCondition = { field: 'status.state', in: ['failed'] };
const toolchain: ListCondition = { field: 'spec.toolchain', in: ['ml-toolchain', 'mlflow'] };
const middle = Math.floor(count / 2 / size) * size;
// prettier-ignore
const PAGES: Record<string, () => Omit<ListQuery, 'limit'>> = {
  'first':                     () => ({ where: [], skip: 0 }),
  'middle':                    () => ({ where: [], skip: middle }),
  'last':                      () => ({ where: [], skip: Math.max(0, count - size) }),
  'any':                       () => ({ where: [], skip: Math.floor(Math.random() * (count / size)) * size }),
  'first, by state':           () => ({ where: [state], skip: 0 }),
  'last, by state':            () => ({ where: [state], skip: Math.max(0, Math.floor(count / 4) - size) }),
  'first, by two fields':      () => ({ where: [state, toolchain], skip: 0 }),
  'one model':                 () => ({ where: [{ field: 'spec.model.name', in: ['model-7'] }], skip: 0 }),
};

type Figures = Record<string, { p50: number; p95: number; max: number; barMs: number }>;

/** Times every kind of page. */
async function measure(read: (query: ListQuery) => unknown): Promise<Figures> {
  const figures: Figures = {};
  for (const [name, query] of Object.entries(PAGES)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      await read({ ...query(), limit: size });
      times.push(performance.now() - began);
    }
    times.sort((one, other) => one - other);
    const at = (share: number): number => round2(times[Math.ceil(times.length * share) - 1] ?? NaN);
    figures[name] = { p50: at(0.5), p95: at(0.95), max: at(1), barMs: BAR_MS };
  }
  return figures;
}

const round2 = (value: number): number => Math.round(value * 100) / 100;

function usedBytes(): number {
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage(); // buffers are a part of `external`
  return heapUsed + external;
}

async function measureIndex() {
  const list = new ListedResources(listedFields('ModelTraining'));
  const documents = new KeptDocuments<Training>({ maxBytes: MOST_BYTES });
  const empty = usedBytes();
  for (let number = 0; number < count; number += 1) list.add(trainingOf(number));
  list.sort();
  const indexed = usedBytes();
  for (let number = 0; number < count; number += 1) {
    const training = trainingOf(number);
    documents.set(training.id, training);
  }
  const packed = usedBytes();
  const pages = await measure((query) => list.page(query).ids.map((id) => documents.get(id)));
  const began = performance.now();
  const changes = 10_000;
  for (let at = 0; at < changes; at += 1) {
    const training = trainingOf(Math.floor(Math.random() * count));
    list.set(training.id, training);
    documents.set(training.id, training);
  }
  const changesPerSecond = Math.round((changes / (performance.now() - began)) * 1_000);
  const each = (bytes: number): number => Math.round(bytes / count);
  return { bytesEach: { index: each(indexed - empty), document: each(packed - indexed) }, pages, changesPerSecond };
}

async function measureDatabase(uri: string) {
  const name = `bench-${randomUUID().slice(0, 8)}`;
  const client = new MongoClient(uri);
  const database = await connectDatabase(uri, name);
  try {
    for (let from = 0; from < count; from += 1_000) {
      const rows = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => rowOf(trainingOf(from + at)));
      await database.table('ModelTraining').insertAll(rows);
    }
    await ensureIndexes(database);
    const scans = await database.scans();
    const before = usedBytes();
    const indexes = createKeptIndexes({ database });
    const began = performance.now();
    if (scans) await indexes.start();
    const loadMs = Math.round(performance.now() - began);
    const bytesEach = Math.round((usedBytes() - before) / count);
    const trainings = createResources<Training>({ database, kind: 'ModelTraining', ...(scans && { indexes }) });
    const pages = await measure((query) => trainings.page(query));
    await indexes.stop();
    return { server: scans ? 'embedded' : 'MongoDB', ...(scans && { loadMs, bytesEach }), pages };
  } finally {
    await client.db(name).dropDatabase();
    await Promise.all([client.close(), database.close()]);
  }
}

const index = await measureIndex();
const { index: bytes, document: documentBytes } = index.bytesEach;
console.log(`the process alone, ${count} trainings, pages of ${size}`);
console.log(`memory per resource: ${bytes} bytes for the index, ${documentBytes} for the document`);
console.table(index.pages);
console.log(`${index.changesPerSecond} changes/s`);
const uri = process.env.MONGODB_URI;
const stored = uri === undefined ? undefined : await measureDatabase(uri);
if (stored !== undefined) {
  const { pages, ...rest } = stored;
  console.log(`with the database: ${JSON.stringify(rest)}`);
  console.table(pages);
}
await writeResult('lists', { trainings: count, size, rounds, index, ...(stored && { stored }) });
