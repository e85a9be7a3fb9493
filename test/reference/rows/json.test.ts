import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseJson, stringifyJson } from '../../../reference/rows/json.js';

test('integers keep their digits, other numbers are distinguished from them', () => {
  expect(parseJson('[9007199254740993, -1, 0, 1.0, 1e3, 0.5, 1E+2]')).toEqual([
    ...[9007199254740993n, -1n, 0n],
    ...[1, 1000, 0.5, 100],
  ]);
});

test('an integer of more digits than any type takes is a number', () => {
  expect(parseJson('1' + '0'.repeat(19))).toBe(1e19);
  expect(parseJson('9'.repeat(1_000_000))).toBe(Infinity);
});

// prettier-ignore
test.each([
  '', ' ', '{', '[1,]', '{"a":1,}', '01', '.5', '1.', '+1', 'NaN', "{'a':1}", '[1] x', '"\u0009"', '"\\x"', 'nul', '\ufeff{}',
  '{"a":1,"a":2}', '{"a"}', '{1:2}', '"\\ud8"',
])('%j is malformed', (text) => {
  expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'body.malformed', status: 400 }));
});

test('depth is bounded before anything recurses, and brackets in text do not count', () => {
  const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(parseJson(nest(64))).toBeDefined();
  for (const levels of [65, 1_000_000]) {
    expect(() => parseJson(nest(levels))).toThrow('the body is nested deeper than 64 levels');
  }
  expect(parseJson(JSON.stringify('[\\"'.repeat(100)))).toBe('[\\"'.repeat(100));
});

test('texts of every length and with every character are as they were', () => {
  const text = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary', size: 'small' }), fc.constantFrom('\\', '"', '/')),
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const written = JSON.stringify({ [`k${one}`]: other, list: [one, other] });
      return isDeepStrictEqual(parseJson(written), { [`k${one}`]: other, list: [one, other] });
    }),
    { numRuns: 2_000 },
  );
});

test('a member may be repeated with one value; a different value is reported', () => {
  expect(parseJson('{"a":[1,{"b":2}],"a":[1,{"b":2}]}')).toEqual({ a: [1n, { b: 2n }] });
  expect(() => parseJson('{"a":1,"a":1.0}')).toThrow('duplicate member "a" with a different value, at position 14');
});

test('a value that was parsed is written with all digits of its integers', () => {
  const text = '{"id":"7","n":9223372036854775807,"list":[1,-2.5,null,true,"\\""],"__proto__":{"a":{}}}';
  expect(stringifyJson(parseJson(text))).toBe(text);
  expect(stringifyJson({ absent: undefined, present: 1n })).toBe('{"present":1}');
});

test('a member called __proto__ is a member', () => {
  const read = parseJson('{"__proto__":{"polluted":true},"constructor":null}') as object;
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect('polluted' in read).toBe(false);
});

test('reads what JSON.parse reads, and refuses what it refuses', () => {
  const native = (text: string): unknown => {
    try {
      return { value: withNumbers(JSON.parse(text)) };
    } catch {
      return 'malformed';
    }
  };
  const ours = (text: string): unknown => {
    try {
      return { value: withNumbers(parseJson(text)) };
    } catch {
      return 'malformed';
    }
  };
  const changed = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', '\\', ':', '1', '-', ' ', '\u2028'))
    .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1));
  // A repeated member is refused here; no JSON generator writes one.
  const twice = /"([^"]*)":.*"\1":/s;
  fc.assert(
    fc.property(fc.oneof(fc.json(), changed), (text) => {
      fc.pre(!twice.test(text));
      return isDeepStrictEqual(ours(text), native(text));
    }),
    { numRuns: 3_000 },
  );
});

/** Integers as the plain reader has them, and no -0: it does not matter to any type. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withNumbers(entry)]));
}
