import { afterAll, beforeAll, expect, test } from 'vitest';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

const ORDERS = {
  fields: {
    customer: { type: 'id', required: true },
    note: { type: 'text' },
    amount: { type: 'integer' },
    next: { type: 'ref', dataset: 'orders', on_delete: 'keep' },
  },
  lookup: { fields: ['note'] },
};
const LINES = { fields: { order: { type: 'ref', dataset: 'orders', on_delete: 'keep' }, text: { type: 'text' } } };
const SHOWN = '7';
const HIDDEN = '8';
/** In every row that the key must not see, and in no other. */
const SECRET = 'xylophone';

let api: TestReference;
let key: string;
const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  api.call(method, path, { key, ...(body && { body }), ...(headers && { headers }) });
const write = (id: number, body: object) => api.call('PUT', `/v2/orders/${id}`, { body, headers: { 'if-match': '*' } });

beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api, { orders: ORDERS, lines: LINES });
  const put = (path: string, body: object) => api.call('PUT', `/v2/${path}`, { body });
  await put('orders/1', { customer: SHOWN, note: 'alpha', amount: 10 });
  await put('orders/2', { customer: HIDDEN, note: `${SECRET} alpha`, amount: 1_000 });
  await put('orders/3', { customer: SHOWN, note: 'beta', amount: 20, next: { id: '2' } });
  await put('orders/4', { customer: HIDDEN, note: SECRET, amount: 4_000, next: { id: '1' } });
  await put('lines/1', { order: { id: '2' }, text: 'of a hidden order' });
  await put('lines/2', { order: { id: '1' }, text: 'of a shown order' });
  const scopes = ['data:read:*', 'data:write:*', 'subscriptions:read', 'subscriptions:write', 'watches:read', 'watches:write', 'datasets:admin', 'keys:admin']; // prettier-ignore
  const issued = await api.call('POST', '/v2/keys', {
    body: { name: 'of a customer', scopes, row_filters: { orders: `customer == ${SHOWN}` } },
  });
  expect([issued.status, issued.body.row_filters]).toEqual([201, { orders: `customer == ${SHOWN}` }]);
  key = issued.body.secret;
});
afterAll(() => api.stop());

const ids = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

test('searches, lists and their figures have the rows of the filter alone', async () => {
  const list = await call('GET', '/v2/orders?facets=customer&aggregates=amount&page_size=1');
  expect(list.body).toMatchObject({ total_size: 2, aggregates: { amount: { max: 20, sum: 30 } } });
  expect(list.body.facets.customer.values).toEqual([{ value: '7', count: 2 }]);
  const second = await call('GET', `/v2/orders?page_size=1&page_token=${list.body.next_page_token}`);
  expect([...ids(list), ...ids(second)]).toEqual(['1', '3']);
  expect(second.body.next_page_token).toBeUndefined();
  expect(ids(await call('GET', '/v2/orders/search?q=customer==8 or amount>0'))).toEqual(['1', '3']);
  expect(ids(await call('GET', '/v2/orders/search?q=customer==8'))).toEqual([]);
  const everything = await api.call('GET', '/v2/orders?page_size=1');
  const foreign = await call('GET', `/v2/orders?page_size=1&page_token=${everything.body.next_page_token}`);
  expect(foreign.body.code).toBe('page.token_mismatch');
  expect((await call('GET', '/v2/orders?explain=true')).body.code).toBe('auth.row_filter');
  const tag = everything.headers.get('etag') ?? '';
  expect((await call('GET', '/v2/orders?page_size=1', undefined, { 'if-none-match': tag })).status).toBe(200);
});

test('lookups have the rows of the filter alone, whatever was cached for another key', async () => {
  const path = '/v2/orders/lookup?q=a';
  const all = await api.call('GET', path);
  expect(all.text).toContain(SECRET);
  const own = await call('GET', path, undefined, { 'if-none-match': all.headers.get('etag') ?? '' });
  expect([own.status, ids(own)]).toEqual([200, ['1']]);
  expect(ids(await call('GET', `/v2/orders/lookup?q=${SECRET}`))).toEqual([]);
  expect(ids(await call('GET', '/v2/orders/lookup?q=&filter=amount>10'))).toEqual(['3']);
});

test('a row outside of the filter is 404, and missing in a batch', async () => {
  expect((await call('GET', '/v2/orders/1')).status).toBe(200);
  expect((await api.call('GET', '/v2/orders/2')).status).toBe(200);
  for (const path of ['/v2/orders/2', '/v2/orders/2?fields=note', '/v2/orders/2?as_of=3']) {
    const { status, body } = await call('GET', path);
    expect([path, status, body.code]).toEqual([path, 404, 'entity.not_found']);
  }
  const batch = await call('GET', '/v2/orders?ids=3,2,9,1');
  expect([ids(batch), batch.body.missing]).toEqual([
    ['3', '1'],
    ['2', '9'],
  ]);
});

test('the graph resolves no hidden row: by id, by reference, backwards or by lookup', async () => {
  const query = `{ order(id: 2) { note } orders_by_ids(ids: [1, 2]) { note } orders { total_count nodes { id next { note } }
    facets(fields: ["note"]) { values { value } } aggregates(fields: ["amount"]) { max } }
    orders_lookup(q: "a") { node { id } } lines { nodes { text order { note } } }
    shown: order(id: 1) { orders { nodes { note } } } }`;
  const all = await api.call('POST', '/v2/graphql', { body: { query } });
  expect(all.text).toContain(SECRET);
  for (const repeat of [1, 2]) {
    const { body, text } = await call('POST', '/v2/graphql', { query });
    expect(text).not.toContain(SECRET);
    expect([repeat, body.data]).toEqual([repeat, {
      order: null,
      orders_by_ids: [{ note: 'alpha' }, null],
      orders: {
        total_count: 2,
        nodes: [{ id: '1', next: null }, { id: '3', next: null }],
        facets: [{ values: [{ value: 'alpha' }, { value: 'beta' }] }],
        aggregates: [{ max: 20 }],
      },
      orders_lookup: [{ node: { id: '1' } }],
      lines: { nodes: [{ text: 'of a hidden order', order: null }, { text: 'of a shown order', order: { note: 'alpha' } }] },
      shown: { orders: { nodes: [] } },
    }]); // prettier-ignore
  }
  const after = await api.call('POST', '/v2/graphql', { body: { query } });
  expect(after.body.data).toEqual(all.body.data);
});

test('changes show a row that comes into sight as created, and one that leaves it as deleted', async () => {
  const from = Number((await api.call('GET', '/v2/orders')).headers.get('slipway-version'));
  await write(2, { customer: HIDDEN, note: `${SECRET} again` });
  await write(2, { customer: SHOWN, note: 'comes' });
  await write(2, { customer: SHOWN, note: 'stays' });
  await write(2, { customer: HIDDEN, note: SECRET });
  await api.call('DELETE', '/v2/orders/2', { headers: { 'if-match': '*' } });
  await write(3, { customer: SHOWN, note: 'beta', amount: 21 });
  const expected = [
    ['create', null, 'comes'],
    ['update', { note: 'comes' }, 'stays'],
    ['delete', null, undefined],
    ['update', { amount: 20, next: { id: '2' } }, 'beta'],
  ];
  type Item = { operation: string; previous: object; entity: { note: string } | null };
  const facts = ({ operation, previous, entity }: Item) => [operation, previous, entity?.note];
  const { body, text } = await call('GET', `/v2/datasets/orders/changes?after=${from}`);
  expect(body.items.map(facts)).toEqual(expected);
  expect(text).not.toContain(SECRET);
  expect((await call('GET', '/v2/datasets/orders/changes?after=0')).text).not.toContain(SECRET);

  const response = await fetch(`${api.url}/v2/datasets/orders/events?after=${from}`, { headers: { 'x-api-key': key } });
  let streamed = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    streamed += decoder.decode(part as Uint8Array, { stream: true });
    if (streamed.includes('"amount":21')) break;
  }
  const events = [...streamed.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Item);
  expect(events.map(facts)).toEqual(expected);
  // A deleted row, too, is only not there.
  expect((await call('GET', '/v2/orders/2')).status).toBe(404);
  expect((await call('GET', '/v2/orders?ids=2')).body).toMatchObject({ missing: ['2'], deleted: [] });
});

test('writes outside of the filter are refused, and change nothing', async () => {
  const put = (id: number, body: object) => call('PUT', `/v2/orders/${id}`, body, { 'if-match': '*' });
  const refused = [
    await put(4, { customer: SHOWN, note: 'taken' }),
    await call('PUT', '/v2/orders/50', { customer: HIDDEN }),
    await put(1, { customer: HIDDEN, note: 'given away' }),
    await call('PATCH', '/v2/orders/1', { customer: HIDDEN }, { 'if-match': '*' }),
    await call('POST', '/v2/orders', { customer: HIDDEN }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [403, 'auth.row_filter']));
  for (const id of ['4', '2', '99']) {
    const patched = await call('PATCH', `/v2/orders/${id}`, { note: 'x' }, { 'if-match': '"1.1"' });
    const removed = await call('DELETE', `/v2/orders/${id}`, undefined, { 'if-match': '"1.1"' });
    expect([id, patched.status, removed.status]).toEqual([id, 404, 404]);
  }
  const batch = await call('POST', '/v2/orders/batch', [
    { op: 'patch', id: '4', if_match: '*', entity: { note: 'x' } },
    { op: 'put', id: '4', if_match: '*', entity: { customer: SHOWN } },
    { op: 'create', entity: { customer: HIDDEN } },
    { op: 'create', entity: { customer: SHOWN, note: 'own' } },
  ]);
  expect(batch.body.items.map(({ status }: { status: number }) => status)).toEqual([404, 403, 403, 201]);
  const reference = await call('POST', '/v2/lines', { order: { id: '4' } });
  const unknown = await call('POST', '/v2/lines', { order: { id: '99' } });
  expect([reference.status, reference.body.errors[0].code]).toEqual([422, unknown.body.errors[0].code]);
  expect((await call('POST', '/v2/lines', { order: { id: '1' } })).status).toBe(201);
  expect((await put(1, { customer: SHOWN, note: 'alpha', amount: 11 })).status).toBe(200);
  expect((await api.call('GET', '/v2/orders/4')).body).toMatchObject({ customer: HIDDEN, note: SECRET, version: 1 });
});

/** Routes that apply the filter, and those that show no row; every other route refuses the key. */
const ALLOWED = [
  'GET /.well-known/webhook-keys',
  ...['GET /v2/openapi.json', 'GET /v2/problems/:code', 'GET /v2/datasets', 'GET /v2/graphql', 'POST /v2/graphql'],
  ...['GET /v2/datasets/:name/changes', 'GET /v2/datasets/:name/events', 'GET /v2/:dataset', 'GET /v2/:dataset/lookup'],
  ...['GET /v2/:dataset/search', 'POST /v2/:dataset', 'POST /v2/:dataset/batch', 'GET /v2/:dataset/:id'],
  ...['PUT /v2/:dataset/:id', 'PATCH /v2/:dataset/:id', 'DELETE /v2/:dataset/:id'],
];

test('every route either applies the filter or refuses the key, and none shows a hidden row', async () => {
  const routes = api.router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
  expect(ALLOWED.filter((route) => !routes.includes(route))).toEqual([]);
  const failed: unknown[] = [];
  for (const route of routes) {
    if (route.endsWith('/events')) continue; // read above
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern
      .replace(/:(dataset|name)/, 'orders')
      .replace(/:id/, method === 'PUT' ? '1' : '4')
      .replaceAll(/:[a-z]+/g, '1');
    const { status, body, text } = await call(method, path, method === 'GET' ? undefined : {});
    const isRefused = status === 403 && body?.code === 'auth.row_filter';
    if (isRefused === ALLOWED.includes(route) || text.includes(SECRET)) failed.push([route, status, text]);
  }
  expect(failed).toEqual([]);
  expect(ids(await call('GET', '/v2/datasets'))).toEqual(['lines']);
  expect((await call('GET', '/v2/lines/1/history')).status).toBe(200);
  expect((await call('GET', '/v2/datasets/lines/dangling')).body.code).toBe('auth.row_filter');
});

test('a dataset whose declaration the filter does not fit any more is closed to the key', async () => {
  await declareAll(api, { codes: { fields: { code: { type: 'text' } } } });
  await api.call('PUT', '/v2/codes/1', { body: { code: 'a' } });
  const body = { name: 'codes', scopes: ['data:read:codes'], row_filters: { codes: 'code == a' } };
  const own = (await api.call('POST', '/v2/keys', { body })).body.secret;
  const read = () => api.call('GET', '/v2/codes/1', { key: own });
  expect((await read()).status).toBe(200);
  await api.call('DELETE', '/v2/codes/1', { headers: { 'if-match': '*' } });
  const { status: changed } = await api.call('PUT', '/v2/datasets/codes?force=true', {
    body: { spec: { fields: { other: { type: 'text' } } } },
  });
  expect(changed).toBe(200);
  await api.call('PUT', '/v2/codes/2', { body: { other: 'a' } });
  for (const path of [
    '/v2/codes/2',
    '/v2/codes',
    '/v2/codes/lookup?q=a',
    '/v2/codes?ids=2',
    '/v2/datasets/codes/changes?after=0',
  ]) {
    const { status, body: problem } = await api.call('GET', path, { key: own });
    expect([path, status, problem.code]).toEqual([path, 403, 'auth.row_filter']);
  }
  const graph = await api.call('POST', '/v2/graphql', { key: own, body: { query: '{ codes { nodes { id } } }' } });
  expect([graph.status, graph.body.errors[0].extensions.code]).toEqual([403, 'auth.row_filter']);
});

test('rows of an earlier declaration, whose values had another type, stay hidden', async () => {
  const declare = (type: string, force = '') =>
    api.call('PUT', `/v2/datasets/notes${force}`, { body: { spec: { fields: { internal: { type }, text: { type: 'text' } } } } }); // prettier-ignore
  await declare('text');
  await api.call('PUT', '/v2/notes/1', { body: { internal: 'true', text: SECRET } });
  const earlier = (await api.call('GET', '/v2/notes')).body.dataset_version;
  await api.call('DELETE', '/v2/notes/1', { headers: { 'if-match': '*' } });
  expect((await declare('boolean', '?force=true')).status).toBe(200);
  const body = { name: 'notes', scopes: ['data:read:notes'], row_filters: { notes: 'not(internal == true)' } };
  const own = (await api.call('POST', '/v2/keys', { body })).body.secret;
  const read = (path: string) => api.call('GET', path, { key: own });
  expect((await read('/v2/notes')).body.total_size).toBe(0);
  await api.call('PUT', '/v2/notes/2', { body: { internal: false, text: 'shown' } });
  expect((await read('/v2/notes')).body.total_size).toBe(1);
  expect((await read(`/v2/notes?as_of=${earlier}`)).body.code).toBe('auth.row_filter');
  expect((await read(`/v2/notes/1?as_of=${earlier}`)).status).toBe(404);
  const changes = await read('/v2/datasets/notes/changes?after=0');
  expect(changes.body.items.map(({ id }: { id: string }) => id)).toEqual(['2']);
});

test.each([
  [{ orders: 'customer == x' }, 'customer takes an integer'],
  [{ orders: 'updated_at > 2026-01-01T00:00:00Z' }, "orders has no field 'updated_at'"],
  [{ orders: '' }, 'the filter is empty'],
  [{ nothing: 'id == 1' }, 'there is no dataset "nothing"'],
  [{}, 'must have a dataset'],
  [{ orders: 7 }, 'must be a filter'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`d${at}`, 'id == 1'])), 'at most 20 datasets'],
])('row_filters %j are refused', async (row_filters, message) => {
  const { status, body } = await api.call('POST', '/v2/keys', { body: { name: 'a', scopes: ['data:read:*'], row_filters } }); // prettier-ignore
  expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining(message)]);
});
