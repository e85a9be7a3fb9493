import { afterEach, expect, test } from 'vitest';
import { createAddBlock, idOf } from '../../../activities/imports/import-block.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { type DatasetImport, MOST_ROW_PROBLEMS } from '../../../reference/dataset/import.js';
import { parseJson } from '../../../reference/rows/json.js';
import type { ImportRow } from '../../../reference/rows/import-rows.js';
import { createWorld, peopleIn, stopProcesses } from './import-scene.js';

afterEach(stopProcesses);

/** The rows of a block, one a line, as they are read from NDJSON. */
const rowsOf = (...texts: string[]): ImportRow[] =>
  texts.map((text, index) => ({
    ...{ line: index + 1, given: parseJson(text) },
    cursor: { offset: (index + 1) * 10, line: index + 1 },
  }));

async function open(options: Partial<DatasetImport['options']> = {}) {
  const { process } = await createWorld();
  await process.datasets.need('people');
  const given: DatasetImport = {
    ...{ id: 'imp_1', dataset: 'people', actor: 'ana', state: 'running', created_at: '2026-01-01T00:00:00.000Z' },
    options: {
      ...{ format: 'ndjson', mode: 'upsert', dry_run: false, on_error: 'skip', max_errors: 9, announce: 'as_you_go' },
      ...options,
    },
    counts: { rows_read: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 },
    errors: [],
    cursor: { offset: 0, line: 0 },
  };
  const addBlock = createAddBlock(process);
  const add = (rows: readonly ImportRow[], { from = given, isRepeated = false } = {}) =>
    addBlock(from, { rows, isRepeated });
  return { process, given, add, addBlock };
}

test('a block moves the cursor to its last row; an empty one leaves the import as it is', async () => {
  const { add, given } = await open();
  const after = await add(rowsOf('{"id":"1","name":"a"}', '{"id":"2","name":"b"}'));
  expect([after.cursor, after.counts.created]).toEqual([{ offset: 20, line: 2 }, 2]);
  expect(given.counts.created).toBe(0); // the given import is not changed in place
  expect(await add([], { from: after })).toEqual(after);
});

test('rows may refer to each other within a block, in a circle and to themselves, and to no row that does not exist', async () => {
  const { add } = await open();
  const after = await add(
    rowsOf(
      '{"id":"1","name":"a","boss":{"id":"2"}}',
      '{"id":"2","name":"b","boss":{"id":"1"}}',
      '{"id":"3","name":"c","boss":{"id":"3"}}',
      '{"id":"4","name":"d","boss":{"id":"5"}}',
    ),
  );
  expect(after.counts).toMatchObject({ created: 3, failed: 1 });
  expect(after.errors).toMatchObject([{ line: 4, code: 'entity.unknown_reference', pointer: '/boss/id' }]);
});

test('of rows with the same id the last one wins, although the rows of a block are written concurrently', async () => {
  const { add, process } = await open();
  const names = Array.from({ length: 20 }, (_, index) => `{"id":"7","name":"n${index}"}`);
  const after = await add(rowsOf(...names, '{"id":7,"name":"last"}', '{"id":"7","name":"last"}'));
  expect(after.counts).toMatchObject({ rows_read: 22, created: 1, updated: 20, unchanged: 1 });
  expect((await peopleIn(process))['7']).toEqual([21, 'last']);
});

test.each([
  ['no id', '{"name":"a"}'],
  ['null', '{"id":null,"name":"a"}'],
  ['zero', '{"id":"0","name":"a"}'],
  ['a negative number', '{"id":-1,"name":"a"}'],
  ['a fraction', '{"id":1.5,"name":"a"}'],
  ['more than 64 bits', '{"id":"9223372036854775808","name":"a"}'],
  ['an object', '{"id":{"id":"1"},"name":"a"}'],
  ['no object at all', '[1]'],
  ['the JSON null', 'null'],
])('a row with %s for its id is refused alone', async (_, text) => {
  const { add } = await open();
  const after = await add(rowsOf(text, '{"id":"1","name":"b"}'));
  expect(after.counts).toMatchObject({ created: 1, failed: 1 });
  expect(after.errors).toMatchObject([{ line: 1, code: 'id.malformed', pointer: '/id' }]);
});

test('the largest id keeps all its digits', async () => {
  const { add, process } = await open();
  await add(rowsOf('{"id":9223372036854775807,"name":"a"}'));
  expect(Object.keys(await peopleIn(process))).toEqual(['9223372036854775807']);
  const [row] = rowsOf('{"id":9007199254740993}');
  expect(row && idOf(row)).toBe(9007199254740993n);
});

test('insert_only refuses an entity that exists, and writes one again that was deleted', async () => {
  const { add, process } = await open({ mode: 'insert_only' });
  await add(rowsOf('{"id":"1","name":"a"}', '{"id":"2","name":"b"}'));
  await process.writes.remove({ dataset: 'people', id: 2n, actor: 'ana' });
  const after = await add(rowsOf('{"id":"1","name":"new"}', '{"id":"2","name":"new"}'));
  expect(after.errors).toMatchObject([{ line: 1, code: 'entity.exists' }]);
  expect(await peopleIn(process)).toEqual({ 1: [1, 'a'], 2: [3, 'new'] });
});

test('a repeated block counts its rows as the first attempt did, also where an entity came twice', async () => {
  const { add, process } = await open();
  await process.writes.put({ dataset: 'people', id: 1n, actor: 'ana' }, { name: 'before' });
  const rows = rowsOf('{"id":"1","name":"x"}', '{"id":"2","name":"y"}', '{"id":"2","name":"z"}');
  const first = await add(rows);
  expect(first.counts).toMatchObject({ created: 1, updated: 2, unchanged: 0 });
  const state = await peopleIn(process);
  const second = await add(rows, { isRepeated: true });
  expect(second.counts).toEqual(first.counts);
  expect(await peopleIn(process)).toEqual(state);
});

test('a repeated row that another client overwrote since is written again', async () => {
  const { add, process } = await open();
  const rows = rowsOf('{"id":"2","name":"y"}');
  await add(rows);
  await process.writes.put({ dataset: 'people', id: 2n, actor: 'eve' }, { name: 'other' });
  expect((await add(rows, { isRepeated: true })).counts).toMatchObject({ created: 0, updated: 1 });
  expect((await peopleIn(process))['2']).toEqual([3, 'y']);
});

test('a dry run writes nothing and counts what a run would do', async () => {
  const { add, process } = await open({ dry_run: true });
  const after = await add(rowsOf('{"id":"1","name":"a"}', '{"id":"2","bad":1}'));
  expect(after.counts).toMatchObject({ created: 1, failed: 1 });
  expect(await peopleIn(process)).toEqual({});
});

test('no more problems are kept than an import shows; all failed rows are counted', async () => {
  const { add, given } = await open();
  const known = Array.from({ length: MOST_ROW_PROBLEMS - 1 }, (_, line) => ({ line, code: 'c', message: 'm' }));
  const after = await add(rowsOf('{"id":"1","bad":1}', '{"id":"2","bad":1}'), { from: { ...given, errors: known } });
  expect([after.errors.length, after.counts.failed]).toEqual([MOST_ROW_PROBLEMS, 2]);
});

test('problems come in the order of lines, whatever is written first', async () => {
  const { add } = await open();
  const after = await add(rowsOf('{"id":"9","bad":1}', '{"name":"x"}', '{"id":"9","name":"ok"}', '{"id":"8"}'));
  expect(after.errors.map(({ line }) => line)).toEqual([1, 1, 2, 4]);
});

test.each([
  ['unavailable', true],
  ['entity.restricted', false],
] as const)('an error %s of a write fails the attempt: %s', async (code, failsAll) => {
  const { process, given } = await open();
  const writes = {
    ...process.writes,
    put: async () => {
      throw new SlipwayError(code, 'the write failed');
    },
  };
  const adding = createAddBlock({ ...process, writes })(given, {
    ...{ rows: rowsOf('{"id":"1","name":"a"}'), isRepeated: false },
  });
  if (failsAll) await expect(adding).rejects.toMatchObject({ code });
  else expect((await adding).errors).toEqual([{ line: 1, code, message: 'the write failed' }]);
});

test('a row that could not be read keeps its problem and its line', async () => {
  const { add } = await open();
  const problem = { line: 4, code: 'row.malformed', message: 'the row is not UTF-8' };
  const after = await add([{ line: 4, cursor: { offset: 9, line: 5 }, problem }]);
  expect([after.errors, after.counts.failed, after.cursor.line]).toEqual([[problem], 1, 5]);
});
