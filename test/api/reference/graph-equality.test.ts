import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import type { Database } from '../../../platform/stores/database.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { filterCase } from '../../reference/filter/cases.js';
import { ask, startTestGraph } from './graph-data.js';
import type { TestReference } from './test-reference.js';

let api: TestReference;
let isDown = false;
beforeAll(async () => {
  api = await startTestGraph({ database: fallible(createMemoryDatabase()) });
});
afterAll(() => api.stop());

/** A database that answers nothing while it is down. */
function fallible(database: Database): Database {
  return {
    ...database,
    table: (name) =>
      new Proxy(database.table(name), {
        get(target, member, receiver) {
          if (isDown) throw new SlipwayError('unavailable', 'the database is down');
          return Reflect.get(target, member, receiver);
        },
      }),
  };
}

const FIELDS = `id title staffing_status customer { id name } location { id } home { id } skills { id } tags head_count day_rate remote starts_on posted_at version created_at updated_at`;
const QUERY = `query ($f: String, $o: String, $n: Int, $after: String) {
  positions(filter: $f, order_by: $o, first: $n, after: $after) { total_count pageInfo { hasNextPage endCursor } nodes { ${FIELDS} } } }`;

/** A row as the graph shows it. */
function toGraph(row: Record<string, unknown>, gone: ReadonlySet<unknown>) {
  const { staffing_status, customer, location, home, skills = [], tags = [] } = row;
  return {
    ...row,
    staffing_status: String(staffing_status).replace(' ', '_'),
    customer: customer === undefined ? null : { name: null, ...(customer as object) },
    location: location ?? null,
    home: home ?? null,
    skills: (skills as { id: string }[]).map((skill) => (gone.has(skill.id) ? null : skill)),
    tags,
    head_count: row.head_count ?? null,
    day_rate: row.day_rate ?? null,
    remote: row.remote ?? null,
  };
}

test('1,000 random filters answer the same rows as over REST, or the same refusal', async () => {
  const graph = ask(api);
  const skills = await api.call('GET', '/v2/skills');
  const there = new Set(skills.body.items.map(({ id }: { id: string }) => id));
  const positions = await api.call('GET', '/v2/positions?page_size=500');
  const ids = positions.body.items.flatMap((row: { skills?: { id: string }[] }) =>
    (row.skills ?? []).map(({ id }) => id),
  );
  const gone = new Set(ids.filter((id: string) => !there.has(id)));
  const orders = [undefined, 'title desc', 'day_rate,staffing_status desc', 'customer.name'];
  let [found, refused] = [0, 0];
  for (const [n, { text }] of fc.sample(filterCase, { numRuns: 1_000, seed: 7 }).entries()) {
    const order = orders[n % orders.length];
    const size = 1 + (n % 60);
    const parameters = new URLSearchParams({ q: text, page_size: String(size), ...(order && { order_by: order }) });
    const rest = await api.call('GET', `/v2/positions/search?${String(parameters)}`);
    const { status, body } = await graph(QUERY, { variables: { f: text, o: order, n: size } });
    expect([text, status]).toEqual([text, rest.status]);
    if (rest.status !== 200) {
      const problems = rest.body.errors.map((problem: object) => ({ ...problem, parameter: 'filter' }));
      expect(body.errors[0].extensions).toMatchObject({ code: rest.body.code, errors: problems });
      refused += 1;
      continue;
    }
    const { nodes, total_count, pageInfo } = body.data.positions;
    expect([text, nodes]).toEqual([text, rest.body.items.map((row: Record<string, unknown>) => toGraph(row, gone))]);
    expect([total_count, pageInfo.hasNextPage]).toEqual([
      rest.body.total_size,
      rest.body.next_page_token !== undefined,
    ]);
    found += nodes.length;
  }
  expect(found).toBeGreaterThan(1_000);
  expect(refused).toBeGreaterThan(0);
}, 300_000);

test('nothing is asked of the database, and each row of a level is looked up once', async () => {
  const graph = ask(api);
  const query = `{ positions(first: 40) { nodes { ${FIELDS} here: location { name positions(first: 3) { nodes { skills { name } } } } } } }`;
  const before = await graph(query);
  const { rows } = api.datasets.get('locations').dataset.replica;
  const lookups = vi.spyOn(rows, 'findAt');
  isDown = true;
  const { status, body } = await graph(query);
  isDown = false;
  expect([status, body.data]).toEqual([200, before.body.data]);
  // `location`, `home` and `here`: eight rows, one and eight again, of forty positions.
  expect(lookups.mock.calls.length).toBe(17);
  lookups.mockRestore();
});
