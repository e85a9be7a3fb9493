import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestIssuer, type TestIssuer } from '../test-issuer.js';
import { declareAll, type Reply, startTestReference, type TestReference } from './test-reference.js';

let issuer: TestIssuer;
let api: TestReference;
const CUSTOMER = '4060741400035622411';
const STATES = ['Open', 'Filled', 'On Hold', 'Closed'];
beforeAll(async () => {
  issuer = await startTestIssuer();
});
beforeEach(async () => {
  api = await startTestReference({ issuer });
  await declareAll(api);
  const items = Array.from({ length: 120 }, (_, n) => ({
    op: 'put',
    id: String(9_007_199_254_740_993n + BigInt(n)),
    entity: {
      title: `Position ${String(n % 7)}`,
      staffing_status: STATES[n % 4],
      customer: { id: n % 3 === 0 ? CUSTOMER : String(n + 1) },
      ...(n % 5 !== 0 && { day_rate: (n * 37) % 100 }),
    },
  }));
  const reply = await api.call('POST', '/v2/positions/batch', { body: items });
  expect(new Set(reply.body.items.map(({ status }: { status: number }) => status))).toEqual(new Set([201]));
});
afterEach(() => api.stop());
afterAll(() => issuer.stop());

const search = (q: string, more = '') => api.call('GET', `/v2/positions/search?q=${encodeURIComponent(q)}${more}`);
const ids = ({ body }: Reply): string[] => body.items.map(({ id }: { id: string }) => id);
/** Every page of a walk. */
async function walk(query: string, between: () => Promise<unknown> = async () => {}): Promise<Reply[]> {
  const pages: Reply[] = [];
  for (let token = ''; ;) {
    const page = await api.call('GET', `/v2/positions${query}${token && `&page_token=${encodeURIComponent(token)}`}`);
    expect(page.status).toBe(200);
    pages.push(page);
    token = page.body.next_page_token;
    if (token === undefined) return pages;
    await between();
  }
}

test.each([
  'staffing_status%20==%20Open%20and%20customer.id%20!=%204060741400035622411',
  'staffing_status+==+Open+and+customer.id+!=+4060741400035622411',
  'staffing_status==Open;customer.id!=4060741400035622411',
  encodeURIComponent(`staffing_status == Open and customer.id != ${CUSTOMER}`),
])('the expression of the specification, as %s', async (q) => {
  const reply = await api.call('GET', `/v2/positions/search?q=${q}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({
    total_size: 20,
    filter: `staffing_status == Open and customer.id != ${CUSTOMER}`,
  });
  expect(reply.body.dataset_version).toBe(Number(reply.headers.get('slipway-version')));
  for (const { staffing_status, customer } of reply.body.items) {
    expect(staffing_status).toBe('Open');
    expect(customer.id).not.toBe(CUSTOMER);
  }
  expect(reply.body.items).toHaveLength(20);
});

test('every problem of a filter has its position', async () => {
  const reply = await search('staffing_state==Open and customer.id==abcd');
  expect([reply.status, reply.body.code]).toEqual([400, 'filter.invalid']);
  expect(reply.body.errors).toEqual([
    expect.objectContaining({
      code: 'filter.unknown_field',
      position: { offset: 0, length: 14, line: 1, column: 1 },
      suggestion: 'staffing_status',
      parameter: 'q',
    }),
    expect.objectContaining({ code: 'filter.bad_type', position: { offset: 38, length: 4, line: 1, column: 39 } }),
  ]);
  expect((await api.call('GET', '/v2/positions/search')).body.errors[0].code).toBe('filter.empty');
});

test('an order is kept over pages, what has no value comes last, and equal rows go by id', async () => {
  const pages = await walk('?order_by=day_rate%20desc,title&page_size=25');
  expect(pages.map(({ body }) => body.items.length)).toEqual([25, 25, 25, 25, 20]);
  const rows = pages.flatMap(({ body }) => body.items);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(120);
  const key = (row: { day_rate?: number; title: string; id: string }) =>
    [row.day_rate ?? -1, row.title, BigInt(row.id)] as const;
  const sorted = rows.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one[0] !== other[0]) return other[0] - one[0];
    if (one[1] !== other[1]) return one[1] < other[1] ? -1 : 1;
    return one[2] < other[2] ? -1 : 1;
  });
  expect(rows).toEqual(sorted);
});

test('a walk shows one version, whatever is written meanwhile', async () => {
  const before = await walk('?page_size=500');
  const all = ids(before[0] as Reply);
  let n = 0;
  const change = async () => {
    const id = all[(n += 7) % all.length] ?? '';
    await api.call('PATCH', `/v2/positions/${id}`, { body: { title: `Changed ${n}` }, headers: { 'if-match': '*' } });
    await api.call('POST', '/v2/positions', { body: { title: 'New', staffing_status: 'Open' } });
    if (n === 21) await api.call('DELETE', `/v2/positions/${all[60]}`, { headers: { 'if-match': '*' } });
  };
  const pages = await walk('?page_size=11', change);
  expect(pages.flatMap((page) => page.body.items)).toEqual(before[0]?.body.items);
  expect(new Set(pages.map(({ body }) => body.dataset_version)).size).toBe(1);
  const after = await walk('?page_size=500');
  expect(ids(after[0] as Reply)).not.toEqual(all);
  // The same as of the version of the walk, also in another process.
  const other = await startTestReference({ database: api.database, issuer });
  const version = pages[0]?.body.dataset_version;
  const asOf = await other.call('GET', `/v2/positions?page_size=500&as_of=${version}`);
  expect(asOf.body.items).toEqual(before[0]?.body.items);
  await other.stop();
});

test('a token belongs to its request', async () => {
  const first = await search('staffing_status == Open', '&page_size=5');
  const token = `&page_token=${encodeURIComponent(first.body.next_page_token)}`;
  const next = await search('staffing_status==Open', `&page_size=7${token}`);
  expect(next.body.items).toHaveLength(7);
  expect(ids(next).some((id) => ids(first).includes(id))).toBe(false);
  expect((await search('staffing_status == Filled', token)).body.code).toBe('page.token_mismatch');
  expect((await search('staffing_status == Open', `&order_by=title${token}`)).body.code).toBe('page.token_mismatch');
  expect((await api.call('GET', `/v2/positions?page_size=5${token}`)).body.code).toBe('page.token_mismatch');
  expect((await search('staffing_status == Open', `${token.slice(0, -4)}AAAA`)).body.code).toBe('page.token_malformed');
  expect((await search('staffing_status == Open', '&page_token=')).body.code).toBe('page.token_malformed');
});

test('page sizes', async () => {
  for (const size of ['0', '-1', 'x', '1.5', '']) {
    expect([size, (await search('version > 0', `&page_size=${size}`)).body.code]).toEqual([size, 'page.size']);
  }
  expect((await search('version > 0', '&page_size=100000')).body.items.length).toBeGreaterThan(100);
  expect((await search('version > 0')).body.items).toHaveLength(50);
  expect((await search('version > 0', '&count=none')).body).not.toHaveProperty('total_size');
  expect((await search('version > 0', '&count=some')).body.code).toBe('parameter.invalid');
  expect((await search('version > 0', '&order_by=nothing')).body.code).toBe('order.unknown_field');
});

test('a projection keeps what was asked for, and the members that every row has', async () => {
  const reply = await search('customer.id == 2', '&fields=customer.id');
  expect(Object.keys(reply.body.items[0])).toEqual(['id', 'customer', 'version', 'created_at', 'updated_at']);
  expect(reply.body.items[0].customer).toEqual({ id: '2' });
  const one = await api.call('GET', `/v2/positions/${reply.body.items[0].id}?fields=title`);
  expect(Object.keys(one.body)).toEqual(['id', 'title', 'version', 'created_at', 'updated_at']);
  expect(one.headers.get('etag')).not.toMatch(/\.0"$/);
  const unknown = await search('version > 0', '&fields=title,custmer.id');
  expect([unknown.status, unknown.body.code]).toEqual([400, 'fields.unknown']);
  expect(unknown.body.errors[0]).toMatchObject({ position: { offset: 6, length: 10 }, suggestion: 'customer.id' });
});

test('a batch keeps the asked order and tells what is not there', async () => {
  const some = await search('staffing_status == Closed', '&page_size=2');
  const [a = '', b = ''] = ids(some);
  const { headers } = await api.call('POST', '/v2/positions', { body: { title: 'Short', staffing_status: 'Open' } });
  const gone = headers.get('location')?.split('/').at(-1) ?? '';
  await api.call('DELETE', `/v2/positions/${gone}`, { headers: { 'if-match': '*' } });
  const reply = await api.call('GET', `/v2/positions?ids=${b},${gone},5,${a}`);
  expect(ids(reply)).toEqual([b, a]);
  expect(reply.body).toMatchObject({ missing: ['5'], deleted: [{ id: gone, deleted_at: expect.any(String) }] });
  expect((await api.call('GET', '/v2/positions?ids=1,x')).body.code).toBe('id.malformed');
  expect((await api.call('GET', '/v2/positions?ids=1&page_size=3')).body.code).toBe('parameter.invalid');
  const many = Array.from({ length: 201 }, (_, n) => n + 1).join();
  expect((await api.call('GET', `/v2/positions?ids=${many}`)).body.code).toBe('parameter.invalid');
});

test('a known list answers 304 until something changes', async () => {
  const first = await search('title == "Position 3"');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const path = `/v2/positions/search?q=${encodeURIComponent('title=="Position 3"')}`;
  expect((await api.call('GET', path, { headers })).status).toBe(304);
  await api.call('POST', '/v2/positions', { body: { title: 'Another', staffing_status: 'Open' } });
  expect((await api.call('GET', path, { headers })).status).toBe(200);
});

test('a search can explain itself', async () => {
  const { body } = await search('staffing_status == "On Hold" and day_rate > 10', '&explain=true');
  expect(body.explain.plan).toContain('day_rate is greater than 10');
  expect(body.explain.rows_tested).toBeGreaterThan(0);
});

test('a changed declaration is searched by as soon as it holds', async () => {
  const spec = { fields: { word: { type: 'text' } } };
  await declareAll(api, { words: spec });
  await api.call('PUT', '/v2/words/1', { body: { word: 'a' } });
  const wider = { fields: { ...spec.fields, note: { type: 'text' } } };
  await api.call('PUT', '/v2/datasets/words', { body: { spec: wider } });
  await api.call('PUT', '/v2/words/2', { body: { note: 'b' } });
  const reply = await api.call('GET', '/v2/words/search?q=note==b');
  expect(ids(reply)).toEqual(['2']);
});
