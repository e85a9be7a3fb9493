import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { createDatasetIndex } from '../../../reference/dataset/dataset-index.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { lookUp, lookUpAll } from '../../../reference/dataset/lookup-query.js';
import { parseOrder } from '../../../reference/dataset/order.js';
import { createPages } from '../../../reference/dataset/page.js';
import { requireFilter } from '../../../reference/filter/index.js';
import { createRowStore } from '../../../reference/rows/row-store.js';
import { TIME } from '../graph/small-graph.js';

const spec = DatasetSpec.parse({
  fields: { name: { type: 'text' }, size: { type: 'integer' } },
  lookup: { fields: ['name'], weight: 'size' },
});

interface State {
  name: string;
  size: number | undefined;
}

/** A dataset with pages over it, and the plain state at every version. */
async function createWorld({ lookup = true } = {}) {
  const rows = createRowStore();
  const index = createDatasetIndex(rows);
  const declared = lookup ? spec : { ...spec, lookup: null };
  await index.build({ spec: declared, generation: 1, position: 1, at: TIME, actor: 'test' });
  const built = index.built;
  if (built === undefined) throw new Error('the index was built');
  const states: Map<bigint, State>[] = [new Map()];
  let version = 0;
  /** Writes a block of rows as one version; `undefined` deletes. */
  function write(block: Iterable<readonly [bigint, State | undefined]>): number {
    version += 1;
    const next = new Map(states.at(-1));
    for (const [id, state] of block) {
      const size = state?.size === undefined ? '' : `,"size":${state.size}`;
      const body =
        state &&
        `{"id":"${id}","name":"${state.name}"${size},"version":1,"created_at":"${TIME}","updated_at":"${TIME}"}`;
      const row = rows.add({
        id,
        version,
        from: version,
        bytes: Buffer.from(body ?? TIME),
        deleted: body === undefined,
      });
      index.added(row, body ?? null);
      if (state) next.set(id, state);
      else next.delete(id);
    }
    states[version] = next;
    return version;
  }
  const target = { dataset: 'words', leaves: built.leaves };
  const filterOf = (text: string | undefined) => (text === undefined ? undefined : requireFilter(text, target));
  return { rows, pages: createPages(rows), index: built, states, write, target, filterOf };
}
type World = Awaited<ReturnType<typeof createWorld>>;

const ORDERS = ['', 'size', 'size desc', 'name,size desc', 'name desc'] as const;
const FILTERS: Record<string, (state: State) => boolean> = {
  'size > 20': ({ size }) => size !== undefined && size > 20,
  'name == b or size =null= true': ({ name, size }) => name === 'b' || size === undefined,
  'name =like= "a*"': ({ name }) => name.startsWith('a'),
};

/** The ids of a search in order, by sorting everything. */
function expectedIds({ states }: World, version: number, order: string, filter: string | undefined): bigint[] {
  const fits = filter === undefined ? () => true : (FILTERS[filter] ?? (() => false));
  const compare = (one: State, other: State): number => {
    for (const key of order === '' ? [] : order.split(',')) {
      const [name, direction] = key.split(' ') as [keyof State, string?];
      const [left, right] = [one[name], other[name]];
      if (left === right) continue;
      if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
      return (left < right ? -1 : 1) * (direction === 'desc' ? -1 : 1);
    }
    return 0;
  };
  return [...(states[version] ?? [])]
    .filter(([, state]) => fits(state))
    .sort(([oneId, one], [otherId, other]) => compare(one, other) || (oneId < otherId ? -1 : 1))
    .map(([id]) => id);
}

async function walk(world: World, query: { version: number; order: string; filter: string | undefined; size: number }) {
  const { pages, index, rows, target, filterOf } = world;
  const ids: bigint[] = [];
  for (let after: bigint | undefined; ;) {
    const page = await pages.page({
      ...{ index, version: query.version, size: query.size, after },
      ...{ filter: filterOf(query.filter), order: parseOrder(query.order, target) },
    });
    const found = page.rows.map((row) => rows.id(row));
    expect(found.length).toBeLessThanOrEqual(query.size);
    expect(page.total).toBe(expectedIds(world, query.version, '', query.filter).length);
    ids.push(...found);
    if (!page.hasMore) return ids;
    after = found.at(-1);
  }
}

test.each([1, 2])(
  'a walk of any size has every row of its version once and in order, while others are written: seed %i',
  async (seed) => {
    const world = await createWorld();
    const { below, pick } = createDraw(seed);
    const state = (): State => ({ name: pick(['a', 'ab', 'b', 'é']), size: below(4) === 0 ? undefined : below(40) });
    for (let round = 0; round < 12; round += 1) {
      world.write(
        Array.from({ length: 8 }, () => [BigInt(1 + below(50)), below(6) === 0 ? undefined : state()] as const),
      );
      for (const version of [1 + below(round + 1), round + 1]) {
        const query = {
          version,
          order: pick(ORDERS),
          filter: pick([undefined, ...Object.keys(FILTERS)]),
          size: 1 + below(9),
        };
        expect([query, await walk(world, query)]).toEqual([
          query,
          expectedIds(world, version, query.order, query.filter),
        ]);
      }
    }
  },
);

test('walks over many rows, whose results are cached, are the same', async () => {
  const world = await createWorld();
  const { below, pick } = createDraw(7);
  world.write(
    Array.from(
      { length: 2_600 },
      (_, at) => [BigInt(at + 1), { name: pick(['a', 'ab', 'b']), size: below(90) }] as const,
    ),
  );
  world.write([
    [5n, undefined],
    [3_000n, { name: 'new', size: 1 }],
  ]);
  for (const version of [1, 2]) {
    for (const [order, filter] of [
      ['size desc', undefined],
      ['name', 'size > 20'],
    ] as const) {
      const query = { version, order, filter, size: 370 };
      expect(await walk(world, query)).toEqual(expectedIds(world, version, order, filter));
      expect(await walk(world, { ...query, size: 500 })).toEqual(expectedIds(world, version, order, filter));
    }
  }
});

test('a search whose result is cached examines no row again', async () => {
  const world = await createWorld();
  world.write(Array.from({ length: 1_500 }, (_, at) => [BigInt(at + 1), { name: 'a', size: at }] as const));
  const { pages, index, target, filterOf } = world;
  const query = { index, version: 1, size: 10, order: parseOrder('size', target), filter: filterOf('size > 20') };
  const tested = [(await pages.page(query)).tested, (await pages.page({ ...query, after: 30n })).tested];
  expect(tested).toEqual([1_500, 0]);
  const everything = { index, version: 1, size: 10, order: query.order };
  const first = await pages.page(everything);
  const again = await pages.page(everything);
  expect([again.rows === first.rows, again.tested]).toEqual([true, 0]);
  expect((await pages.page({ ...everything, size: 11 })).rows).toHaveLength(11);
});

test('all rows that match a filter are listed, of each version its own', async () => {
  const world = await createWorld();
  world.write([
    [1n, { name: 'a', size: 30 }],
    [2n, { name: 'b', size: 1 }],
  ]);
  world.write([
    [1n, { name: 'a', size: 3 }],
    [3n, { name: 'c', size: 99 }],
  ]);
  const { pages, index, rows, filterOf } = world;
  const matching = async (version: number) =>
    [...(await pages.matching({ index, version, filter: filterOf('size > 20') }))].map((row) => rows.id(row));
  expect([await matching(1), await matching(2)]).toEqual([[1n], [3n]]);
});

test('a lookup finds the rows of its version, the heaviest first, and with a filter only those that match', async () => {
  const world = await createWorld();
  const { rows } = world;
  world.write([
    [1n, { name: 'Bergen', size: 5 }],
    [2n, { name: 'Bern', size: 50 }],
    [3n, { name: 'Berlin', size: undefined }],
  ]);
  world.write([
    [1n, { name: 'Bergamo', size: 500 }],
    [2n, undefined],
  ]);
  const ask = async (version: number, filter?: string) =>
    (await lookUp(world, { text: 'ber', limit: 9, version, filter: world.filterOf(filter) })).hits.map(({ row }) =>
      rows.id(row),
    );
  expect([await ask(1), await ask(2)]).toEqual([
    [2n, 1n, 3n],
    [1n, 3n],
  ]);
  expect([await ask(1, 'size > 20'), await ask(2, 'size > 20'), await ask(2, 'size < 0')]).toEqual([[2n], [1n], []]);
  expect(
    lookUpAll(world, { text: 'bergen', limit: 1, version: 1 }).hits.map(({ row, bucket }) => [rows.id(row), bucket]),
  ).toEqual([[1n, 'exact']]);
});

test('a dataset that declares nothing to look up refuses lookups', async () => {
  const world = await createWorld({ lookup: false });
  world.write([[1n, { name: 'a', size: 1 }]]);
  expect(() => lookUpAll(world, { text: 'a', limit: 1, version: 1 })).toThrow(
    expect.objectContaining({ code: 'lookup.not_declared' }),
  );
  await expect(
    lookUp(world, { text: 'a', limit: 1, version: 1, filter: world.filterOf('size > 0') }),
  ).rejects.toMatchObject({ code: 'lookup.not_declared' });
});
