import { expect, test } from 'vitest';
import { createRedaction, redactionProblem } from '../../../lifecycle/kinds/redaction.js';

const redact = (paths: string[], body: unknown): unknown => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const result = createRedaction(paths).apply(Buffer.from(text));
  return result === undefined ? undefined : JSON.parse(result);
};
const R = '[redacted]';

// prettier-ignore
test.each([
  [['$.name'],               { name: 'Ada', age: 36 },                        { name: R, age: 36 }],
  [['$.a[*].email'],         { a: [{ email: 'x', n: 1 }, { n: 2 }] },         { a: [{ email: R, n: 1 }, { n: 2 }] }],
  [['$..email'],             { email: 1, a: { b: [{ email: { c: 1 } }] } },   { email: R, a: { b: [{ email: R }] } }],
  [["$['a','b']"],           { a: 1, b: 2, c: 3 },                            { a: R, b: R, c: 3 }],
  [['$[0]', '$[-1]'],        [1, 2, 3],                                       [R, 2, R]],
  [['$.*'],                  { a: 1, b: { c: 2 } },                           { a: R, b: R }],
  [['$..*'],                 { a: { b: 1 } },                                 { a: R }],
  [['$.a.b', '$.a.c'],       { a: { b: 1, c: 2, d: 3 } },                     { a: { b: R, c: R, d: 3 } }],
  [['$.a', '$.a.b'],         { a: { b: 1 } },                                 { a: R }],
  [['$..a..b'],              { a: { x: [{ b: 1 }], a: { b: 2 } }, b: 3 },     { a: { x: [{ b: R }], a: { b: R } }, b: 3 }],
  [['$.data[*][1]'],         { data: [[1, 2], [3, 4]] },                      { data: [[1, R], [3, R]] }],
  [['$.none'],               { a: 1 },                                        { a: 1 }],
  [['$.a'],                  'null',                                          null],
])('%j of %j', (paths, body, expected) => {
  expect(redact(paths, body)).toEqual(expected);
});

test('names of the language are names like others', () => {
  const text = '{"__proto__": {"email": "x"}, "constructor": 1, "toString": "y"}';
  const result = createRedaction(['$.__proto__', '$.constructor', '$..toString']).apply(Buffer.from(text));
  expect(result).toBe(`{"__proto__":"${R}","constructor":"${R}","toString":"${R}"}`);
  expect(({} as Record<string, unknown>).email).toBeUndefined();
});

test('of two members of one name none is kept', () => {
  expect(createRedaction(['$.a']).apply(Buffer.from('{"a":"secret","a":"other"}'))).not.toMatch(/secret|other/);
});

test.each([
  ['text', Buffer.from('name=Ada')],
  ['a cut body', Buffer.from('{"name":"Ada')],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['lists in lists', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
  ['too many values', Buffer.from(`[${'[0],'.repeat(600_000)}0]`)],
])('%s is not recorded', (_, bytes) => {
  expect(createRedaction(['$..a', '$..b', '$..c[*].d']).apply(bytes)).toBeUndefined();
});

test('hostile paths over a large body end within the bound', () => {
  const paths = Array.from({ length: 20 }, (_, n) => `$..*..*..a${n}..*`);
  const wide = JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ a: [n, { b: { c: n } }] })));
  const start = performance.now();
  expect(createRedaction(paths).apply(Buffer.from(wide))).toBeUndefined();
  // Generous: the machine may be busy. Without the bound it takes minutes.
  expect(performance.now() - start).toBeLessThan(5_000);
});

// prettier-ignore
test.each([
  ['$.a.b',                          undefined],
  ['$',                              'selects the whole body'],
  ['a.b',                            'is no JSONPath'],
  ["$[?match(@.a, '(x+)+y')]",       'has a filter or a slice'],
  ['$[?@.a]',                        'has a filter or a slice'],
  ['$[0:100]',                       'has a filter or a slice'],
  [`$.${'a'.repeat(300)}`,           'is longer than 200 characters'],
])('%s: %s', (path, problem) => {
  const found = redactionProblem(path);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
