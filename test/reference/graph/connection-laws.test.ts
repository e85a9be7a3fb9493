import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createSmallGraph } from './small-graph.js';

const COUNT = 23;
let graph: Awaited<ReturnType<typeof createSmallGraph>>;
beforeAll(async () => {
  const places = [1n, 2n, 3n].map((id): [bigint, Record<string, unknown>] => [id, { name: `Place ${id}` }]);
  const people = Array.from({ length: COUNT }, (_, at): [bigint, Record<string, unknown>] => {
    // Ids beyond 2^53, and ages that repeat or are absent.
    const id = 2n ** 53n + BigInt(at);
    const age = at % 5 === 0 ? {} : { age: BigInt(at % 4) };
    return [id, { name: `P${at % 7}`, home: { id: String((at % 3) + 1) }, ...age }];
  });
  graph = await createSmallGraph({ places: new Map(places), people: new Map(people) });
});

interface Page {
  nodes: { id: string; name: string; age: string | number | null }[];
  total_count: number;
  pageInfo: { endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
}
const PAGE = '{ nodes { id name age } total_count pageInfo { endCursor hasNextPage hasPreviousPage } }';
const QUERY = `query ($after: String, $filter: String, $order: String, $first: Int) {
  people(after: $after, filter: $filter, order_by: $order, first: $first) ${PAGE}
}`;

interface Search {
  filter?: string | undefined;
  order?: string | undefined;
}
const pageOf = async (variables: object): Promise<Page> =>
  (await graph.ask(QUERY, { ...variables })).data.people as Page;

/** Every page of a walk whose pages have these sizes in turns. */
async function walk(search: Search, sizes: readonly number[]): Promise<Page[]> {
  const pages: Page[] = [];
  for (let after: string | null = null, at = 0; ; at += 1) {
    const first = sizes[at % sizes.length] ?? 1;
    const page: Page = await pageOf({ ...search, first, ...(after !== null && { after }) });
    expect(page.nodes.length).toBeLessThanOrEqual(first);
    pages.push(page);
    if (!page.pageInfo.hasNextPage) return pages;
    expect(page.nodes.length).toBe(first); // only the last page may be short
    after = page.pageInfo.endCursor;
  }
}

const search = fc.record<Search>({
  filter: fc.constantFrom(undefined, 'age > 1', 'age =null= true', 'name == P3', 'home.id =in= (1, 3)', 'name == none'),
  order: fc.constantFrom(undefined, 'age', 'age desc', 'name desc,age', 'home.id,name', 'id desc'),
});
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 });

test('pages of any sizes, one after the other, are the one page that holds everything', () =>
  fc.assert(
    fc.asyncProperty(search, sizes, async (asked, given) => {
      const whole = await pageOf({ ...asked, first: 500 });
      const pages = await walk(asked, given);
      expect(pages.flatMap(({ nodes }) => nodes)).toEqual(whole.nodes);
      expect(pages.map(({ total_count }) => total_count)).toEqual(pages.map(() => whole.nodes.length));
      expect(pages.map(({ pageInfo }) => pageInfo.hasPreviousPage)).toEqual(pages.map((_, at) => at > 0));
    }),
    { numRuns: 60 },
  ));

test('a descending order is the reverse of the ascending one among rows that have a value; the others come last', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom('age', 'name'), async (path) => {
      const [up, down] = await Promise.all([
        pageOf({ order: `${path},id`, first: 500 }),
        pageOf({ order: `${path} desc,id desc`, first: 500 }),
      ]);
      const present = ({ nodes }: Page) => nodes.filter((each) => each[path] !== null).map(({ id }) => id);
      const absent = ({ nodes }: Page) => nodes.filter((each) => each[path] === null).map(({ id }) => id);
      expect(present(down)).toEqual(present(up).toReversed());
      expect(absent(down)).toEqual(absent(up).toReversed());
      for (const page of [up, down])
        expect(page.nodes.map(({ id }) => id)).toEqual([...present(page), ...absent(page)]);
    }),
    { numRuns: 4 },
  ));

test('a filter and its negation divide the rows', () =>
  fc.assert(
    fc.asyncProperty(search, async ({ filter }) => {
      if (filter === undefined) return;
      const [some, others] = await Promise.all([
        pageOf({ filter, first: 500 }),
        pageOf({ filter: `not(${filter})`, first: 500 }),
      ]);
      expect(some.total_count + others.total_count).toBe(COUNT);
      const ids = [...some.nodes, ...others.nodes].map(({ id }) => id);
      expect(new Set(ids).size).toBe(COUNT);
    }),
    { numRuns: 10 },
  ));

test('the rows that refer to a row are those that the filter on the reference finds', async () => {
  for (const id of [1, 2, 3]) {
    const { data } = await graph.ask(`{ place(id: ${id}) { people(first: 500, order_by: "name") ${PAGE} } }`);
    const { people } = data.place as { people: Page };
    const found = await pageOf({ filter: `home.id == ${id}`, order: 'name', first: 500 });
    expect(people.nodes).toEqual(found.nodes);
    expect(people.total_count).toBe(found.total_count);
  }
});

test.each([0, -1, 1.5, 2 ** 31])('a page of %d rows is refused', async (first) => {
  await expect(graph.refused(QUERY, { first })).resolves.toBeInstanceOf(Error);
});
