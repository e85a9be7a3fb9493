import { expect, test } from 'vitest';
import fc from 'fast-check';
import { type ImportRow, readRows } from '../../../reference/rows/import-rows.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { ImportCursor, ImportFormat } from '../../../reference/dataset/import.js';

const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text' },
    size: { type: 'integer' },
    rate: { type: 'decimal' },
    open: { type: 'boolean' },
    customer: { type: 'object', fields: { id: { type: 'id' }, name: { type: 'text' } } },
    place: { type: 'ref', dataset: 'places' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
    tags: { type: 'list', of: { type: 'text' } },
  },
});
const START: ImportCursor = { offset: 0, line: 0 };

async function read(
  text: string | Buffer,
  format: ImportFormat,
  { cursor = START, chunk = 7 } = {},
): Promise<ImportRow[]> {
  const bytes = Buffer.from(text).subarray(cursor.offset);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const rows: ImportRow[] = [];
  for await (const row of readRows({ format, spec, bytes: chunks(), cursor })) rows.push(row);
  return rows;
}

const NDJSON = '\ufeff{"id":"9007199254740993","name":"é"}\r\n\n{"id":1\n{"id":3}\n[]\n  \n{"id":4,"name":"last"}';
const CSV =
  '\ufeffid,name,size,rate,open,customer.id,customer.name,place,skills.id,tags\r\n' +
  '9007199254740993,"Müller, ""K""",9007199254740995,1.5,true,7,"two\nlines",12,1|2,a|b\r\n' +
  '\r\n2,,,,,,,,,\r\n3,x\r\n4,plain,-1,x,no,,,,,\n5,e,1,2,false,,,,,\n';

test('lines of JSON, with exact ids and the lines they stand in', async () => {
  const rows = await read(NDJSON, 'ndjson');
  expect(rows.map(({ line, given, problem }) => [line, given, problem?.code])).toEqual([
    [1, { id: '9007199254740993', name: 'é' }, undefined],
    [3, undefined, 'row.malformed'],
    [4, { id: 3n }, undefined],
    [5, [], undefined],
    [7, { id: 4n, name: 'last' }, undefined],
  ]);
});

test('cells become the values that their columns are declared as; empty ones are absent', async () => {
  const rows = await read(CSV, 'csv');
  expect(rows.map(({ line, given, problem }) => [line, given ?? problem?.message])).toEqual([
    [
      2,
      {
        id: 9007199254740993n,
        name: 'Müller, "K"',
        size: 9007199254740995n,
        rate: 1.5,
        open: true,
        customer: { id: 7n, name: 'two\nlines' },
        place: { id: 12n },
        skills: [{ id: 1n }, { id: 2n }],
        tags: ['a', 'b'],
      },
    ],
    [5, { id: 2n }],
    [6, 'has 2 cells where there are 10 columns'],
    [7, { id: 4n, name: 'plain', size: -1n, rate: 'x', open: 'no' }],
    [8, { id: 5n, name: 'e', size: 1n, rate: 2, open: false }],
  ]);
});

test.each(['ndjson', 'csv'] as const)('%s can be resumed after any row', async (format) => {
  const text = format === 'csv' ? CSV : NDJSON;
  for (const chunk of [1, 5, 1_000]) {
    const all = await read(text, format, { chunk });
    for (const [at, { cursor }] of all.entries()) {
      expect(await read(text, format, { cursor, chunk })).toEqual(all.slice(at + 1));
    }
  }
});

test('a row that is too long, or no UTF-8, is a row that cannot be read', async () => {
  const long = `{"id":1}\n{"id":2,"name":"${'x'.repeat(2 ** 20)}"}\n{"id":3}\n`;
  const rows = await read(long, 'ndjson', { chunk: 65_536 });
  expect(rows.map(({ line, problem }) => [line, problem?.code])).toEqual([
    [1, undefined],
    [2, 'row.too_long'],
    [3, undefined],
  ]);
  const broken = Buffer.concat([Buffer.from('{"id":1,"name":"'), Buffer.from([0xff]), Buffer.from('"}\n{"id":2}\n')]);
  expect((await read(broken, 'ndjson')).map(({ problem }) => problem?.code)).toEqual(['row.malformed', undefined]);
});

test.each([
  ['id,nmae\n1,x\n', 'there is no field for column "nmae"; did you mean name?'],
  ['id,id\n1,2\n', 'duplicate column "id"'],
  ['id,name\n1,"never ends\n', 'at line 2'],
  ['id,name\n1,a"b"\n', 'at line 2'],
  ['id,name\n1,"a"b\n', 'at line 2'],
])('what makes all rows unreadable ends the reading: %j', async (text, message) => {
  await expect(read(text, 'csv')).rejects.toThrow(message);
});

test.each(['csv', 'ndjson'] as const)('every part of an upload is a row or a reported problem: %s', async (format) => {
  const pieces = [
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    '\r',
    'id',
    'name',
    '1',
    ' ',
    '{',
    '}',
    ':',
    '\\',
    '\ufeff',
    '\u0000',
    'é',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 25,
  });
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const given = `${format === 'csv' ? 'id,name\n' : ''}${parts.join('')}`;
      await read(given, format).catch((err: unknown) => {
        // Anything else would be tried again for ever.
        expect(err).toMatchObject({ code: 'body.malformed', retryable: false });
      });
    }),
    { numRuns: 1_000 },
  );
});

test('an empty upload has no rows', async () => {
  expect(await read('', 'csv')).toEqual([]);
  expect(await read('\n\n', 'ndjson')).toEqual([]);
});
