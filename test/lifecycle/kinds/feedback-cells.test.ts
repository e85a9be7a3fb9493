import { expect, test } from 'vitest';
import fc from 'fast-check';
import { toCells } from '../../../lifecycle/kinds/feedback-cells.js';
import { itemsOf, membersOf } from '../../../platform/kinds/raw-json.js';

const cells = (json: string) => Object.fromEntries(toCells('x', json));

// prettier-ignore
test.each([
  ['{"a":1,"b":{"c":"text","d":null},"e":true}', { 'x.a': 1, 'x.b.c': 'text', 'x.b.d': '', 'x.e': 'true' }],
  ['{"a.b":1,"a":{"b":2},"c\\\\d":3}', { 'x.a\\.b': 1, 'x.a.b': 2, 'x.c\\\\d': 3 }],
  ['{"list":[1, {"a":2}],"none":[],"absent":{}}', { 'x.list': '[1, {"a":2}]', 'x.none': '[]', 'x.absent': '{}' }],
  ['{"big":12345678901234567890,"small":-1.5e-3}', { 'x.big': 12345678901234567890n, 'x.small': -0.0015 }],
  ['"good"', { x: 'good' }],
  [' 7 ', { x: 7 }],
  ['null', { x: '' }],
  ['{"columns":["a","b.c"],"data":[[1,"y"]],"id":5}', { 'x.data.a': 1, 'x.data.b\\.c': 'y', 'x.id': 5 }],
  ['{"prediction":[[0.5,[1]]],"columns":["p","q"]}', { 'x.prediction.p': 0.5, 'x.prediction.q': '[1]' }],
  ['{"prediction":[3],"columns":["p"]}', { 'x.prediction.p': 3 }],
  ['{"columns":["a"],"data":[[1],[2]]}', { 'x.columns': '["a"]', 'x.data': '[[1],[2]]' }],
  ['{"columns":["a","a"],"data":[[1,2]]}', { 'x.columns': '["a","a"]', 'x.data': '[[1,2]]' }],
  ['{"columns":["a"],"data":[[1,2]]}', { 'x.columns': '["a"]', 'x.data': '[[1,2]]' }],
  ['{"columns":["a"],"data":[]}', { 'x.columns': '["a"]', 'x.data': '[]' }],
  ['{"__proto__":{"a":1}}', { 'x.__proto__.a': 1 }],
])('%s in cells', (json, expected) => {
  expect(cells(json)).toEqual(expected);
});

test('what is too wide or too deep is one cell', () => {
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`m${n}`, n])));
  expect(cells(wide)).toEqual({ x: wide });
  const deep = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
  const [[name = '', cell] = []] = Object.entries(cells(deep));
  expect([name, String(cell).length]).toEqual(['x.a.a.a.a.a.a.a.a', deep.length - 8 * 6]);
});

test('the parts of any JSON are its parts, and text and numbers stand there as they came', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 1, 2), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), undefined, indent);
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) expect(itemsOf(text)?.map((item): unknown => JSON.parse(item))).toEqual(value);
      else expect(itemsOf(text)).toBeUndefined();
      const members = membersOf(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) expect(members).toBeUndefined();
      else {
        expect([...(members ?? [])].map(([name, part]) => [name, JSON.parse(part)])).toEqual(
          expect.arrayContaining(Object.entries(value)),
        );
        expect(members?.size).toBe(Object.keys(value).length);
      }
    }),
  );
  expect(membersOf('{"a":1.50,"a":12345678901234567890}')?.get('a')).toBe('12345678901234567890');
});
