import type { HostileRequest } from './request.js';

const long = (count: number, text = 'x'): string => text.repeat(count);
const query = (filter: string): string => `/v2/rows/search?q=${encodeURIComponent(filter)}`;

// prettier-ignore
const FILTERS: readonly (readonly [name: string, filter: string, says: string])[] = [
  ['filter of parentheses',   `${long(2_000, '(')}a == 1${long(2_000, ')')}`,                  'filter.too_deep'],
  ['filter of many terms',    Array.from({ length: 300 }, () => 'name == a').join(' or '),     'filter.too_many'],
  ['filter of 9 KiB',         `name == ${long(9_000)}`,                                        'at most 8192 bytes'],
  ['filter without an end',   'name == "a',                                                    'filter.'],
  ['filter of an operator',   '$where == 1',                                                   'has no field'],
  ['filter of a prototype',   '__proto__ == 1',                                                'has no field'],
  ['filter of a function',    'sleep(10000) == 1',                                             'filter.syntax'],
  ['filter of a bad number',  'level == 1e999999999',                                          'filter.'],
  ['filter with NUL',         'name == a\u0000 or or',                                         'filter.'],
];
// prettier-ignore
const GRAPHS: readonly (readonly [name: string, text: string, says: string, status?: number])[] = [
  ['graph of depth',          `{ ${long(400, 'rows { ')} id ${long(400, ' }')} }`, '"errors":', 200],
  ['graph of aliases',        `{ ${Array.from({ length: 1_000 }, (_, at) => `a${at}: __typename`).join(' ')} }`, '"errors":'],
  ['graph of tokens',         `{ ${long(8_000, '__typename ')} }`, '"errors":'],
  ['graph of a circle',       'fragment a on Query { ...b } fragment b on Query { ...a } { ...a }', 'within itself', 200],
  ['graph of introspection',  `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`, 'introspection depth', 200],
  ['graph of directives',     `{ __typename ${long(5_000, '@a ')} }`, '"errors":'],
  ['graph of a change',       'mutation { remove }', '"errors":'],
];
// prettier-ignore
const WEBHOOKS: readonly (readonly [name: string, url: string, status: number, says: string])[] = [
  ['webhook over http',         'http://example.org/',                       422, 'must begin with https'],
  ['webhook of metadata',       'https://169.254.169.254/latest/meta-data',  422, 'metadata'],
  ['webhook of loopback',       'https://127.0.0.1/',                   422, 'loopback'],
  ['webhook of localhost',      'https://localhost/',                   422, 'loopback'],
  ['webhook of a number',       'https://2130706433/',                       422, 'loopback'],
  ['webhook of octal',          'https://0177.0.0.1/',                       422, 'loopback'],
  ['webhook of mapped IPv6',    'https://[::ffff:10.0.0.1]/',                422, 'private'],
  ['webhook of NAT64',          'https://[64:ff9b::a9fe:a9fe]/',             422, 'metadata'],
  ['webhook of a zone',         'https://[fe80::1%25eth0]/',                 400, 'an address is a URL'],
  ['webhook of another port',   'https://example.org:22/',                   422, 'port 22'],
  ['webhook of a user',         'https://ann:secret@example.org/',           422, 'user or password'],
  ['webhook of a line end',     'https://example.org/\r\nx: y',              400, 'an address is a URL'],
  ['webhook of a backslash',    'https:\\\\example.org/',                    400, 'an address is a URL'],
  ['webhook of a script',       'javascript:alert(1)',                       422, 'must begin with https'],
  ['webhook of a long address', `https://example.org/${long(3_000)}`,        422, '/url'],
];
// prettier-ignore
const SUBSCRIPTIONS: readonly (readonly [name: string, change: object, says: string, status?: number])[] = [
  ['header with a line end',    { headers: { 'x-a': 'a\r\nx-b: c' } },         'headers'],
  ['header name of a line end', { headers: { 'x-a\r\nx-b': 'c' } },            'headers'],
  ['header of the platform',    { headers: { 'webhook-signature': 'v1,a' } },  'headers'],
  ['header of framing',         { headers: { 'transfer-encoding': 'chunked' } }, 'headers'],
  ['header of the host',        { headers: { host: 'inner' } },                'headers'],
  ['header of 40 kB',      { headers: { 'x-a': long(40_000) } },         'headers'],
  ['type that is unknown',      { types: ['__proto__'] },                      '__proto__', 400],
  ['filter of an event',        { filter: `${long(2_000, '(')}a = 1` },        'parentheses nest', 400],
  ['rate beyond measure',       { rate: { per_second: 1e308 } },               'rate'],
  ['schedule beyond measure',   { schedule: Array.from({ length: 10_000 }, () => 1) }, '/schedule', 400],
];
// prettier-ignore
const READS: readonly (readonly [name: string, path: string, status: number, says: string])[] = [
  ['page token of another',     '/v2/rows?page_token=e30',                     400, 'page_token'],
  ['page token of a megabyte',  `/v2/rows?page_token=${long(8_000)}`,          400, 'page_token'],
  ['page size beyond measure',  '/v2/rows?page_size=1e9',                      400, 'page_size'],
  ['a parameter twice',         '/v2/rows?page_size=1&page_size=2',            400, 'page_size'],
  ['sort of an operator',       '/v2/rows?sort=$where',                        400, 'sort'],
  ['fields of a prototype',     '/v2/rows?fields=__proto__',                   400, 'fields'],
  ['dataset of a prototype',    '/v2/__proto__',                               404, 'there is no dataset'],
  ['dataset of a parent',       '/v2/..%2f..%2fetc',                           404, 'there is no dataset'],
  ['row of a parent',           '/v2/rows/..%2f..%2fetc%2fpasswd',             400, 'an id is an integer'],
  ['row with NUL',              '/v2/rows/%00',                                400, 'an id is an integer'],
  ['path of half a character',  '/v2/rows/%E0%A4%A',                           400, 'an id is an integer'],
  ['path without an end',       `/v2/${long(20_000)}`,                         404, 'there is no dataset'],
  ['resource with NUL',         '/api/v1/connection/%00',                      404, 'not found'],
  ['resource of a parent',      '/api/v1/model/training/../../../../etc',      404, 'page not found'],
  ['resource in code',          '/api/v1/connection/..%2F..%2Fetc',            404, 'not found'],
  ['list of a huge page',       '/api/v1/model/training?size=1e9',             400, '1e9'],
  ['list of a page below zero', '/api/v1/model/training?page=-1',              400, 'page'],
  ['log of a bad offset',       '/api/v1/audit?after=1e99',                    400, 'after'],
  ['model of a parent',         '/model/..%2f..%2fadmin/api/model/info',       404, ''],
];

/** Requests to the reference data API. They need the dataset `rows`: `name` text, `level` integer. */
export const REFERENCE: readonly HostileRequest[] = [
  ...FILTERS.map(([name, filter, says]) => ({ name, method: 'GET', path: query(filter), status: 400, says })),
  ...GRAPHS.map(([name, text, says, status = 400]) => ({
    ...{ name, path: '/v2/graphql', body: { query: text }, status, says },
  })),
  ...WEBHOOKS.map(([name, url, status, says]) => ({
    ...{ name, path: '/v2/subscriptions', status, says },
    body: { name, url, types: ['dataset.rows.updated'] },
  })),
  ...SUBSCRIPTIONS.map(([name, change, says, status = 422]) => ({
    ...{ name, path: '/v2/subscriptions', status, says },
    body: { name, url: 'https://example.org/', types: ['dataset.rows.updated'], ...change },
  })),
  ...READS.map(([name, path, status, says]) => ({ name, method: 'GET', path, status, says })),
];
