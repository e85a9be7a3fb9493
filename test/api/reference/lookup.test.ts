import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSameWays } from './same-ways.js';
import { declareAll, type Reply, startTestReference, type TestReference } from './test-reference.js';

const LOCATIONS = {
  title: 'Locations',
  fields: {
    name: { type: 'text', required: true },
    country: { type: 'text' },
    country_name: { type: 'text' },
    former_names: { type: 'list', of: { type: 'text' } },
    population: { type: 'integer' },
    twin: { type: 'ref', dataset: 'locations' },
  },
  lookup: { fields: ['name'], aliases: ['country_name', 'former_names'], weight: 'population' },
};
const ROWS = {
  3448439: { name: 'São Paulo', country: 'BR', country_name: 'Brazil', population: 10_021_295 },
  3665374: { name: 'São Paulo de Olivença', country: 'BR', country_name: 'Brazil', population: 14_589 },
  2950159: { name: 'Berlin', country: 'DE', country_name: 'Germany', population: 3_426_354, twin: { id: '745044' } },
  745044: { name: 'İstanbul', country: 'TR', former_names: ['Byzantion', 'Konstantinopel'], population: 14_804_116 },
  5128581: { name: 'New York City', country: 'US', country_name: 'United States', population: 8_175_133 },
  '9007199254740993': { name: 'Newtown', country: 'GB', population: 11_319 },
};

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api, { locations: LOCATIONS, words: { fields: { word: { type: 'text' } } } });
  for (const [id, entity] of Object.entries(ROWS)) {
    expect((await api.call('PUT', `/v2/locations/${id}`, { body: entity })).status).toBe(201);
  }
});
afterAll(() => api.stop());

const lookup = (query: string, options = {}) => api.call('GET', `/v2/locations/lookup?${query}`, options);
const names = ({ body }: Reply): string[] => body.items.map(({ name }: { name: string }) => name);
const typed = async (text: string, more = '') => names(await lookup(`q=${encodeURIComponent(text)}${more}`));

test('the request of the specification, by key and by token', async () => {
  const { body: key } = await api.call('POST', '/v2/keys', { body: { name: 'form', scopes: ['data:read:locations'] } });
  const byKey = await lookup('q=sao%20pa&limit=2', { key: key.secret });
  expect(byKey.status).toBe(200);
  expect(byKey.body).toEqual({
    query: { text: 'sao pa', words: ['sao', 'pa'] },
    dataset_version: Number(byKey.headers.get('slipway-version')),
    items: [
      {
        ...ROWS[3448439],
        id: '3448439',
        version: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        match: {
          bucket: 'name_prefix',
          typos: 0,
          field: 'name',
          ranges: [
            [0, 3],
            [4, 6],
          ],
        },
      },
      expect.objectContaining({ id: '3665374' }),
    ],
  });
  const byToken = await lookup('q=sao+pa&limit=2', { as: ['data:read:*'] });
  expect(byToken.text).toBe(byKey.text);
  expect((await lookup('q=sao', { as: ['data:read:positions'] })).body.code).toBe('auth.scope');
});

test('one letter, accents, order, aliases and slips', async () => {
  expect(await typed('s')).toEqual(['São Paulo', 'São Paulo de Olivença', 'New York City']); // of the United States
  expect(await typed('ISTAN')).toEqual(['İstanbul']);
  expect(await typed('york new')).toEqual(['New York City']);
  expect(await typed('germany')).toEqual(['Berlin']);
  expect(await typed('new')).toEqual(['New York City', 'Newtown']);
  expect(await typed('brelin')).toEqual(['Berlin']);
  expect(await typed('nowhere')).toEqual([]);
});

test('a match in a list has its index', async () => {
  const { body } = await lookup('q=konst');
  expect(body.items[0].match).toEqual({ bucket: 'alias', typos: 0, field: 'former_names', index: 1, ranges: [[0, 5]] });
});

test('nothing typed yet: the most popular rows', async () => {
  for (const q of ['', '+', '%20-', '%F0%9F%98%80']) {
    const reply = await lookup(`q=${q}&limit=3`);
    expect(names(reply)).toEqual(['İstanbul', 'São Paulo', 'New York City']);
    expect(reply.body.items[0].match).toEqual({ bucket: 'popular', typos: 0, field: 'name', ranges: [] });
  }
});

test('a filter, fields and numbers as ids', async () => {
  expect(await typed('', `&filter=${encodeURIComponent('country == BR and population > 20000')}`)).toEqual([
    'São Paulo',
  ]);
  expect(await typed('new', '&filter=population<20000')).toEqual(['Newtown']);
  expect(await typed('b', '&filter=twin.id==745044')).toEqual(['Berlin']);
  const reply = await lookup('q=newt&fields=country', { headers: { accept: 'application/json; ids=number' } });
  expect(reply.text).toContain('"items":[{"id":9007199254740993,"country":"GB","version":1,');
  expect(reply.body.items[0].match.field).toBe('name');
});

test.each([
  ['', 'lookup.q_required'],
  ['limit=3', 'lookup.q_required'],
  [`q=${'a'.repeat(201)}`, 'lookup.query_too_long'],
  [`q=${'%F0%9F%98%80'.repeat(201)}`, 'lookup.query_too_long'],
  ['q=a&limit=0', 'parameter.invalid'],
  ['q=a&limit=51', 'parameter.invalid'],
  ['q=a&limit=ten', 'parameter.invalid'],
  ['q=a&q=b', 'parameter.invalid'],
  ['q=%ff', 'parameter.invalid'],
  ['q=a&page_size=3', 'parameter.unknown'],
  ['q=a&fields=nam', 'fields.unknown'],
  ['q=a&filter=', 'filter.invalid'],
  ['q=a&filter=nam==b', 'filter.invalid'],
])('%.60s is %s', async (query, code) => {
  const { status, body } = await lookup(query);
  expect([status, body.code]).toEqual([400, code]);
  for (const { parameter } of body.errors ?? []) expect(query).toContain(`${parameter}=`);
});

test('at the limits it is answered', async () => {
  expect((await lookup(`q=${'%F0%9F%98%80'.repeat(200)}`)).status).toBe(200);
  expect((await lookup(`q=${'a'.repeat(200)}&limit=50`)).status).toBe(200);
});

test('a dataset without lookup, and one that is not there', async () => {
  const none = await api.call('GET', '/v2/words/lookup?q=a');
  expect([none.status, none.body.code]).toEqual([404, 'lookup.not_declared']);
  expect((await api.call('GET', '/v2/nothing/lookup?q=a')).body.code).toBe('dataset.not_found');
});

test('a known answer is 304 until something changes, and may be kept for seconds', async () => {
  const first = await lookup('q=berl');
  expect(first.headers.get('cache-control')).toBe('private, max-age=5, stale-while-revalidate=30');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const again = await lookup('q=berl', { headers });
  expect([again.status, again.text]).toEqual([304, '']);
  expect((await lookup('q=berli', { headers })).status).toBe(200);
  expect((await lookup('q=berl&limit=9', { headers })).status).toBe(200);
  await api.call('PUT', '/v2/locations/1', { body: { name: 'Berlingen', population: 1 } });
  const changed = await lookup('q=berl', { headers });
  expect(names(changed)).toEqual(['Berlin', 'Berlingen']);
  await api.call('DELETE', '/v2/locations/1', { headers: { 'if-match': '*' } });
});

test('a write is found at once, under its new name alone, and not any more when it is deleted', async () => {
  const put = async (name: string, etag?: string) => {
    const headers: Record<string, string> = etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag };
    const reply = await api.call('PUT', '/v2/locations/77', { body: { name }, headers });
    return reply.headers;
  };
  const created = await put('Quellendorf');
  expect(await typed('quel')).toEqual(['Quellendorf']);
  const changed = await put('Waldendorf', created.get('etag') ?? '');
  expect(await typed('quel')).toEqual([]);
  const own = { 'slipway-min-version': changed.get('slipway-version') ?? '' };
  expect(names(await lookup('q=waldend', { headers: own }))).toEqual(['Waldendorf']);
  await api.call('DELETE', '/v2/locations/77', { headers: { 'if-match': '*' } });
  expect(await typed('waldend')).toEqual([]);
});

test('a changed declaration is looked up by as soon as it holds', async () => {
  const spec = { fields: { word: { type: 'text' }, other: { type: 'text' } } };
  await declareAll(api, { notes: { ...spec, lookup: { fields: ['word'] } } });
  await api.call('PUT', '/v2/notes/1', { body: { word: 'apple', other: 'pear' } });
  const ask = async (q: string) => (await api.call('GET', `/v2/notes/lookup?q=${q}`)).body.items.length;
  expect([await ask('app'), await ask('pea')]).toEqual([1, 0]);
  await api.call('PUT', '/v2/datasets/notes', { body: { spec: { ...spec, lookup: { fields: ['other'] } } } });
  for (const deadline = Date.now() + 120_000; (await ask('pea')) === 0;) {
    if (Date.now() > deadline) throw new Error('the new index did not come');
  }
  expect(await ask('app')).toBe(0);
});

test('the short way and the long way to an answer say the same', async () => {
  const { headers } = await lookup('q=new&limit=2');
  for (const query of [
    'q=',
    'q=new&limit=2',
    'q=new&limit=2',
    'q=new&limit=3',
    'q=S%C3%A3o+pa',
    'q=%F0%9F%98%80',
    'q=istan',
    'q=konst',
    'q=nwetown',
  ]) {
    await expectSameWays(api, `/v2/locations/lookup?${query}`);
  }
  await expectSameWays(api, '/v2/locations/lookup?q=new&limit=2', { 'if-none-match': headers.get('etag') ?? '' });
});

test('a short prefix, whose answer is kept, gets a new answer after a change', async () => {
  expect(await typed('zu')).toEqual([]);
  const created = await api.call('PUT', '/v2/locations/78', { body: { name: 'Zug', population: 1 } });
  expect(await typed('zu')).toEqual(['Zug']);
  expect(await typed('zu')).toEqual(['Zug']);
  const ifMatch = { 'if-match': created.headers.get('etag') ?? '' };
  await api.call('PUT', '/v2/locations/78', { body: { name: 'Zuoz', population: 1 }, headers: ifMatch });
  expect(await typed('zu')).toEqual(['Zuoz']);
  await api.call('DELETE', '/v2/locations/78', { headers: { 'if-match': '*' } });
  expect(await typed('zu')).toEqual([]);
});

test('synonyms apply to lookups as soon as they are declared, and no row is indexed again', async () => {
  const declare = (synonyms?: object[]) =>
    api.call('PUT', '/v2/datasets/locations', { body: { spec: { ...LOCATIONS, lookup: { ...LOCATIONS.lookup, synonyms } } } }); // prettier-ignore
  const columns = () => api.datasets.get('locations').dataset.index?.built?.columns;
  const indexed = columns();
  const before = (await lookup('q=bigapple')).headers.get('etag');
  expect(await typed('bigapple')).toEqual([]);
  expect((await declare([{ words: ['bigapple'], means: ['new york'] }, { words: ['sao', 'saint'] }])).status).toBe(200);
  expect(await typed('bigapple')).toEqual(['New York City']);
  expect(await typed('bigapple', '&filter=country==US')).toEqual(['New York City']);
  expect((await lookup('q=bigapple')).headers.get('etag')).not.toBe(before);
  const { body } = await lookup('q=saint%20paul&limit=1');
  expect(body.items[0]).toMatchObject({ name: 'São Paulo', match: { bucket: 'name_prefix', ranges: [[0, 3], [4, 8]] } }); // prettier-ignore
  const query = '{ locations_lookup(q: "bigapple") { node { name } } }';
  const graph = await api.call('POST', '/v2/graphql', { body: { query } });
  expect(graph.body.data.locations_lookup).toEqual([{ node: { name: 'New York City' } }]);
  expect(columns()).toBe(indexed);
  expect((await declare()).status).toBe(200);
  expect(await typed('bigapple')).toEqual([]);
});

test.each([
  [[{ words: ['one'] }], 'must have two words or more, or means'],
  [[{ words: [] }], 'must have at least one phrase'],
  [[{ words: ['?!', 'a'] }], 'must have 1 to 5 words'],
  [[{ words: ['a b c d e f', 'a'] }], 'must have 1 to 5 words'],
  [[{ words: ['a'.repeat(101), 'a'] }], 'must have at most 100 characters'],
  [[{ words: Array.from({ length: 21 }, (_, at) => `w${at}`) }], 'must have at most 20 phrases'],
  [Array.from({ length: 501 }, () => ({ words: ['a', 'b'] })), 'must have at most 500 sets'],
])('synonyms %# are refused', async (synonyms, message) => {
  const spec = { ...LOCATIONS, lookup: { ...LOCATIONS.lookup, synonyms } };
  const { status, body } = await api.call('PUT', '/v2/datasets/locations', { body: { spec } });
  expect([status, body.errors[0].message]).toEqual([422, message]);
});
