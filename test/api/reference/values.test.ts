import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

const FIELDS = {
  text: { type: 'text', max_length: 10 },
  integer: { type: 'integer' },
  decimal: { type: 'decimal' },
  date: { type: 'date' },
  time: { type: 'timestamp' },
  flag: { type: 'boolean' },
  state: { type: 'enum', values: ['Ä', 'b'] },
  ref: { type: 'id' },
  list: { type: 'list', of: { type: 'integer' } },
};
const MAX = '9223372036854775807';
let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const body = { kind: 'Dataset', id: 'values', spec: { fields: FIELDS, allow_blind_put: true } };
  const reply = await api.call('PUT', '/v2/datasets/values', { body });
  if (reply.status !== 201) throw new Error(reply.text);
});
afterAll(() => api.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
const put = (id: string, raw: string) => api.call('PUT', `/v2/values/${id}`, { raw, headers: JSON_TYPE });
const count = async (q: string): Promise<number> =>
  (await api.call('GET', `/v2/values/search?q=${encodeURIComponent(q)}`)).body.total_size;

// prettier-ignore
test.each<[field: string, written: string, read: string, filter: string]>([
  ['integer', MAX,                              `"${MAX}"`,                     `integer == ${MAX}`],
  ['integer', '-9223372036854775808',           '"-9223372036854775808"',       'integer == -9223372036854775808'],
  ['integer', '9007199254740993',               '"9007199254740993"',           'integer > 9007199254740992 and integer < 9007199254740994'],
  ['integer', '0',                              '0',                            'integer == 0'],
  ['decimal', '-0.0',                           '0',                            'decimal == 0'],
  ['decimal', '1e-7',                           '1e-7',                         'decimal == 0.0000001'],
  ['decimal', '1.7976931348623157e308',         '1.7976931348623157e+308',      'decimal > 1e308'],
  ['decimal', '0.1',                            '0.1',                          'decimal =in= (0.1)'],
  ['date',    '"2024-02-29"',                   '"2024-02-29"',                 'date =between= (2024-02-29, 2024-02-29)'],
  ['date',    '"0001-01-01"',                   '"0001-01-01"',                 'date < 0001-01-02'],
  ['time',    '"2026-03-01T08:00:00+01:00"',    '"2026-03-01T07:00:00.000Z"',   "time == '2026-03-01T08:00:00.000+01:00'"],
  ['time',    '"2026-03-01t08:00:00.25z"',      '"2026-03-01T08:00:00.250Z"',   "time == '2026-03-01T08:00:00.25Z'"],
  ['time',    '"2026-01-01T00:30:00+01:00"',    '"2025-12-31T23:30:00.000Z"',   "time < '2026-01-01T00:00:00Z'"],
  ['text',    '"e\\u0301"',                     '"é"',                          'text == é'],
  ['text',    '"\\ud83d\\ude00"',               '"😀"',                          'text == 😀'],
  ['text',    '""',                             '""',                           "text == ''"],
  ['text',    '"😀😀😀😀😀😀😀😀😀😀"',                 '"😀😀😀😀😀😀😀😀😀😀"',               'text =like= "😀*"'],
  ['state',   '"A\\u0308"',                     '"Ä"',                          'state == Ä'],
  ['ref',     `"${MAX}"`,                       `"${MAX}"`,                     `ref == ${MAX}`],
  ['ref',     MAX,                              `"${MAX}"`,                     `ref == ${MAX}`],
  ['list',    `[${MAX},-1]`,                    `["${MAX}",-1]`,                `list == ${MAX}`],
  ['flag',    'false',                          'false',                        'flag == false'],
])('%s %s is stored as %s, and found by %s', async (field, written, read, filter) => {
  const reply = await put('5', `{"${field}":${written}}`);
  expect([reply.status < 300, reply.text.includes(`"${field}":${read}`), reply.text]).toEqual([true, true, reply.text]);
  expect((await api.call('GET', '/v2/values/5')).text).toBe(reply.text);
  expect(await count(filter)).toBe(1);
  expect(await count(`not(${filter})`)).toBe(0);
});

test.each<[field: string, written: string]>([
  ['integer', '9223372036854775808'],
  ['integer', '1.0'],
  ['integer', '1e3'],
  ['integer', '" 1"'],
  ['decimal', '1e309'],
  ['decimal', '"0.1"'],
  ['date', '"2026-02-29"'],
  ['date', '"2026-2-1"'],
  ['date', '20260201'],
  ['time', '"2026-03-01T08:00:60Z"'],
  ['time', '"2026-03-01T08:00:00"'],
  ['time', '"2026-03-01T08:00:00.1234Z"'],
  ['time', '"9999-12-31T23:59:59-00:01"'],
  ['text', '"\\ud800"'],
  ['text', '"a\\u0000b"'],
  ['text', '"😀😀😀😀😀😀😀😀😀😀😀"'],
  ['state', '"ä"'],
  ['ref', '"0"'],
  ['ref', '"007"'],
  ['ref', '-1'],
  ['flag', '"true"'],
  ['flag', '1'],
  ['list', '[null]'],
  ['list', '[[1]]'],
  ['list', '{"0":1}'],
])('%s %s is refused at its place, and nothing is stored', async (field, written) => {
  const before = (await api.call('GET', '/v2/values/5')).text;
  const { status, body } = await put('5', `{"${field}":${written}}`);
  expect([status, body.code, body.errors[0].pointer.startsWith(`/${field}`)]).toEqual([422, 'entity.invalid', true]);
  expect((await api.call('GET', '/v2/values/5')).text).toBe(before);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', 'text.x', '$ne', '\u0000', 'TEXT'])(
  'the member %j is unknown, in a row, a projection, a filter and an order',
  async (name) => {
    const row = await put('6', `{${JSON.stringify(name)}:1}`);
    expect([row.status, row.body.errors[0].code]).toEqual([422, 'entity.unknown_field']);
    const named = encodeURIComponent(name);
    for (const query of [`fields=text,${named}`, `order_by=${named}x`]) {
      expect([query, (await api.call('GET', `/v2/values?${query}`)).status]).toEqual([query, 400]);
    }
    const filtered = await api.call('GET', `/v2/values/search?q=${encodeURIComponent(`${name} == 1`)}`);
    expect([filtered.status, filtered.body.code]).toEqual([400, 'filter.invalid']);
  },
);

test('several problems of a row are reported at once, each at its own place', async () => {
  const { body } = await put('7', '{"integer":"x","date":"2026-13-01","list":[1,"y",2,"z"],"other":1}');
  const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted();
  expect(pointers).toEqual(['/date', '/integer', '/list/1', '/list/3', '/other']);
});

test('texts are ordered by code point, whatever their units of UTF-16', async () => {
  const texts = ['', 'A', 'Z', 'a', 'z', 'é', '\ue000', '\uffff', '😀', '\u{10ffff}'];
  for (const [index, text] of texts.toReversed().entries()) await put(String(100 + index), JSON.stringify({ text }));
  const read = async (order: string): Promise<string[]> => {
    const path = `/v2/values/search?q=${encodeURIComponent('id >= 100 and id < 200')}&order_by=${order}`;
    const { body } = await api.call('GET', path);
    return body.items.map((item: { text: string }) => item.text);
  };
  expect(await read('text')).toEqual(texts);
  expect(await read('text%20desc')).toEqual(texts.toReversed());
});

test('ids are ordered as numbers, beyond those that a double can tell apart, and rows without a value come last', async () => {
  const ids = ['9', '10', '9007199254740992', '9007199254740993', '9007199254740994', MAX];
  for (const ref of ids.toReversed()) await put(ref, JSON.stringify({ text: 'ids', ref }));
  await put('300', JSON.stringify({ text: 'ids' }));
  const read = async (order: string): Promise<string[]> => {
    const { body } = await api.call(
      'GET',
      `/v2/values/search?q=${encodeURIComponent('text == ids')}&order_by=${order}`,
    );
    return body.items.map((item: { ref?: string }) => item.ref ?? 'none');
  };
  expect(await read('ref')).toEqual([...ids, 'none']);
  expect(await read('ref%20desc')).toEqual([...ids.toReversed(), 'none']);
});
