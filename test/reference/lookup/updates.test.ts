import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createLookupIndex, lookupIndexFromBytes } from '../../../reference/lookup/lookup-index.js';
import type { LookupIndex } from '../../../reference/lookup/lookup-index.js';
import { finishInSlices } from '../../../reference/lookup/steps.js';
import { queryIn, row, world } from './generators.js';
import type { WorldRow } from './world.js';
import { WORLD_FIELDS, worldOf, worldSource } from './world.js';

/** Merging only goes on when the test says so, one slice at a time; a slice is a single step. */
function handPaced() {
  const slices: (() => void)[] = [];
  let time = 0;
  return { pace: { defer: (slice: () => void) => void slices.push(slice), now: () => time++, sliceMs: 1 }, slices };
}

const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), at: fc.nat(60), content: row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(60) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('merge' as const), slices: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
);

const answers = (index: LookupIndex, queries: readonly string[]) =>
  queries.map((query) => index.query(query, { limit: 20 }));

test('after any changes the index answers as a rebuilt one', () => {
  const story = world.chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      changes: fc.array(change, { maxLength: 120 }),
      queries: fc.array(queryIn(rows), { minLength: 1, maxLength: 5 }),
    }),
  );
  fc.assert(
    fc.property(story, ({ rows, changes, queries }) => {
      const { pace, slices } = handPaced();
      const options = { fields: WORLD_FIELDS, source: worldSource(rows) };
      const index = createLookupIndex({ ...options, ...pace, rows: rows.keys() });
      const rebuilt = () => createLookupIndex({ ...options, rows: rows.keys() });
      for (const each of changes) {
        if (each.kind === 'put') {
          rows.set(each.at, { id: BigInt(each.at + 1), ...each.content });
          index.upsert(each.at);
        } else if (each.kind === 'remove') {
          rows.delete(each.at);
          index.remove(each.at);
        } else if (each.kind === 'merge') {
          for (let slice = 0; slice < each.slices; slice += 1) slices.shift()?.();
        } else {
          expect(index.size).toBe(rows.size); // a look makes pending rows a segment
        }
      }
      expect(answers(index, queries)).toEqual(answers(rebuilt(), queries));
      index.settle();
      expect(answers(index, queries)).toEqual(answers(rebuilt(), queries));
      const restored = lookupIndexFromBytes(Buffer.concat([...index.encode()]), options);
      expect(answers(restored, queries)).toEqual(answers(rebuilt(), queries));
    }),
    { numRuns: 60 },
  );
});

/** Towns 0 to below `count`, each with a word of its own. */
function towns(count: number): Map<number, WorldRow> {
  const name = (at: number) => `Town ${at.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)))}`;
  return worldOf(Array.from({ length: count }, (_, at) => ({ name: name(at), weight: at % 97 })));
}

test('a row that changes while its segment is merged is found with its new name alone', () => {
  const { pace, slices } = handPaced();
  const rows = towns(0);
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(rows), ...pace });
  for (const [at, each] of towns(6_000)) {
    rows.set(at, each);
    index.upsert(at);
    if (slices.length > 0) break; // a merge too large to be made at once has begun
  }
  expect(slices).toHaveLength(1);
  rows.set(3, { id: 4n, name: 'Renamed', weight: 1 });
  index.upsert(3);
  rows.delete(5);
  index.remove(5);
  const sizes = new Set<number>();
  while (slices.length > 0) {
    sizes.add(index.query('renamed').hits.length);
    slices.shift()?.();
  }
  expect([...sizes]).toEqual([1]);
  expect(index.size).toBe(rows.size);
  const found = new Set<number>();
  for (;;) {
    const { hits } = index.query('town', { limit: 50, accept: (each) => !found.has(each) });
    if (hits.length === 0) break;
    for (const hit of hits) found.add(hit.row);
  }
  expect([...found].sort((one, other) => one - other)).toEqual([...rows.keys()].filter((at) => at !== 3));
});

test('rows that change while a long merge goes on and on are all found', () => {
  const { pace } = handPaced(); // nothing is ever merged in the background
  const rows = towns(0);
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(rows), ...pace });
  const change = (at: number, name: string) => {
    rows.set(at, { id: BigInt(at + 1), name, weight: at % 7 });
    index.upsert(at);
  };
  for (let at = 0; at < 6_000; at += 1) change(at, `Town ${at}`);
  for (let at = 0; at < 3_000; at += 1) {
    change(at, `Village ${at}`);
    // A look after each change makes it a segment of its own.
    expect(index.query(`village ${at}`, { limit: 1 }).hits).toMatchObject([{ row: at, bucket: 'exact' }]);
  }
  expect(index.size).toBe(6_000);
  for (let at = 0; at < 6_000; at += 97) {
    const name = at < 3_000 ? `village ${at}` : `town ${at}`;
    expect(index.query(name, { limit: 1 }).hits).toMatchObject([{ row: at, bucket: 'exact' }]);
  }
});

test('many changes end in few segments: memory follows the rows, not the changes', () => {
  const { pace } = handPaced();
  const rows = towns(500);
  const options = { fields: WORLD_FIELDS, source: worldSource(rows) };
  const index = createLookupIndex({ ...options, ...pace, rows: rows.keys() });
  for (let round = 0; round < 20; round += 1) for (const at of rows.keys()) index.upsert(at);
  index.settle();
  expect(index.bytes).toBeLessThan(createLookupIndex({ ...options, rows: rows.keys() }).bytes * 1.5);
});

test('an index built in slices is the same, and lets others run in between', async () => {
  const rows = towns(20_000);
  const options = { fields: WORLD_FIELDS, source: worldSource(rows), rows: rows.keys() };
  let slices = 0;
  const defer = (slice: () => void) => {
    slices += 1;
    setImmediate(slice);
  };
  const built = createLookupIndex({ ...options, rows: [] });
  const loader = built.loader();
  for (const row of rows.keys()) loader.add(row);
  await finishInSlices(loader.finish(), { defer, sliceMs: 0 });
  expect(slices).toBeGreaterThan(10);
  const queries = ['', 't', 'town', 'tovn', 'qrs'];
  expect(answers(built, queries)).toEqual(answers(createLookupIndex(options), queries));
});
