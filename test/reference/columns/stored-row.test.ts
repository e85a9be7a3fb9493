import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseStoredRow, valueAt } from '../../../reference/columns/stored-row.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { acceptDataset } from '../../../reference/dataset/dataset-validation.js';
import { parseJson, stringifyJson } from '../../../reference/rows/json.js';

const { spec } = acceptDataset('people', {
  spec: {
    fields: {
      name: { type: 'text' },
      home: { type: 'ref', dataset: 'places' },
      work: { type: 'object', fields: { place: { type: 'ref', dataset: 'places' }, since: { type: 'date' } } },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      marks: { type: 'list', of: { type: 'integer' } },
      constructor: { type: 'text' },
    },
  },
});
const leaves = leavesOf(spec);
const at = (row: Record<string, unknown>, path: string): unknown => {
  const leaf = leaves.get(path);
  if (leaf === undefined) throw new Error(`no leaf ${path}`);
  return valueAt(row, leaf);
};

test.each<[string, Record<string, unknown>, unknown]>([
  ['id', { id: '7' }, '7'],
  ['name', { name: 'Ana' }, 'Ana'],
  ['name', {}, undefined],
  ['home.id', { home: { id: '7' } }, '7'],
  ['home.id', { home: {} }, undefined],
  ['home.id', { home: 'text' }, undefined],
  ['home.id', { home: null }, undefined],
  ['work.place.id', { work: { place: { id: '1' } } }, '1'],
  ['work.since', { work: { place: { id: '1' } } }, undefined],
  ['work.since', { work: [{ since: '2026-01-01' }] }, undefined],
  ['skills.id', { skills: [{ id: '1' }, { id: '2' }] }, ['1', '2']],
  ['skills.id', { skills: [] }, []],
  ['skills.id', { skills: [{ id: '1' }, 'x', null] }, ['1', undefined, undefined]],
  ['skills.id', { skills: { id: '1' } }, undefined],
  ['marks', { marks: [1, 2n] }, [1, 2n]],
  ['constructor', {}, undefined],
  ['constructor', { constructor: 'a' }, 'a'],
])('%s in row %#', (path, row, expected) => {
  expect(at(row, path)).toEqual(expected);
});

test('a stored row is parsed to the values of the exact parser, integers that are not exact as bigint', () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const value = fc.oneof(
    integer,
    fc.string(),
    fc.boolean(),
    fc.array(integer, { maxLength: 3 }),
    fc.maxSafeInteger().map(BigInt),
  );
  const record = fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', ':', '1', '"'), maxLength: 3 }), value);
  fc.assert(
    fc.property(record, (given) => {
      const text = stringifyJson(given);
      const exact = (read: unknown): unknown => {
        if (typeof read === 'number') return Number.isSafeInteger(read) ? BigInt(read) : read;
        if (Array.isArray(read)) return read.map(exact);
        return read;
      };
      const read = Object.entries(parseStoredRow(text)).map(([name, each]) => [name, exact(each)]);
      expect(read).toEqual(Object.entries(parseJson(text) as object));
    }),
    { numRuns: 300 },
  );
});

test('a long number inside of a text does not change its text', () => {
  expect(parseStoredRow('{"a":"x:1234567890123456789","b":5}')).toEqual({ a: 'x:1234567890123456789', b: 5n });
  expect(parseStoredRow('{"a":"1234567890123456789","b":5}')).toEqual({ a: '1234567890123456789', b: 5 });
});
