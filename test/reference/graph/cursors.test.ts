import { beforeEach, expect, test } from 'vitest';
import { codeOf, createSmallGraph } from './small-graph.js';

type Row = Record<string, unknown>;
interface Page {
  nodes: { id: string }[];
  total_count: number;
  dataset_version: string;
  pageInfo: { endCursor: string | null; startCursor: string | null; hasNextPage: boolean };
}

let graph: Awaited<ReturnType<typeof createSmallGraph>>;
beforeEach(async () => {
  graph = await createSmallGraph({
    places: new Map([1n, 2n].map((id) => [id, { name: `Place ${id}` }])),
    people: new Map(
      Array.from({ length: 9 }, (_, at) => [BigInt(at + 1), { name: `P${at + 1}`, home: { id: at < 6 ? '1' : '2' } }]),
    ),
  });
});

const PAGE = '{ nodes { id name } total_count dataset_version pageInfo { startCursor endCursor hasNextPage } }';
const QUERY = `query ($after: String, $filter: String, $order: String, $first: Int) {
  people(after: $after, filter: $filter, order_by: $order, first: $first) ${PAGE}
}`;
async function pageOf(variables: Row): Promise<Page> {
  return (await graph.ask(QUERY, { first: 2, ...variables })).data.people as Page;
}
const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => Number(id));

test('a walk reads the version that it began with, whatever is written meanwhile', async () => {
  const first = await pageOf({});
  graph.set('people', 3n); // removed
  graph.set('people', 4n, { name: 'changed' });
  graph.set('people', 2n, undefined);
  graph.set('people', 10n, { name: 'new' });
  const second = await pageOf({ after: first.pageInfo.endCursor });
  expect([idsOf(first), idsOf(second)]).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(second.nodes).toMatchObject([{ name: 'P3' }, { name: 'P4' }]);
  expect([second.total_count, second.dataset_version]).toEqual([9, first.dataset_version]);
  const third = await pageOf({ after: second.pageInfo.endCursor, first: 50 });
  expect(idsOf(third)).toEqual([5, 6, 7, 8, 9]);
  expect(idsOf(await pageOf({ first: 50 }))).toEqual([1, 4, 5, 6, 7, 8, 9, 10]);
});

test('everything of a dataset in one request is read at the version of its cursor', async () => {
  const { pageInfo } = await pageOf({});
  graph.set('people', 3n, { name: 'later' });
  const { data, versions } = await graph.ask(
    'query ($after: String) { people(first: 2, after: $after) { nodes { name } } person(id: 3) { name } people_by_ids(ids: [3]) { name } place(id: 1) { people { total_count } } }',
    { after: pageInfo.endCursor },
  );
  expect(data).toMatchObject({ people: { nodes: [{ name: 'P3' }, { name: 'P4' }] }, person: { name: 'P3' } });
  expect(data).toMatchObject({ people_by_ids: [{ name: 'P3' }], place: { people: { total_count: 6 } } });
  expect(versions.people).toBe(10);
});

test('cursors of two versions of one dataset cannot meet in one request', async () => {
  const old = (await pageOf({})).pageInfo.endCursor;
  graph.set('people', 3n, { name: 'later' });
  const now = (await pageOf({})).pageInfo.endCursor;
  const both =
    'query ($a: String, $b: String) { a: people(first: 2, after: $a) { nodes { id } } b: people(first: 2, after: $b) { nodes { id } } }';
  const refusal = await graph.refused(both, { a: old, b: now });
  expect([codeOf(refusal), refusal.path]).toEqual(['page.token_mismatch', ['b']]);
  expect((await graph.ask(both, { a: old, b: old })).data).toEqual({
    a: { nodes: [{ id: '3' }, { id: '4' }] },
    b: { nodes: [{ id: '3' }, { id: '4' }] },
  });
});

test.each<[string, Row]>([
  ['another filter', { filter: 'name == P3' }],
  ['another order', { order: 'name desc' }],
])('a cursor belongs to its search: %s', async (_, change) => {
  const { pageInfo } = await pageOf({});
  await expect(pageOf({ after: pageInfo.endCursor, ...change })).rejects.toThrow();
});

test('the size of a page may change during a walk', async () => {
  const { pageInfo } = await pageOf({ first: 1 });
  expect(idsOf(await pageOf({ after: pageInfo.endCursor, first: 4 }))).toEqual([2, 3, 4, 5]);
});

test('a filter that is spelled in another way is the same search', async () => {
  const { pageInfo } = await pageOf({ filter: 'name != P1', order: 'name asc' });
  const next = await pageOf({ filter: '  name!="P1" ', order: 'name', after: pageInfo.endCursor });
  expect(idsOf(next)).toEqual([4, 5]);
});

test('the page after the last row is empty and has no cursors', async () => {
  const { pageInfo } = await pageOf({ first: 50 });
  expect(pageInfo.hasNextPage).toBe(false);
  const behind = await pageOf({ after: pageInfo.endCursor });
  expect(behind).toMatchObject({ nodes: [], total_count: 9 });
  expect(behind.pageInfo).toEqual({ startCursor: null, endCursor: null, hasNextPage: false });
});

test('a search that finds nothing has no cursors and no next page', async () => {
  const none = await pageOf({ filter: 'name == absent' });
  expect(none).toMatchObject({ nodes: [], total_count: 0 });
  expect(none.pageInfo).toEqual({ startCursor: null, endCursor: null, hasNextPage: false });
});

const NESTED = `query ($after: String, $ids: [Long!]!) {
  places_by_ids(ids: $ids) { people(first: 2, after: $after) { nodes { id } edges { cursor } pageInfo { endCursor hasNextPage } } }
}`;
interface Nested {
  people: { nodes: { id: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
}
const nested = async (variables: Row) => (await graph.ask(NESTED, variables)).data.places_by_ids as (Nested | null)[];

test('rows that refer to a row are walked by its own cursor', async () => {
  const walked: string[] = [];
  for (let after: string | undefined; ;) {
    const [place] = await nested({ ids: ['1'], after });
    if (place == null) throw new Error('the place is there');
    walked.push(...place.people.nodes.map(({ id }) => id));
    if (!place.people.pageInfo.hasNextPage) break;
    after = place.people.pageInfo.endCursor;
  }
  expect(walked).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('a cursor of one row is none of another row, and none of the search over all', async () => {
  const [place] = await nested({ ids: ['1'] });
  const after = place?.people.pageInfo.endCursor;
  await expect(nested({ ids: ['2'], after })).rejects.toThrow();
  await expect(nested({ ids: ['1', '2'], after })).rejects.toThrow();
  await expect(pageOf({ after })).rejects.toThrow();
  // The search of such a page can be asked for by itself.
  expect(idsOf(await pageOf({ after, filter: 'home.id == 1' }))).toEqual([3, 4]);
});

test('a row that is not there has no page to walk', async () => {
  const [place] = await nested({ ids: ['1'] });
  expect(await nested({ ids: ['77'], after: place?.people.pageInfo.endCursor })).toEqual([null]);
});

test('a walk over rows of a row goes on at its version, as the row itself does', async () => {
  const [place] = await nested({ ids: ['1'] });
  graph.set('people', 3n, { name: 'moved', home: { id: '2' } });
  const [after] = await nested({ ids: ['1'], after: place?.people.pageInfo.endCursor });
  expect(after?.people.nodes).toEqual([{ id: '3' }, { id: '4' }]);
  const [now] = await nested({ ids: ['2'] });
  expect(now?.people.nodes).toEqual([{ id: '3' }, { id: '7' }]);
});
