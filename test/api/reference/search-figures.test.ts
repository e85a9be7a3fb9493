import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

const FIELDS = {
  country: { type: 'text' },
  open: { type: 'boolean' },
  since: { type: 'date' },
  tags: { type: 'list', of: { type: 'text' } },
  size: { type: 'integer' },
  rate: { type: 'decimal' },
  owner: { type: 'id' },
  agent: { type: 'id' },
  note: { type: 'text', filterable: false, sortable: false },
};
const ROWS = [
  { country: 'BR', open: true, since: '2026-01-01', tags: ['a', 'a', 'b'], size: '9223372036854775807', rate: 1.5 },
  { country: 'BR', open: false, since: '2026-01-01', tags: ['b'], size: 1, owner: '9007199254740993' },
  { country: 'PT', open: true, tags: [], rate: -2 },
  { open: true, owner: '9007199254740993', agent: 7 },
];
let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const body = { kind: 'Dataset', id: 'shops', spec: { fields: FIELDS } };
  await api.call('PUT', '/v2/datasets/shops', { body });
  for (const [at, row] of ROWS.entries()) await api.call('PUT', `/v2/shops/${at + 1}`, { body: row });
});
afterAll(() => api.stop());

test('facets count the rows of each value over the whole search, whatever the page', async () => {
  const { body } = await api.call('GET', '/v2/shops?facets=country,open,since,tags,owner,agent&page_size=1');
  expect(body.items).toHaveLength(1);
  expect(body.facets).toEqual({
    country: { values: [{ value: 'BR', count: 2 }, { value: 'PT', count: 1 }], others: 0, missing: 1 }, // prettier-ignore
    open: { values: [{ value: true, count: 3 }, { value: false, count: 1 }], others: 0, missing: 0 }, // prettier-ignore
    since: { values: [{ value: '2026-01-01', count: 2 }], others: 0, missing: 2 },
    tags: { values: [{ value: 'b', count: 2 }, { value: 'a', count: 1 }], others: 0, missing: 1 }, // prettier-ignore
    owner: { values: [{ value: '9007199254740993', count: 2 }], others: 0, missing: 2 },
    agent: { values: [{ value: '7', count: 1 }], others: 0, missing: 3 },
  });
  const filtered = await api.call('GET', '/v2/shops/search?q=open==true&facets=country');
  expect(filtered.body.facets.country).toEqual({
    values: [{ value: 'BR', count: 1 }, { value: 'PT', count: 1 }], // prettier-ignore
    others: 0,
    missing: 1,
  });
});

test('aggregates are exact for integers, and null where nothing is', async () => {
  const { text, body } = await api.call('GET', '/v2/shops?aggregates=size,rate');
  expect(body.aggregates).toEqual({
    size: {
      ...{ count: 2, min: 1, max: '9223372036854775807', sum: '9223372036854775808' },
      average: expect.closeTo(4.611686018427388e18, -6),
    },
    rate: { count: 2, min: -2, max: 1.5, sum: -0.5, average: -0.25 },
  });
  expect(text).not.toContain('"facets"');
  const none = await api.call('GET', '/v2/shops/search?q=size<0&aggregates=size');
  expect(none.body.aggregates.size).toEqual({ count: 0, min: null, max: null, sum: 0, average: null });
  const headers = { accept: 'application/json; ids=number' };
  const numbers = await api.call('GET', '/v2/shops?aggregates=size&facets=owner,agent', { headers });
  expect(numbers.text).toContain('"max":9223372036854775807');
  expect(numbers.text).toContain('"value":9007199254740993');
  expect(numbers.body.facets.agent.values).toEqual([{ value: 7, count: 1 }]);
});

test('figures of an earlier version are of that version, and have a tag of their own', async () => {
  const before = await api.call('GET', '/v2/shops?facets=country');
  const plain = await api.call('GET', '/v2/shops');
  expect(before.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  await api.call('PUT', '/v2/shops/9', { body: { country: 'SE' } });
  const again = await api.call('GET', `/v2/shops?facets=country&as_of=${before.body.dataset_version}`);
  expect(again.body.facets).toEqual(before.body.facets);
  expect((await api.call('GET', '/v2/shops?facets=country')).body.facets.country.values).toHaveLength(3);
});

test.each([
  ['facets=contry', 'country'],
  ['facets=note', undefined],
  ['facets=id', undefined],
  ['facets=', undefined],
  ['aggregates=country', undefined],
  ['aggregates=tags', undefined],
  ['facets=a,b,c,d,e,f,g,h,i,j,k', undefined],
])('%s is refused', async (query, suggestion) => {
  const { status, body } = await api.call('GET', `/v2/shops?${query}`);
  expect([status, body.code, body.errors[0].suggestion]).toEqual([400, 'fields.unknown', suggestion]);
});

const graph = (query: string, variables = {}) => api.call('POST', '/v2/graphql', { body: { query, variables } });

test('a connection has the figures of REST, over the whole search', async () => {
  const fields = 'field values { value count } others missing';
  const { body } = await graph(
    `query ($of: [String!]!) { shops(filter: "id < 5", first: 1) {
      nodes { id } facets(fields: $of) { ${fields} } only: facets(fields: ["tags"]) { __typename values { __typename count } }
      aggregates(fields: ["size", "rate"]) { field count min max sum average } } }`,
    { of: ['country', 'open', 'since', 'owner', 'agent'] },
  );
  const rest = await api.call(
    'GET',
    '/v2/shops/search?q=id<5&facets=country,open,since,owner,agent&aggregates=size,rate',
  );
  const named = (figures: object) => Object.entries(figures).map(([field, figure]) => ({ field, ...figure }));
  expect(body.data.shops).toEqual({
    nodes: [{ id: '1' }],
    facets: named(rest.body.facets),
    only: [{ __typename: 'Facet', values: [{ __typename: 'FacetValue', count: 2 }, { __typename: 'FacetValue', count: 1 }] }], // prettier-ignore
    aggregates: named(rest.body.aggregates),
  });
});

test('rows that refer to a row have figures of their own', async () => {
  const spec = { fields: { shop: { type: 'ref', dataset: 'shops' }, price: { type: 'integer' } } };
  await api.call('PUT', '/v2/datasets/sales', { body: { spec } });
  for (const [at, shop] of [1, 1, 2].entries()) {
    await api.call('PUT', `/v2/sales/${at + 1}`, { body: { shop: { id: String(shop) }, price: at + 1 } });
  }
  const of = 'aggregates(fields: ["price"]) { sum } facets(fields: ["price"]) { values { value } }';
  const { body } = await graph(
    `{ shops_by_ids(ids: [1, 2, 3]) { sales(filter: "price > 0", first: 1) { nodes { id } ${of} } } }`,
  );
  expect(body.data.shops_by_ids.map(({ sales }: { sales: object }) => sales)).toEqual([
    { nodes: [{ id: '1' }], aggregates: [{ sum: 3 }], facets: [{ values: [{ value: 1 }, { value: 2 }] }] },
    { nodes: [{ id: '3' }], aggregates: [{ sum: 3 }], facets: [{ values: [{ value: 3 }] }] },
    { nodes: [], aggregates: [{ sum: 0 }], facets: [{ values: [] }] },
  ]);
});

test('figures count in the cost: fields times the values of each', async () => {
  const { body } = await graph(
    '{ shops(first: 1) { facets(fields: ["open", "country"]) { values { value count } } } }',
  );
  // 1 + facets (1 + 2 fields * (values 1 + 100 * 2)) + the connection itself
  expect(body.extensions.cost).toBe(1 + (1 + 2 * (1 + 100 * 2)));
  const dear = await graph(
    '{ shops_by_ids(ids: [1,2,3,4,5,6,7,8]) { sales { facets(fields: ["price"]) { values { value count } } } } }',
  );
  expect([dear.status, dear.body.errors[0].extensions.code]).toEqual([400, 'graphql.too_costly']);
});

test.each([
  ['facets(fields: ["contry"]) { others }', 'fields.unknown'],
  ['facets(fields: ["note"]) { others }', 'fields.unknown'],
  ['aggregates(fields: ["country"]) { count }', 'fields.unknown'],
  [`facets(fields: [${'"open", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"'}]) { others }`, 'fields.unknown'],
  ['facets { others }', 'graphql.invalid'],
  ['facets(fields: [1]) { others }', 'graphql.invalid'],
])('%s is refused', async (selection, code) => {
  const { body } = await graph(`{ shops { ${selection} } }`);
  expect(body.errors[0].extensions.code).toBe(code);
});
