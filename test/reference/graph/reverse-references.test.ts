import { beforeAll, expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { parseOrder } from '../../../reference/dataset/order.js';
import { requireFilter } from '../../../reference/filter/index.js';
import { readReferringRows, type ReverseQuery } from '../../../reference/graph/reverse-references.js';
import { createSmallGraph } from './small-graph.js';

type Row = Record<string, unknown>;
interface State {
  id: bigint;
  row: Row | undefined;
  from: number;
}

/** People that are written again and again, and every state that each had. */
async function manyPeople(seed: number) {
  const graph = await createSmallGraph({ places: new Map(), people: new Map() });
  const { below } = createDraw(seed);
  const view = graph.views.get('people');
  if (view === undefined) throw new Error('people were declared');
  const states: State[] = [];
  const place = () => ({ id: String(1 + below(5)) });
  for (let step = 0; step < 300; step += 1) {
    const id = BigInt(1 + below(60));
    const row: Row | undefined =
      below(8) === 0
        ? undefined
        : {
            name: `P${below(20)}`,
            ...(below(3) > 0 && { home: place() }),
            // The same place may be there twice.
            ...(below(2) === 0 && { visited: Array.from({ length: below(4) }, place) }),
            ...(below(3) === 0 && { work: { place: place() } }),
          };
    graph.set('people', id, row);
    states.push({ id, row, from: view.version });
  }
  /** The rows of a version by plain lookups. */
  const shownAt = (version: number): Map<bigint, Row> => {
    const found = new Map<bigint, Row>();
    for (const { id, row, from } of states) {
      if (from > version) continue;
      if (row === undefined) found.delete(id);
      else found.set(id, row);
    }
    return found;
  };
  return { view, shownAt };
}

/** The ids of the places that a row refers to through a leaf. */
function targetsOf(row: Row, path: string): string[] {
  const { home, visited, work } = row as {
    home?: { id: string };
    visited?: { id: string }[];
    work?: { place: { id: string } };
  };
  if (path === 'home.id') return home === undefined ? [] : [home.id];
  if (path === 'visited.id') return (visited ?? []).map(({ id }) => id);
  return work === undefined ? [] : [work.place.id];
}

const byId = (one: bigint, other: bigint): number => (one < other ? -1 : Number(one > other));

test.each(['home.id', 'visited.id', 'work.place.id'])(
  'the rows that refer through %s are those of a plain search, at every version',
  async (path) => {
    const { view, shownAt } = await manyPeople(path.length);
    const { rows, index } = view;
    const leaf = index.leaves.get(path);
    if (leaf === undefined) throw new Error(`there is no ${path}`);
    const targets = [3n, 1n, 9n, 5n];
    for (const version of [1, 40, 150, view.version]) {
      for (const size of [1, 3, 100]) {
        const order = parseOrder('id', { dataset: 'people', leaves: index.leaves });
        const found = await readReferringRows({ index, rows, version, leaf, targets, filter: undefined, order, size });
        const expected = targets.map((target) => {
          const all = [...shownAt(version)]
            .filter(([, row]) => targetsOf(row, path).includes(String(target)))
            .map(([id]) => id)
            .sort(byId);
          return { ids: all.slice(0, size), hasMore: all.length > size, total: all.length };
        });
        const shown = found.map(({ rows: numbers, hasMore, total }) => ({
          ids: numbers.map((row) => rows.id(row)),
          hasMore,
          total,
        }));
        expect({ version, size, shown }).toEqual({ version, size, shown: expected });
      }
    }
  },
);

let scene: Awaited<ReturnType<typeof manyPeople>>;
beforeAll(async () => {
  scene = await manyPeople(4);
});

async function ofPlaceOne(change: Partial<ReverseQuery> & { text?: string; by?: string } = {}) {
  const { view, shownAt } = scene;
  const { rows, index, version } = view;
  const leaf = index.leaves.get('home.id');
  if (leaf === undefined) throw new Error('people have homes');
  const target = { dataset: 'people', leaves: index.leaves };
  const { text, by = 'id', ...more } = change;
  const filter = text === undefined ? undefined : requireFilter(text, target, { parameter: 'filter' });
  const [page] = await readReferringRows({
    ...{ index, rows, version, leaf, targets: [1n], filter, order: parseOrder(by, target), size: 100 },
    ...more,
  });
  const all = [...shownAt(version)].filter(([, row]) => targetsOf(row, 'home.id').includes('1'));
  return { page, rows, ids: (page?.rows ?? []).map((row) => rows.id(row)), all };
}

test('a filter leaves rows out, and they do not count', async () => {
  const { page, ids, all } = await ofPlaceOne({ text: 'name =in= (P1, P2, P3, P4, P5)' });
  const expected = all.filter(([, { name }]) => /^P[1-5]$/.test(String(name))).map(([id]) => id);
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(all.length);
  expect(ids).toEqual(expected.sort(byId));
  expect(page?.total).toBe(expected.length);
});

test('a filter on the reference itself fits with what is followed', async () => {
  expect((await ofPlaceOne({ text: 'home.id == 2' })).ids).toEqual([]);
  const { ids, all } = await ofPlaceOne({ text: 'home.id == 1 or home.id == 2' });
  expect(ids).toHaveLength(all.length);
});

test('an order sorts the rows of each target, by id where the keys are equal', async () => {
  const { ids, all } = await ofPlaceOne({ by: 'name desc' });
  const nameOf = new Map(all.map(([id, { name }]) => [id, String(name)]));
  const expected = all
    .map(([id]) => id)
    .sort((one, other) => {
      const [first = '', second = ''] = [nameOf.get(one), nameOf.get(other)];
      return first === second ? byId(one, other) : first < second ? 1 : -1;
    });
  expect(ids).toEqual(expected);
});

test('a walk goes on after the row that was last, and counts all', async () => {
  const { ids: whole } = await ofPlaceOne();
  expect(whole.length).toBeGreaterThan(4);
  for (const size of [1, 2, 3]) {
    const walked: bigint[] = [];
    for (let after: bigint | undefined; walked.length < whole.length; after = walked.at(-1)) {
      const { ids, page } = await ofPlaceOne({ size, after });
      walked.push(...ids);
      expect([page?.total, page?.hasMore]).toEqual([whole.length, walked.length < whole.length]);
    }
    expect(walked).toEqual(whole);
  }
});

test('without targets there are no pages, and a target that nothing refers to has an empty one', async () => {
  const none = await ofPlaceOne({ targets: [] });
  expect(none.page).toBeUndefined();
  const { page } = await ofPlaceOne({ targets: [2n ** 63n - 1n] });
  expect(page).toEqual({ rows: [], hasMore: false, total: 0, all: new Int32Array(0) });
});
