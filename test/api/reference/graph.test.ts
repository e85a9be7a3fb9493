import { runInNewContext } from 'node:vm';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, FIRST_POSITION, startTestGraph } from './graph-data.js';
import type { TestReference } from './test-reference.js';

let api: TestReference;
let graph: ReturnType<typeof ask>;
beforeAll(async () => {
  api = await startTestGraph();
  graph = ask(api);
});
afterAll(() => api.stop());

/** The data of a request without errors. */
async function data(query: string, variables?: object) {
  const { status, body, text } = await graph(query, { variables });
  if (status !== 200) throw new Error(text);
  return body.data;
}

test('one row with its relations, both ways', async () => {
  const { position } = await data(
    `query ($id: Long!) { position(id: $id) {
      __typename id title staffing_status customer { id name } location { name parent { name } positions(first: 2) { total_count nodes { id } } }
      skills { id name positions(first: 1, filter: "staffing_status == Open") { total_count edges { cursor node { title } } } }
      tags head_count day_rate remote starts_on posted_at version created_at } }`,
    { id: String(FIRST_POSITION + 7n) },
  );
  const rest = await api.call('GET', `/v2/positions/${FIRST_POSITION + 7n}`);
  expect(position).toMatchObject({
    __typename: 'Position',
    id: '9007199254741000',
    title: rest.body.title,
    staffing_status: 'Closed',
    customer: rest.body.customer,
    tags: rest.body.tags,
    head_count: rest.body.head_count,
    day_rate: rest.body.day_rate,
    remote: null,
    starts_on: rest.body.starts_on,
    posted_at: rest.body.posted_at,
    version: 1,
    created_at: rest.body.created_at,
  });
  expect(position.location.name).toBe('Place "8"');
  expect(position.location.parent).toEqual({ name: 'Place "4"' });
  const here = await api.call('GET', `/v2/positions/search?q=location.id==8`);
  expect(position.location.positions.total_count).toBe(here.body.total_size);
  expect(position.location.positions.nodes).toEqual(
    here.body.items.slice(0, 2).map(({ id }: { id: string }) => ({ id })),
  );
  for (const [at, skill] of position.skills.entries()) {
    const { id } = rest.body.skills[at];
    expect(skill.id).toBe(id);
    const open = await api.call('GET', `/v2/positions/search?q=skills.id==${id};staffing_status==Open`);
    expect(skill.positions.total_count).toBe(open.body.total_size);
    expect(skill.positions.edges[0]?.node.title).toBe(open.body.items[0]?.title);
  }
});

test('a reference to nothing is null, an absent list is empty', async () => {
  const { positions } = await data('{ positions(first: 500) { nodes { id skills { id } location { id } } } }');
  const { body } = await api.call('GET', '/v2/positions?page_size=500');
  let missing = 0;
  for (const [at, row] of body.items.entries()) {
    const shown = positions.nodes[at];
    expect(shown.location?.id).toBe(row.location?.id);
    expect(shown.skills.length).toBe(row.skills?.length ?? 0);
    for (const [entry, skill] of shown.skills.entries()) {
      if (skill === null) missing += 1;
      else expect(skill.id).toBe(row.skills[entry].id);
    }
  }
  expect(missing).toBeGreaterThan(0);
});

test('rows by ids keep the asked order, with null in place of what is not there', async () => {
  const ids = [FIRST_POSITION + 5n, 3n, FIRST_POSITION, FIRST_POSITION + 5n].map(String);
  const { positions_by_ids, position } = await data(
    `query ($ids: [Long!]!) { positions_by_ids(ids: $ids) { id } position(id: 3) { id } }`,
    { ids },
  );
  expect(positions_by_ids).toEqual([{ id: ids[0] }, null, { id: ids[2] }, { id: ids[0] }]);
  expect(position).toBeNull();
});

test.each([
  ['a literal', (id: string) => graph(`{ position(id: ${id}) { id } }`)],
  ['a literal text', (id: string) => graph(`{ position(id: "${id}") { id } }`)],
  ['a variable', (id: string) => graph('query ($id: Long!) { position(id: $id) { id } }', { variables: { id } })],
  [
    'the digits of a variable',
    (id: string) =>
      graph('', {
        raw: `{"query":"query ($id: Long!) { position(id: $id) { id } }","variables":{"id":${id}}}`,
        headers: { 'content-type': 'application/json' },
      }),
  ],
])('ids of 64 bits are exact as %s, and what is no id is refused', async (_, send) => {
  for (const n of [0n, 1n, 7n]) {
    const id = String(FIRST_POSITION + n);
    const { status, body } = await send(id);
    expect([status, body.data]).toEqual([200, { position: { id } }]);
  }
  for (const id of ['9223372036854775807', '9007199254740992'])
    expect((await send(id)).body.data).toEqual({ position: null });
  for (const id of ['0', '-5', '1.0', '1e3', '9223372036854775808']) {
    const { status, body } = await send(id);
    expect([id, status, body.errors[0].extensions.code]).toEqual([id, 400, 'id.malformed']);
  }
});

test('integers keep their digits, enum values have names', async () => {
  const { text } = await graph(
    '{ location(id: 3) { population } positions(filter: "staffing_status == \'On Hold\'", first: 1) { nodes { staffing_status head_count } } }',
  );
  expect(text).toContain('"population":3000');
  expect(text).toContain('"staffing_status":"On_Hold","head_count":-58');
  const { __type } = await data(
    '{ __type(name: "PositionStaffingStatus") { description enumValues { name description } } }',
  );
  expect(__type.enumValues).toContainEqual({ name: 'On_Hold', description: 'On Hold' });
  expect(__type.description).toContain('`On_Hold`: On Hold');
});

test('fragments, aliases and directives', async () => {
  const found = await data(
    `query ($yes: Boolean!, $no: Boolean!) {
      here: location(id: 1) { ...Named ...Named @skip(if: $yes) ... on Location { number: id } ... @include(if: $no) { population } }
      there: location(id: 2) { ...Named, id @include(if: $yes) version @skip(if: $yes) }
      __typename
    }
    fragment Named on Location { name parent { ...More } parent { id } }
    fragment More on Location { title: name }`,
    { yes: true, no: false },
  );
  expect(found).toEqual({
    here: { name: 'Place "1"', parent: null, number: '1' },
    there: { name: 'Place "2"', parent: null, id: '2' },
    __typename: 'Query',
  });
  expect(Object.keys(found.here)).toEqual(['name', 'parent', 'number']);
});

test('cursors and page tokens are the same', async () => {
  const q = 'day_rate > 10 and remote == true';
  const all = await api.call('GET', `/v2/positions/search?q=${encodeURIComponent(q)}&order_by=title&page_size=500`);
  const ids = all.body.items.map(({ id }: { id: string }) => id);
  const first = await data(
    `query ($q: String) { positions(filter: $q, order_by: "title", first: 4) { total_count nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor } } }`,
    { q },
  );
  const { nodes, pageInfo, edges, total_count } = first.positions;
  expect(total_count).toBe(ids.length);
  expect(nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 4));
  expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([true, false]);
  const rest = await api.call(
    'GET',
    `/v2/positions/search?q=${encodeURIComponent(q)}&order_by=title&page_size=3&page_token=${pageInfo.endCursor}`,
  );
  expect(rest.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(4, 7));
  const next = (after: string) =>
    data(
      `query ($q: String, $after: String) { positions(filter: $q, order_by: "title", first: 2, after: $after) { nodes { id } pageInfo { hasPreviousPage } } }`,
      { q, after },
    );
  const back = await next(rest.body.next_page_token);
  expect(back.positions.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(7, 9));
  expect(back.positions.pageInfo.hasPreviousPage).toBe(true);
  expect((await next(edges[1].cursor)).positions.nodes[0].id).toBe(ids[2]);
});

test('a relation is walked with the tokens of the search that finds the same rows', async () => {
  const { body } = await api.call(
    'GET',
    '/v2/positions/search?q=location.id==3 and (remote==true or day_rate>1)&page_size=4',
  );
  const one = await data(
    'query ($f: String, $after: String) { location(id: 3) { positions(filter: $f, first: 3, after: $after) { nodes { id } pageInfo { endCursor } } } }',
    {
      f: 'remote == true or day_rate > 1',
      after: body.next_page_token,
    },
  );
  const all = await api.call(
    'GET',
    '/v2/positions/search?q=location.id==3 and (remote==true or day_rate>1)&page_size=500',
  );
  expect(one.location.positions.nodes).toEqual(all.body.items.slice(4, 7).map(({ id }: { id: string }) => ({ id })));
  const foreign = await graph(
    'query ($after: String) { location(id: 4) { positions(first: 3, after: $after) { nodes { id } } } }',
    { variables: { after: body.next_page_token } },
  );
  expect([foreign.status, foreign.body.errors[0].extensions.code, foreign.body.errors[0].path]).toEqual([
    400,
    'page.token_mismatch',
    ['location', 'positions'],
  ]);
});

test('two references to one dataset have two ways back', async () => {
  const { location } = await data(
    '{ location(id: 2) { positions { total_count } positions_by_home { total_count } locations { nodes { id } } } }',
  );
  const count = async (q: string) => (await api.call('GET', `/v2/positions/search?q=${q}`)).body.total_size;
  expect(location.positions.total_count).toBe(await count('location.id==2'));
  expect(location.positions_by_home.total_count).toBe(await count('home.id==2'));
  expect(location.locations.nodes).toEqual([{ id: '6' }]);
});

test('a request reads one version of each dataset, and says which', async () => {
  const first = await graph(
    '{ positions(first: 2) { dataset_version pageInfo { endCursor } nodes { title } } datasets { name version } }',
  );
  const version = first.body.data.positions.dataset_version;
  expect(first.body.extensions).toEqual({ versions: { positions: Number(version) }, cost: expect.any(Number) });
  const names = first.body.data.datasets.map(({ name }: { name: string }) => name);
  expect(names).toEqual((await api.call('GET', '/v2/datasets')).body.items.map(({ id }: { id: string }) => id));
  expect(names).toEqual(expect.arrayContaining(['locations', 'positions', 'skills']));
  await api.call('PATCH', `/v2/positions/${FIRST_POSITION + 2n}`, {
    body: { title: 'Changed' },
    headers: { 'if-match': '*' },
  });
  const after = first.body.data.positions.pageInfo.endCursor;
  const walk = `query ($after: String, $id: Long!) { positions(first: 1, after: $after) { dataset_version nodes { title } } position(id: $id) { title } }`;
  const next = await graph(walk, { variables: { after, id: String(FIRST_POSITION + 2n) } });
  expect(next.body.data.positions.dataset_version).toBe(version);
  expect(next.body.data.positions.nodes[0].title).not.toBe('Changed');
  expect(next.body.data.position.title).toBe(next.body.data.positions.nodes[0].title);
  const now = await graph(
    'query ($id: Long!) { position(id: $id) { title } p: positions(first: 1) { pageInfo { endCursor } } }',
    { variables: { id: String(FIRST_POSITION + 2n) } },
  );
  expect(now.body.data.position.title).toBe('Changed');
  const both = await graph(
    'query ($a: String, $b: String) { a: positions(after: $a) { total_count } b: positions(after: $b) { total_count } }',
    {
      variables: { a: after, b: now.body.data.p.pageInfo.endCursor },
    },
  );
  expect([both.status, both.body.errors[0].extensions.code]).toEqual([400, 'page.token_mismatch']);
});

test('a field of a new declaration can be asked for at once', async () => {
  await api.call('PUT', '/v2/datasets/notes', {
    body: { kind: 'Dataset', id: 'notes', spec: { fields: { text: { type: 'text' } } } },
  });
  await api.call('PUT', '/v2/notes/1', { body: { text: 'x' } });
  expect(await data('{ note(id: 1) { text } }')).toEqual({ note: { text: 'x' } });
  const unknown = await graph('{ note(id: 1) { text about { name } } }');
  expect([unknown.status, unknown.body.errors[0].extensions.code]).toEqual([400, 'graphql.invalid']);
  await api.call('PUT', '/v2/datasets/notes', {
    body: {
      kind: 'Dataset',
      id: 'notes',
      spec: { fields: { text: { type: 'text' }, about: { type: 'ref', dataset: 'skills' } } },
    },
  });
  const deadline = Date.now() + 120_000;
  while ((await graph('{ note(id: 1) { text about { name } } }')).status !== 200)
    expect(Date.now()).toBeLessThan(deadline);
});

test('a lookup answers the hits of REST, in their order', async () => {
  const query =
    'query ($q: String!) { locations_lookup(q: $q, limit: 3, filter: "population > 2000") { node { id name parent { name } } bucket typos field ranges } }';
  const { locations_lookup } = await data(query, { q: 'plcae' });
  const rest = await api.call('GET', '/v2/locations/lookup?q=plcae&limit=3&filter=population>2000');
  expect(locations_lookup.length).toBeGreaterThan(0);
  expect(locations_lookup.map(({ node, ...match }: { node: { id: string } }) => [node.id, match])).toEqual(
    rest.body.items.map(({ id, match }: { id: string; match: object }) => [id, match]),
  );
  const { status, body } = await graph(query, { variables: { q: 'x'.repeat(201) } });
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'lookup.query_too_long']);
  const none = await graph('{ locations_lookup(q: "a", limit: 51) { bucket } }');
  expect([none.status, none.body.errors[0].extensions.code]).toEqual([400, 'parameter.invalid']);
  const undeclared = await graph('{ skills_lookup(q: "a") { bucket } }');
  expect([undeclared.status, undeclared.body.errors[0].extensions.code]).toEqual([400, 'graphql.invalid']);
});

test('browsers get a page for queries in development, with nothing in it from elsewhere', async () => {
  const developing = await startTestGraph({ changes: { graphiql: true } });
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const page = await developing.call('GET', '/v2/graphql', { as: null, headers });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('/v2/graphql');
  expect(page.text).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
  const [, script = ''] = /<div id="root"><\/div><script>([^]*?)<\/script>/.exec(page.text) ?? [];
  await checkBeforeKey(script);
  const query = await developing.call('GET', `/v2/graphql?query=${encodeURIComponent('{ __typename }')}`);
  expect(query.body.data).toEqual({ __typename: 'Query' });
  await developing.stop();
  const elsewhere = await api.call('GET', '/v2/graphql', { as: null, headers });
  expect(elsewhere.status).toBe(401);
});

/** Runs the script of the page as a browser does: without a key no request leaves the page. */
async function checkBeforeKey(script: string): Promise<void> {
  const sent: unknown[] = [];
  const self = { fetch: async (_address: string, options: object) => Response.json({ sent: sent.push(options) }) };
  runInNewContext(script, { self, Headers, Response });
  const ask = async (headers: Record<string, string>, query: string) =>
    (await self.fetch('/v2/graphql', { headers, body: JSON.stringify({ query }) })).json();
  const { data } = (await ask({ 'x-api-key': '' }, getIntrospectionQuery())) as { data: IntrospectionQuery }; // made by the page
  expect(validate(buildClientSchema(data), parse('{ datasets { name version } }'))).toEqual([]);
  expect(await ask({ 'x-api-key': '' }, '{ datasets { name } }')).toMatchObject({
    errors: [{ message: expect.stringContaining('under Headers') }],
  });
  expect(sent).toEqual([]);
  expect(await ask({ 'x-api-key': 'slp_k' }, '{ datasets { name } }')).toEqual({ sent: 1 });
}
