import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import type { ImportCursor } from '../../../reference/dataset/import.js';
import { type ImportRow, readRows } from '../../../reference/rows/import-rows.js';

const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text' },
    note: { type: 'text' },
    state: { type: 'enum', values: ['On', 'Off'] },
    day: { type: 'date' },
    at: { type: 'timestamp' },
    tags: { type: 'list', of: { type: 'text' } },
    marks: { type: 'list', of: { type: 'integer' } },
    office: { type: 'object', fields: { place: { type: 'ref', dataset: 'places' }, floor: { type: 'integer' } } },
  },
});

async function read(text: string, chunk = 11, cursor: ImportCursor = { offset: 0, line: 0 }): Promise<ImportRow[]> {
  const bytes = Buffer.from(text).subarray(cursor.offset);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const rows: ImportRow[] = [];
  for await (const row of readRows({ format: 'csv', spec, bytes: chunks(), cursor })) rows.push(row);
  return rows;
}
const given = async (text: string) => (await read(text)).map((row) => row.given ?? row.problem?.code);

test.each(['\n', '\r\n', '\r'])(
  'cells with quotes, commas and line ends come back as they were; line end %j',
  async (end) => {
    const { below, pick } = createDraw(19);
    const cell = () =>
      Array.from({ length: 1 + below(5) }, () => pick(['a', '"', ',', '\n', '\r\n', ' ', 'é', '|'])).join('');
    const cells = Array.from({ length: 40 }, () => [cell(), cell()]);
    const text = stringify([['name', 'note'], ...cells], { record_delimiter: end, quoted: true });
    for (const chunk of [1, 64]) {
      const rows = await read(text, chunk);
      expect(rows.map((row) => row.given)).toEqual(cells.map(([name, note]) => ({ name, note })));
      // The line of a row is where it begins, whatever line ends its cells have.
      const before = (at: number) =>
        stringify([['name', 'note'], ...cells.slice(0, at)], { record_delimiter: end, quoted: true });
      const lineOf = (at: number) => (before(at).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
      expect(rows.map(({ line }) => line)).toEqual(cells.map((_, at) => lineOf(at)));
    }
  },
);

test.each<[string, object]>([
  ['state\nOn', { state: 'On' }],
  ['state\non', { state: 'on' }], // no value of the enum: validation reports it
  ['day\n2026-03-01', { day: '2026-03-01' }],
  ['day\n01.03.2026', { day: '01.03.2026' }],
  ['at\n2026-03-01T08:00:00+01:00', { at: '2026-03-01T07:00:00.000Z' }],
  ['tags\na|b||c', { tags: ['a', 'b', '', 'c'] }],
  ['marks\n1|9007199254740993|x', { marks: [1n, 9007199254740993n, 'x'] }],
  ['office.place\n7', { office: { place: { id: 7n } } }],
  ['office.place.id\n7', { office: { place: { id: 7n } } }],
  ['office.floor,office.place\n3,8', { office: { floor: 3n, place: { id: 8n } } }],
  ['office.floor\n-0', { office: { floor: '-0' } }],
  [' name , note \n x , y ', { name: ' x ', note: ' y ' }], // headings are trimmed, cells are not
  ['id\n07', { id: '07' }],
  ['version,created_at,name\n5,2026-01-01T00:00:00Z,x', { name: 'x' }],
])('%j', async (text, row) => {
  expect(await given(text)).toEqual([row]);
});

test('lines are counted from where a reading resumes, whatever line ends the cells before had', async () => {
  const text = 'name,note\r\n"a\r\nb","c\r\n"\r\n\r\nd,e\r\n"f\ng",h\r\ni,j\r\n';
  const rows = await read(text);
  expect(rows.map(({ line, cursor }) => [line, cursor.line])).toEqual([
    [2, 4],
    [6, 6],
    [7, 8],
    [9, 9],
  ]);
  for (const [at, { cursor }] of rows.entries()) expect(await read(text, 3, cursor)).toEqual(rows.slice(at + 1));
});

test('a row of empty cells is a row without values', async () => {
  expect(await given('name,note\n,\n"",""\n')).toEqual([{}, {}]);
});

test('rows of too few and too many cells are problems of those rows alone', async () => {
  expect(await given('name,note\na\nb,c\nd,e,f\n')).toEqual([
    'row.malformed',
    { name: 'b', note: 'c' },
    'row.malformed',
  ]);
});

test('a heading alone has no rows, and blank lines are none', async () => {
  expect(await given('name,note')).toEqual([]);
  expect(await given('\n\nname,note\n\n\na,b\n\n')).toEqual([{ name: 'a', note: 'b' }]);
});

test.each(['name,name', 'name, name ', 'nothing', 'name,', 'office', 'tags.id'])(
  'columns %j are refused',
  async (heading) => {
    await expect(read(`${heading}\n1,2\n`)).rejects.toMatchObject({ code: 'body.malformed', retryable: false });
  },
);

test('the offset after each row is where the next one begins', async () => {
  const text = 'name,note\r\n"é\n1",x\r\nb,"😀"\r\n\r\nc,d';
  const rows = await read(text);
  const bytes = Buffer.from(text);
  expect(rows.map(({ cursor }) => bytes.subarray(cursor.offset).toString())).toEqual([
    'b,"😀"\r\n\r\nc,d',
    '\r\nc,d',
    '',
  ]);
  expect(rows.map(({ cursor }) => cursor.columns)).toEqual(rows.map(() => ['name', 'note']));
});

test('an error of the upload is the error of the reading', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('name\na\n');
    throw new RangeError('connection lost');
  }
  const rows = readRows({ format: 'csv', spec, bytes: broken(), cursor: { offset: 0, line: 0 } });
  await expect(async () => {
    for await (const row of rows) expect(row.given).toEqual({ name: 'a' });
  }).rejects.toThrow('connection lost');
});
