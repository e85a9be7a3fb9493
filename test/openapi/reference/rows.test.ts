import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldSchemas, ID, rowBefore, rowReply, rowRequest } from '../../../reference/dataset/row-schema.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { parseJson, stringifyJson } from '../../../reference/rows/json.js';
import { readRow } from '../../../reference/rows/row.js';
import { previousOf } from '../../../reference/rows/row-validation.js';
import { createRowWriter } from '../../../reference/rows/row-writer.js';
import { row } from '../../reference/filter/cases.js';
import { spec as positions, target } from '../../reference/filter/positions.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const REQUEST = ajv.compile(rowRequest(positions.fields));
const REPLY = ajv.compile(rowReply(positions.fields));
const MARKED = ajv.compile(rowReply(positions.fields, { marked: true }));
const BEFORE = ajv.compile(rowBefore(positions.fields));
const TIMES = { created_at: '2026-01-04T08:00:00.000Z', updated_at: '2026-02-11T09:30:12.114Z' };

/** JSON as a client reads it. */
const plain = (text: string): unknown => JSON.parse(text);
const isValid = (validate: ValidateFunction, value: unknown): boolean => {
  const valid = validate(value);
  if (!valid) throw new Error(`${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
  return valid;
};

/** Ids as the document describes them: strings of digits. */
const withTextIds = (value: unknown, name = ''): unknown => {
  if (typeof value === 'bigint' && name === 'id') return String(value);
  if (Array.isArray(value)) return value.map((each) => withTextIds(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTextIds(each, key)]));
};

test('every row that is accepted is a request, a reply and a stored row of the document', () => {
  const write = createRowWriter(positions);
  const writeMarked = createRowWriter(positions, { isMissing: (_, id) => id % 2n === 1n });
  fc.assert(
    fc.property(row, (given) => {
      const read = readRow(positions, given);
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      const { content } = read;
      isValid(REQUEST, plain(stringifyJson(withTextIds(given))));
      const stored = { id: 7n, version: 1, ...TIMES, content };
      isValid(REPLY, plain(write(stored)));
      isValid(MARKED, plain(writeMarked(stored)));
      isValid(BEFORE, plain(previousOf(positions, content, undefined)));
      // An answer may be sent again, without the members that every row has.
      const {
        id: _,
        version: __,
        created_at: ___,
        updated_at: ____,
        ...fields
      } = plain(write(stored)) as Record<string, unknown>;
      isValid(REQUEST, fields);
      return readRow(positions, parseJson(write(stored))).ok;
    }),
    { numRuns: 150 },
  );
});

const strict = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true, max_length: 3 },
    state: { type: 'enum', values: ['On', 'Off'] },
    open: { type: 'boolean' },
    size: { type: 'integer' },
    owner: { type: 'object', fields: { id: { type: 'id', required: true } } },
    place: { type: 'ref', dataset: 'places' },
    tags: { type: 'list', of: { type: 'text', max_length: 2 } },
  },
});
const STRICT = ajv.compile(rowRequest(strict.fields));

// prettier-ignore
test.each<[string, object, boolean]>([
  ['all that is required',            { name: 'a' }, true],
  ['null for what is absent',         { name: 'a', state: null, owner: null, tags: null }, true],
  ['characters beyond the BMP',       { name: '😀😀😀' }, true],
  ['a text that is too long',         { name: 'abcd' }, false],
  ['without what is required',        { state: 'On' }, false],
  ['null for what is required',       { name: null }, false],
  ['an unknown member',               { name: 'a', other: 1 }, false],
  ['a value that the enum has not',   { name: 'a', state: 'on' }, false],
  ['text for a boolean',              { name: 'a', open: 'true' }, false],
  ['a fraction for an integer',       { name: 'a', size: 1.5 }, false],
  ['an object without its id',        { name: 'a', owner: {} }, false],
  ['an object with an unknown member', { name: 'a', owner: { id: '1', x: 1 } }, false],
  ['an id of a reference',            { name: 'a', place: { id: '9223372036854775807' } }, true],
  ['a reference that is no object',   { name: 'a', place: '7' }, false],
  ['a reference without an id',       { name: 'a', place: {} }, false],
  ['an id with a zero in front',      { name: 'a', place: { id: '07' } }, false],
  ['id 0',                            { name: 'a', place: { id: '0' } }, false],
  ['a list',                          { name: 'a', tags: ['a', 'bc'] }, true],
  ['an entry that is too long',       { name: 'a', tags: ['abc'] }, false],
  ['null in a list',                  { name: 'a', tags: [null] }, false],
  ['a list for one value',            { name: ['a'] }, false],
  ['1,000 entries',                   { name: 'a', tags: Array.from({ length: 1_000 }, () => 'x') }, true],
  ['1,001 entries',                   { name: 'a', tags: Array.from({ length: 1_001 }, () => 'x') }, false],
])('the document and the parser agree on %s', (_, given, accepted) => {
  expect(STRICT(given)).toBe(accepted);
  expect(readRow(strict, parseJson(JSON.stringify(given))).ok).toBe(accepted);
});

test('a reply may leave declared fields out, never those of every row', () => {
  const reply = { id: '7', version: 1, ...TIMES };
  expect(REPLY(reply)).toBe(true);
  for (const name of Object.keys(reply)) expect([name, REPLY({ ...reply, [name]: undefined })]).toEqual([name, false]);
});

test.each(['1', '9223372036854775807', '42'])('%s is an id of the document and of filters', (id) => {
  expect(ajv.compile(ID)(id)).toBe(true);
  expect(target.leaves.get('id')?.type).toBe('id');
});
test.each(['0', '01', '-1', '1.0', ' 1', '', '10000000000000000000', 1, null])('%j is none', (id) => {
  expect(ajv.compile(ID)(id)).toBe(false);
});

test('each field has the schema that it has in a row', () => {
  const { properties = {} } = rowReply(positions.fields);
  for (const [name, schema] of Object.entries(fieldSchemas(positions.fields))) {
    expect([name, schema]).toEqual([name, properties[name]]);
  }
  expect(fieldSchemas(positions.fields).staffing_status).toEqual({
    type: 'string',
    enum: ['Open', 'Filled', 'On Hold', 'Closed'],
  });
});
