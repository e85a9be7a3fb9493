import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { toMongoQuery } from './mongo-query.js';
import { compilePredicate } from '../../../reference/filter/predicate.js';
import { nameTestDatabase } from '../../platform/stores/test-database.js';
import { type Case, filterCase, type Meaning } from './cases.js';
import { fulfils } from './naive.js';
import { read, target } from './positions.js';
import { columnsOf, sampleRows } from './rows.js';

/** So many generated filters; more when asked for. The embedded server reads each document for each of them. */
const CASES = Number(process.env.FILTER_CASES ?? 1_500);
/** How many queries are under way at once. */
const LANES = 4;
const SEED = Number(process.env.FILTER_SEED ?? Date.now() % 1_000_000);

const rows = sampleRows(40, SEED);
const columns = columnsOf(rows);
const { uri, name, drop } = nameTestDatabase();
const client = new MongoClient(uri);
const collection = client.db(name).collection<{ _id: string }>('entities_positions');

beforeAll(async () => {
  await client.connect();
  // A text for each id, beside its 64 bits, as the store keeps them.
  await collection.insertMany(rows.map(({ content }) => ({ _id: String(content.id), ...content })));
});
afterAll(async () => {
  await client.close();
  await drop();
});

/** Row numbers, in order. */
async function ask(query: object): Promise<number[]> {
  const found = await collection.find(query, { projection: { _id: 1 } }).toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  return rows.flatMap(({ content }, at) => (ids.has(String(content.id)) ? [at] : []));
}

/** The conditions that the embedded server evaluates differently, as documented at the query. */
const isOwn = (meaning: Meaning): boolean => {
  if ('and' in meaning) return meaning.and.some(isOwn);
  if ('or' in meaning) return meaning.or.some(isOwn);
  if ('not' in meaning) return isOwn(meaning.not);
  return meaning.operator === '=between=' && target.leaves.get(meaning.path)?.list === true;
};

/** @returns how many rows fulfil the filter, which all three agree upon */
async function evaluate({ meaning, text }: Case): Promise<number> {
  const filter = read(text);
  const predicate = compilePredicate(filter, columns);
  const naive = rows.flatMap(({ content }, at) => (fulfils(meaning, content) ? [at] : []));
  const inMemory = rows.flatMap((_, at) => (predicate(at) ? [at] : []));
  const stored = isOwn(meaning) ? naive : await ask(toMongoQuery(filter));
  if (isDeepStrictEqual(naive, inMemory) && isDeepStrictEqual(naive, stored)) return naive.length;
  throw new Error(`seed ${SEED}: ${JSON.stringify({ text, naive, inMemory, stored })}`);
}

test(
  'memory, MongoDB and the naive evaluation agree on every generated filter',
  async () => {
    const cases = fc.sample(filterCase, { numRuns: CASES, seed: SEED });
    let hits = 0;
    const lane = async () => {
      for (let each = cases.pop(); each !== undefined; each = cases.pop()) hits += await evaluate(each);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(hits / (CASES * rows.length)).toBeGreaterThan(0.05);
  },
  300_000 + CASES * 50,
);
