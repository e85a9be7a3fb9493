import { expect, test } from 'vitest';
import fc from 'fast-check';
import { parseJson } from '../../../reference/rows/json.js';
import { readRow } from '../../../reference/rows/row.js';
import { createRowWriter } from '../../../reference/rows/row-writer.js';
import { acceptDataset } from '../../../reference/dataset/dataset-validation.js';

const { spec } = acceptDataset('positions', {
  spec: {
    fields: {
      title: { type: 'text', required: true, max_length: 5 },
      staffing_status: { type: 'enum', values: ['Open', 'On Hold'] },
      customer: {
        type: 'object',
        fields: { id: { type: 'id', required: true }, name: { type: 'text' }, constructor: { type: 'boolean' } },
      },
      location: { type: 'ref', dataset: 'locations' },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      tags: { type: 'list', of: { type: 'text', max_length: 3 } },
      head_count: { type: 'integer' },
      day_rate: { type: 'decimal' },
      remote: { type: 'boolean' },
      starts_on: { type: 'date' },
      posted_at: { type: 'timestamp' },
    },
  },
});
const read = (row: unknown) => readRow(spec, row);
const content = (row: object) => {
  const result = read({ title: 'a', ...row });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.content;
};
const problems = (row: unknown) => {
  const result = read(row);
  return result.ok ? [] : result.problems.map(({ pointer, code, message }) => `${pointer} ${code}: ${message}`);
};

test('a row is read in its normal form and in declared order', () => {
  const row = content({
    posted_at: '2026-02-11t10:30:12.1+01:00',
    starts_on: '2024-02-29',
    remote: false,
    day_rate: 412n,
    head_count: '-9007199254740993',
    tags: ['e\u0301', 'b'],
    skills: [{ id: 1152921504606846977n }, { id: '7' }],
    location: { id: '2673730' },
    customer: { name: null, id: 88n, constructor: true },
    staffing_status: 'On Hold',
    title: 'e\u0301',
  });
  expect(Object.keys(row)).toEqual(Object.keys(spec.fields));
  expect(row).toEqual({
    title: '\u00e9',
    staffing_status: 'On Hold',
    customer: { id: 88n, constructor: true },
    location: { id: 2673730n },
    skills: [{ id: 1152921504606846977n }, { id: 7n }],
    tags: ['\u00e9', 'b'],
    head_count: -9007199254740993n,
    day_rate: 412,
    remote: false,
    starts_on: '2024-02-29',
    posted_at: '2026-02-11T09:30:12.100Z',
  });
});

test('null is absent; an empty list and an empty object are not', () => {
  expect(content({ customer: null, tags: null, day_rate: null })).toEqual({ title: 'a' });
  expect(content({ tags: [] })).toEqual({ title: 'a', tags: [] });
  expect(problems({ title: 'a', customer: {} })).toEqual(['/customer/id entity.required: is required']);
});

test('-0 is 0', () => {
  expect(Object.is(content({ day_rate: -0 }).day_rate, 0)).toBe(true);
});

test('the members that every row has are ignored: the writer validates them', () => {
  expect(content({ id: 'x', version: 1n, created_at: '', updated_at: null })).toEqual({ title: 'a' });
});

test('length is counted in characters of the normal form', () => {
  expect(content({ title: '😀'.repeat(5) }).title).toBe('😀'.repeat(5));
  expect(content({ title: 'e\u0301'.repeat(5) }).title).toBe('\u00e9'.repeat(5));
  expect(problems({ title: '😀'.repeat(6) })).toEqual(['/title entity.too_long: must have at most 5 characters']);
  expect(problems({ title: 'a'.repeat(1_000_000) })).toEqual([
    '/title entity.too_long: must have at most 5 characters',
  ]);
});

// prettier-ignore
test.each([
  [null, [' entity.wrong_type: must be an object']],
  [[], [' entity.wrong_type: must be an object']],
  [{}, ['/title entity.required: is required']],
  [{ title: 5n }, ['/title entity.wrong_type: takes text']],
  [{ title: 'a\0b' }, ['/title entity.wrong_type: takes text']],
  [{ title: '\ud800' }, ['/title entity.wrong_type: takes text']],
  [{ title: 'a', Title: 'b' }, ['/Title entity.unknown_field: is not declared']],
  [{ title: 'a', toString: 'b' }, ['/toString entity.unknown_field: is not declared']],
  [{ title: 'a', staffing_status: 'open' }, ['/staffing_status entity.unknown_value: must be one of: Open, On Hold']],
  [{ title: 'a', staffing_status: 1n }, ['/staffing_status entity.wrong_type: takes one of its values']],
  [{ title: 'a', customer: { id: 0n, name: [] } }, ['/customer/id entity.wrong_type: takes an integer from 1 to 9223372036854775807, in digits alone', '/customer/name entity.wrong_type: takes text']],
  [{ title: 'a', customer: 'x' }, ['/customer entity.wrong_type: must be an object']],
  [{ title: 'a', location: '5' }, ['/location entity.wrong_type: must be an object with an id']],
  [{ title: 'a', location: {} }, ['/location/id entity.wrong_type: takes an integer from 1 to 9223372036854775807, in digits alone']],
  [{ title: 'a', location: { id: 5n, name: 'x', missing: true } }, ['/location/name entity.unknown_field: is not declared']],
  [{ title: 'a', skills: { id: 5n } }, ['/skills entity.wrong_type: must be a list']],
  [{ title: 'a', skills: [{ id: 5n }, null] }, ['/skills/1 entity.wrong_type: must be an object with an id']],
  [{ title: 'a', tags: ['abc', 'abcd', 1n] }, ['/tags/1 entity.too_long: must have at most 3 characters', '/tags/2 entity.wrong_type: takes text']],
  [{ title: 'a', tags: Array(1_001).fill('x').concat('y') }, ['/tags entity.too_long: must have at most 1000 entries']],
  [{ title: 'a', head_count: 1.5 }, ['/head_count entity.wrong_type: takes an integer of 64 bits']],
  [{ title: 'a', head_count: 1 }, ['/head_count entity.wrong_type: takes an integer of 64 bits']],
  [{ title: 'a', head_count: 2n ** 63n }, ['/head_count entity.wrong_type: takes an integer of 64 bits']],
  [{ title: 'a', day_rate: '5' }, ['/day_rate entity.wrong_type: takes a number']],
  [{ title: 'a', day_rate: Infinity }, ['/day_rate entity.wrong_type: takes a number']],
  [{ title: 'a', remote: 'true' }, ['/remote entity.wrong_type: takes true or false']],
] as const)('row %#', (row, expected) => {
  expect(problems(row)).toEqual(expected);
});

// prettier-ignore
test.each(['2026-02-30', '2025-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '0000-01-01', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', '-2026-01-01', ''])(
  '%j is no date', (starts_on) => {
    expect(problems({ title: 'a', starts_on })).toEqual(['/starts_on entity.wrong_type: takes a date such as 2026-03-01']);
  },
);

// prettier-ignore
test.each(['2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-12-31T23:59:60Z', '2026-01-01T00:00:00', '2026-01-01', '2026-01-01T00:00Z', '2026-01-01T00:00:00.1234Z', '2026-01-01T00:00:00+24:00', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-00:01', '2026-01-01 00:00:00Z'])(
  '%j is no time', (posted_at) => {
    expect(problems({ title: 'a', posted_at })).toHaveLength(1);
  },
);

test('the first and the last time, and early years, are exact', () => {
  expect(content({ posted_at: '0001-01-01T00:00:00Z' }).posted_at).toBe('0001-01-01T00:00:00.000Z');
  expect(content({ posted_at: '9999-12-31T23:59:59.999Z' }).posted_at).toBe('9999-12-31T23:59:59.999Z');
  expect(content({ starts_on: '0044-03-15' }).starts_on).toBe('0044-03-15');
});

test('no more is listed than an answer can hold', () => {
  const row = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, 1n]));
  expect(problems(row)).toHaveLength(100);
});

test('a row is written with exact digits, ids as strings or as numbers', () => {
  const row = {
    id: 9007199254740993n,
    version: 7,
    created_at: '2026-01-04T08:00:00.000Z',
    updated_at: '2026-02-11T09:30:12.114Z',
    content: content({
      customer: { id: 4060741400035622411n },
      skills: [{ id: 1n }],
      head_count: 2n ** 60n,
      day_rate: 0.1,
    }),
  };
  const times = '"version":7,"created_at":"2026-01-04T08:00:00.000Z","updated_at":"2026-02-11T09:30:12.114Z"}';
  expect(createRowWriter(spec)(row)).toBe(
    `{"id":"9007199254740993","title":"a","customer":{"id":"4060741400035622411"},"skills":[{"id":"1"}],"head_count":"1152921504606846976","day_rate":0.1,${times}`,
  );
  expect(createRowWriter(spec, { ids: 'number' })(row)).toBe(
    `{"id":9007199254740993,"title":"a","customer":{"id":4060741400035622411},"skills":[{"id":1}],"head_count":1152921504606846976,"day_rate":0.1,${times}`,
  );
  expect(createRowWriter(spec)({ ...row, content: {} })).toBe(`{"id":"9007199254740993",${times}`);
});

test('whatever is written reads back equal, in both forms of ids', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 3 }).map((value) => value.normalize('NFC'));
  const short = (most: number) => text.filter((value) => !value.includes('\0') && [...value].length <= most);
  const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const rows = fc.record({
    title: short(5),
    staffing_status: optional(fc.constantFrom('Open', 'On Hold')),
    customer: optional(fc.record({ id, name: optional(text), constructor: optional(fc.boolean()) })),
    skills: optional(fc.array(fc.record({ id }), { maxLength: 3 })),
    tags: optional(fc.array(short(3), { maxLength: 3 })),
    head_count: optional(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    day_rate: optional(fc.double({ noNaN: true, noDefaultInfinity: true })),
    posted_at: optional(
      fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
        .map((at) => at.toISOString()),
    ),
  });
  const members = { id: 5n, version: 1, created_at: 'c', updated_at: 'u' };
  fc.assert(
    fc.property(rows, fc.constantFrom('string' as const, 'number' as const), (given, ids) => {
      const first = read(given);
      if (!first.ok) throw new Error(JSON.stringify(first.problems));
      const written = createRowWriter(spec, { ids })({ ...members, content: first.content });
      expect(read(parseJson(written))).toEqual(first);
    }),
    { numRuns: 2_000 },
  );
});
