import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditServer } from 'graphql-http';
import { ask, FIRST_POSITION, startTestGraph } from './graph-data.js';
import { ALL_SCOPES, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
let graph: ReturnType<typeof ask>;
beforeAll(async () => {
  api = await startTestGraph();
  graph = ask(api);
});
afterAll(() => api.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
/** Another process on the same database, when it has read all of it. */
async function startTestGraphReader(): Promise<TestReference> {
  const other = await startTestReference({ database: api.database, issuer: api.issuer });
  await Promise.all(['skills', 'locations', 'positions'].map((name) => other.datasets.need(name)));
  return other;
}

/** Status and code of a refused request. */
const outcome = ({ status, body }: Awaited<ReturnType<typeof graph>>) => [
  status,
  body.code ?? body.errors?.[0].extensions.code,
];

test('every audit of GraphQL over HTTP is met', async () => {
  const authorization = `Bearer ${await api.tokenOf(ALL_SCOPES)}`;
  const fetchFn = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization } });
  const results = await auditServer({ url: `${api.url}/v2/graphql`, fetchFn });
  expect(results.length).toBeGreaterThanOrEqual(60);
  expect(results.filter(({ status }) => status !== 'ok').map(({ name, status }) => [name, status])).toEqual([]);
});

test('the media type is the one that was asked for', async () => {
  const query = '{ location(id: 1) { name } }';
  const GRAPH = 'application/graphql-response+json';
  for (const [accept, type] of [
    [GRAPH, GRAPH],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    [`${GRAPH}, application/json;q=0.9`, GRAPH],
  ] as const) {
    const reply = await graph(query, { type: accept });
    expect([accept, reply.status, reply.headers.get('content-type')]).toEqual([accept, 200, `${type}; charset=utf-8`]);
  }
  const other = await graph(query, { type: 'text/csv' });
  expect([other.status, other.headers.get('content-type'), other.body.code]).toEqual([
    406,
    'application/problem+json',
    'accept.unsupported',
  ]);
});

test('a GET asks the same', async () => {
  const query = 'query ($id: Long!) { position(id: $id) { id } }';
  const variables = `{"id":${FIRST_POSITION}}`;
  const reply = await api.call('GET', `/v2/graphql?${String(new URLSearchParams({ query, variables }))}`);
  expect([reply.status, reply.body.data]).toEqual([200, { position: { id: String(FIRST_POSITION) } }]);
  const get = (parameters: Record<string, string>) =>
    api.call('GET', `/v2/graphql?${String(new URLSearchParams(parameters))}`);
  expect(outcome(await get({ query: 'mutation { x }' }))).toEqual([405, 'path.method']);
  expect(outcome(await get({ query, variables: '{' }))).toEqual([400, 'parameter.invalid']);
  expect(outcome(await get({ query, variables: '[]' }))).toEqual([400, 'body.malformed']);
  expect(outcome(await get({ query, what: '1' }))).toEqual([400, 'parameter.unknown']);
  expect(outcome(await get({}))).toEqual([400, 'body.malformed']);
});

test('a body that is no request gets a problem document', async () => {
  const post = (raw: string, headers: Record<string, string> = JSON_TYPE) =>
    api.call('POST', '/v2/graphql', { raw, headers });
  expect(outcome(await post('{'))).toEqual([400, 'body.malformed']);
  expect(outcome(await post('[{"query":"{__typename}"}]'))).toEqual([400, 'body.malformed']);
  expect(outcome(await post('{"query":"{__typename}","more":1}'))).toEqual([400, 'body.malformed']);
  expect(outcome(await post('{"query":"{__typename}"}', { 'content-type': 'text/plain' }))).toEqual([415, 'body.type']);
  expect(outcome(await post(`{"query":"${'#'.repeat(140_000)}"}`))).toEqual([413, 'body.too_large']);
  expect(outcome(await api.call('DELETE', '/v2/graphql'))).toEqual([405, 'path.method']);
  expect(outcome(await graph('{ __typename }', { as: null }))).toEqual([401, 'auth.required']);
});

test('several operations need a name, and only queries are executed', async () => {
  const two = 'query A { location(id: 1) { id } } query B { location(id: 2) { id } }';
  const call = (body: object) => api.call('POST', '/v2/graphql', { body });
  expect((await call({ query: two, operationName: 'B' })).body.data).toEqual({ location: { id: '2' } });
  expect(outcome(await call({ query: two }))).toEqual([400, 'graphql.operation']);
  expect(outcome(await call({ query: two, operationName: 'C' }))).toEqual([400, 'graphql.operation']);
  expect(outcome(await call({ query: 'subscription { __typename }' }))).toEqual([400, 'graphql.operation']);
});

test('a caller reads its own write, in another process too', async () => {
  const other = await startTestGraphReader();
  const own = await api.call('PATCH', `/v2/positions/${FIRST_POSITION}`, {
    body: { title: 'Written just now' },
    headers: { 'if-match': '*' },
  });
  const version = own.headers.get('slipway-version') ?? '';
  const query = `{ position(id: ${FIRST_POSITION}) { title location { name } } }`;
  const two = `{ position(id: ${FIRST_POSITION}) { title } location(id: 3) { name } }`;
  const asked = async (text: string, header: string) => {
    const headers = { 'slipway-min-version': header };
    const reply = await other.call('POST', '/v2/graphql', { body: { query: text }, headers });
    return reply.status === 200 ? reply.body.data.position.title : outcome(reply);
  };
  expect(await asked(query, version)).toBe('Written just now');
  expect(await asked(two, `locations=1, positions=${version}`)).toBe('Written just now');
  expect(await asked(query, '99999999')).toEqual([404, 'version.unknown']);
  expect(await asked(query, 'locations=99999999')).toEqual([404, 'version.unknown']);
  // Versions of two datasets have nothing to do with each other.
  expect(await asked(two, version)).toEqual([400, 'parameter.invalid']);
  for (const header of ['x', '1,2', '-1', 'nothing=1', 'positions=x']) {
    expect([header, await asked(query, header)]).toEqual([header, [400, 'parameter.invalid']]);
  }
  const get = await other.call('GET', `/v2/graphql?${String(new URLSearchParams({ query }))}`, {
    headers: { 'slipway-min-version': '99999999' },
  });
  expect(outcome(get)).toEqual([404, 'version.unknown']);
  await other.stop();
});

test('arguments are refused as over REST, with their positions', async () => {
  const bad = await graph('query ($f: String) { here: positions(filter: $f) { total_count } }', {
    variables: { f: 'staffing_state==Open and customer.id==abcd' },
  });
  const rest = await api.call('GET', '/v2/positions/search?q=staffing_state==Open and customer.id==abcd');
  const [error] = bad.body.errors;
  expect([bad.status, error.extensions.code, error.path]).toEqual([400, 'filter.invalid', ['here']]);
  expect(error.locations).toEqual([{ line: 1, column: 22 }]);
  expect(error.extensions.errors).toEqual(
    rest.body.errors.map((problem: object) => ({ ...problem, parameter: 'filter' })),
  );
  const many = Array.from({ length: 201 }, (_, n) => n + 1).join();
  for (const [query, code] of [
    ['{ positions(filter: "") { total_count } }', 'filter.invalid'],
    ['{ positions(order_by: "nothing") { total_count } }', 'order.unknown_field'],
    ['{ positions(order_by: "tags") { total_count } }', 'order.unknown_field'],
    ['{ positions(first: 0) { total_count } }', 'page.size'],
    ['{ positions(first: -1) { total_count } }', 'page.size'],
    ['{ positions(first: null) { total_count } }', 'page.size'],
    ['{ positions(first: 1.5) { total_count } }', 'graphql.invalid'],
    ['{ positions(after: "x") { total_count } }', 'page.token_malformed'],
    ['{ location(id: 1) { positions(filter: "x==1") { total_count } } }', 'filter.invalid'],
    [`{ positions_by_ids(ids: [${many}]) { id } }`, 'parameter.invalid'],
    ['{ position(id: true) { id } }', 'id.malformed'],
    ['{ position { id } }', 'graphql.invalid'],
  ] as const) {
    expect([query, ...outcome(await graph(query))]).toEqual([query, 400, code]);
    if (code !== 'graphql.invalid')
      expect(outcome(await graph(query, { type: 'application/json' }))).toEqual([400, code]);
  }
});

test('a field is read with the scope of its dataset', async () => {
  const as = ['data:read:positions'];
  const query = '{ positions(first: 1) { nodes { title location { name } } } }';
  const refused = await graph(query, { as });
  expect([...outcome(refused), refused.body.errors[0].extensions.scope]).toEqual([
    403,
    'auth.scope',
    'data:read:locations',
  ]);
  expect((await graph('{ positions(first: 1) { nodes { title } } }', { as })).status).toBe(200);
  expect((await graph(query, { as: [...as, 'data:read:locations'] })).status).toBe(200);
  const { body } = await graph('{ __schema { types { name } } datasets { name } }', { as });
  const names = body.data.__schema.types.map(({ name }: { name: string }) => name);
  expect(names).toContain('Position');
  expect(names.filter((name: string) => /^(Location|Skill)/.test(name))).toEqual([]);
  expect(body.data.datasets).toEqual([{ name: 'positions' }]);
  expect((await graph('{ __typename }', { as: [] })).body.data).toEqual({ __typename: 'Query' });
});

test('a query can be sent once, and its digest from then on', async () => {
  const query = '{ location(id: 3) { name } }';
  const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') };
  const alone = () => api.call('POST', '/v2/graphql', { body: { extensions: { persistedQuery } } });
  const first = await alone();
  expect([...outcome(first), first.body.errors[0].message]).toEqual([
    404,
    'graphql.persisted_not_found',
    'PersistedQueryNotFound',
  ]);
  expect((await graph(query, { extensions: { persistedQuery } })).status).toBe(200);
  expect((await alone()).body.data).toEqual({ location: { name: 'Place "3"' } });
  const extensions = JSON.stringify({ persistedQuery });
  expect((await api.call('GET', `/v2/graphql?${String(new URLSearchParams({ extensions }))}`)).status).toBe(200);
  expect(outcome(await graph(`${query} `, { extensions: { persistedQuery } }))).toEqual([
    400,
    'graphql.persisted_mismatch',
  ]);
  const wrong = { persistedQuery: { version: 1, sha256Hash: 'abc' } };
  expect(outcome(await graph(query, { extensions: wrong }))).toEqual([400, 'body.malformed']);
});

test('what costs too much is refused before anything is read, and the costliest path is named', async () => {
  const query = `query ($n: Int) { positions(first: $n) { nodes { title location { name positions(first: 100) { nodes { id } } } } } }`;
  const { status, body } = await graph(query, { variables: { n: 50 } });
  expect([status, body.errors[0].extensions]).toEqual([
    400,
    {
      code: 'graphql.too_costly',
      cost: 1 + 5 * 50 + 2 * 50 * 100,
      costliest_path: 'positions.nodes.location.positions.nodes',
    },
  ]);
  const cheap = await graph(query, { variables: { n: 10 } });
  expect([cheap.status, cheap.body.extensions.cost]).toEqual([200, 1 + 5 * 10 + 2 * 10 * 100]);
});

test.each([
  ['deep', `{ location(id: 5) ${'{ parent '.repeat(8)}{ id }${' }'.repeat(8)} }`, 200, undefined],
  ['too deep', `{ location(id: 5) ${'{ parent '.repeat(9)}{ id }${' }'.repeat(9)} }`, 400, 'graphql.too_deep'],
  ['far too deep', `{ location(id: 5) ${'{ parent '.repeat(600)}{ id }${' }'.repeat(600)} }`, 400, 'graphql.too_deep'],
  ['as many aliases as may be', `{ ${aliases(30)} }`, 200, undefined],
  ['too many aliases', `{ ${aliases(31)} }`, 400, 'graphql.too_many_aliases'],
  ['too many tokens', `{ location(id: 1) { ${'name '.repeat(2_000)} } }`, 400, 'graphql.too_long'],
  ['one field over and over', `{ location(id: 1) { ${'name '.repeat(100)} } }`, 200, undefined],
  [
    'circular fragments',
    '{ location(id: 1) { ...A } } fragment A on Location { parent { ...B } } fragment B on Location { parent { ...A } }',
    400,
    'graphql.invalid',
  ],
  ['a fragment in itself', '{ location(id: 1) { ...A } } fragment A on Location { ...A }', 400, 'graphql.invalid'],
  ['fragments that multiply', `{ location(id: 1) { ...F0 } } ${fragments(8)}`, 400, 'graphql.too_costly'],
  [
    'circles in the schema',
    `{ __schema { types ${'{ fields { type '.repeat(8)}{ name }${' } }'.repeat(8)} } }`,
    400,
    'graphql.invalid',
  ],
  ['no document', '{', 400, 'graphql.invalid'],
  ['nothing', '', 400, 'graphql.invalid'],
  ['zero characters', '{ location(id: "\u0000") { id } }', 400, 'id.malformed'],
  ['a directive that is not there', '{ location(id: 1) @nothing { id } }', 400, 'graphql.invalid'],
  ['members of every object', '{ constructor __proto__ { x } }', 400, 'graphql.invalid'],
  ['a variable that is not there', '{ location(id: $id) { id } }', 400, 'graphql.invalid'],
])('%s', async (_, query, status, code) => {
  const reply = await graph(query);
  expect([reply.status, reply.body.errors?.[0].extensions.code]).toEqual([status, code]);
});

function aliases(count: number): string {
  return Array.from({ length: count }, (_, n) => `a${n}: location(id: 1) { id }`).join(' ');
}

function fragments(count: number): string {
  const one = (n: number) =>
    `fragment F${n} on Location { a: parent { ...F${n + 1} } b: parent { ...F${n + 1} } c: parent { ...F${n + 1} } }`;
  return `${Array.from({ length: count }, (_, n) => one(n)).join(' ')} fragment F${count} on Location { id }`;
}

test('the introspection that tools make is answered', async () => {
  const { getIntrospectionQuery, buildClientSchema } = await import('graphql');
  const { status, body } = await graph(getIntrospectionQuery());
  expect(status).toBe(200);
  const schema = buildClientSchema(body.data);
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain('positions_by_ids');
});

test.each([
  [{ id: {} }, 'id.malformed'],
  [{ id: [1, 2] }, 'id.malformed'],
  [{ id: null }, 'graphql.variables'],
  [{}, 'graphql.variables'],
  [{ id: true }, 'id.malformed'],
  [{ id: '9'.repeat(100_000) }, 'id.malformed'],
  [{ id: '1', n: 'x' }, 'graphql.variables'],
  [{ id: '1', n: 2 ** 31 }, 'graphql.variables'],
  [{ id: '1', f: { toString: 1 } }, 'graphql.variables'],
  [{ id: '1', f: '('.repeat(9_000) }, 'filter.invalid'],
  [{ id: '1', after: 'x'.repeat(10_000) }, 'page.token_malformed'],
])('variables %j are refused', async (variables, code) => {
  const query =
    'query ($id: Long!, $n: Int = 5, $f: String, $after: String) { location(id: $id) { positions(first: $n, filter: $f, after: $after) { total_count } } }';
  expect(outcome(await graph(query, { variables }))).toEqual([400, code]);
});

test('nothing of it is a failure of the service', () => {
  expect(api.lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
