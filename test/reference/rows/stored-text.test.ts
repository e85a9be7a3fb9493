import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { parseJson } from '../../../reference/rows/json.js';
import { newestState, newestVersion, isNewest } from '../../../reference/rows/newest-rows.js';
import { type Content, readRow } from '../../../reference/rows/row.js';
import { rowEtag } from '../../../reference/rows/row-etag.js';
import { createRowStore } from '../../../reference/rows/row-store.js';
import { createdAtOf, fieldsOf, updatedAtOf, withVersion } from '../../../reference/rows/row-text.js';
import {
  acceptsRow,
  parseRow,
  parseValid,
  previousOf,
  rewriteRow,
  rowWriterOf,
} from '../../../reference/rows/row-validation.js';
import { createFieldWriters, createRowWriter, type RowForm } from '../../../reference/rows/row-writer.js';

const CREATED = '2026-01-01T00:00:00.000Z';
const UPDATED = '2026-02-02T10:20:30.456Z';
const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true },
    size: { type: 'integer' },
    rate: { type: 'decimal' },
    owner: { type: 'object', fields: { id: { type: 'id' }, open: { type: 'boolean' } } },
    place: { type: 'ref', dataset: 'places' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
    constructor: { type: 'text' },
  },
});
function contentOf(given: object): Content {
  const result = readRow(spec, given);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.content;
}
const rowOf = (given: object, { id = 7n, version = 3 } = {}) => ({
  id,
  version,
  created_at: CREATED,
  updated_at: UPDATED,
  content: contentOf(given),
});
const textOf = (given: object, more: { id?: bigint; version?: number } = {}) => rowWriterOf(spec)(rowOf(given, more));

const GIVEN: object[] = [
  { name: 'a' },
  { name: 'quote " and \\ and \n', size: 9007199254740993n, rate: -0.5 },
  { name: '"version":9,"created_at":"x"', owner: { id: '5', open: false }, place: { id: '9' } },
  { name: '', skills: [{ id: '1' }, { id: '2' }], constructor: 'b' },
];

test.each(GIVEN.flatMap((given) => [1, 10, 4_000_000_000].map((version) => ({ given, version }))))(
  'the times, the fields and the version of a stored row are read without parsing: case %#',
  ({ given, version }) => {
    const text = textOf(given, { version });
    expect([createdAtOf(text), updatedAtOf(text)]).toEqual([CREATED, UPDATED]);
    const fields = fieldsOf(text, { id: '7', version });
    expect(parseJson(`{"id":"7"${fields}}`)).toEqual({
      ...(parseJson(text) as object),
      version: undefined,
      created_at: undefined,
      updated_at: undefined,
    });
    expect(withVersion(text, version, 12)).toBe(textOf(given, { version: 12 }));
    expect(fieldsOf(textOf(given, { version: 1 }), { id: '7', version: 1 })).toBe(fields);
  },
);

test.each(GIVEN.map((given) => [given]))('a stored row is parsed to what was written, case %#', (given) => {
  const row = parseRow(spec, textOf(given));
  expect(row).toEqual(rowOf(given));
  expect(rewriteRow(spec, textOf(given))).toBe(textOf(given));
  expect(acceptsRow(spec, textOf(given))).toBe(true);
});

const narrower = DatasetSpec.parse({ fields: { name: { type: 'text', max_length: 3 }, size: { type: 'text' } } });

test('a declaration that does not accept a stored row reads the members that it accepts', () => {
  const text = textOf({ name: 'abcd', size: 5n, rate: 1 });
  expect([parseRow(narrower, text), acceptsRow(narrower, text), rewriteRow(narrower, text)]).toEqual([
    undefined,
    false,
    text,
  ]);
  expect(parseValid(narrower, text)).toMatchObject({ id: 7n, version: 3, created_at: CREATED, content: {} });
  expect(
    parseValid(
      DatasetSpec.parse({ fields: { size: { type: 'integer' }, name: { type: 'text', max_length: 3 } } }),
      text,
    ).content,
  ).toEqual({ size: 5n });
});

test('a row is rewritten in the order and the types of a declaration', () => {
  const later = DatasetSpec.parse({
    fields: { rate: { type: 'decimal' }, size: { type: 'decimal' }, name: { type: 'text' } },
  });
  const text = textOf({ name: 'a', size: 5n, rate: 1.5 });
  expect(rewriteRow(later, text)).toBe(
    `{"id":"7","rate":1.5,"size":5,"name":"a","version":3,"created_at":"${CREATED}","updated_at":"${UPDATED}"}`,
  );
});

test.each<[object, object | undefined, object]>([
  [{ name: 'a' }, { name: 'a' }, {}],
  [{ name: 'a' }, { name: 'b' }, { name: 'a' }],
  [{ name: 'a', size: 5n }, { name: 'a' }, { size: 5n }],
  [{ name: 'a' }, { name: 'a', size: 5n, constructor: 'x' }, { size: null, constructor: null }],
  [
    { name: 'a', owner: { id: '1', open: true } },
    { name: 'a', owner: { id: '1' } },
    { owner: { id: '1', open: true } },
  ],
  [{ name: 'a', skills: [] }, { name: 'a' }, { skills: [] }],
  [{ name: 'a', place: { id: '3' } }, undefined, { name: 'a', place: { id: '3' } }],
])('of a change the fields are kept that it changes, as they were: case %#', (before, after, expected) => {
  const text = previousOf(spec, contentOf(before), after && contentOf(after));
  expect(parseJson(text)).toEqual(expected);
});

test.each<[RowForm, string]>([
  [{}, '{"id":"7","name":"a","owner":{"id":"5"},"place":{"id":"9"},"skills":[{"id":"1"},{"id":"2"}],'],
  [{ ids: 'number' }, '{"id":7,"name":"a","owner":{"id":5},"place":{"id":9},"skills":[{"id":1},{"id":2}],'],
  [
    { isMissing: (dataset, id) => dataset === 'skills' && id === 2n },
    '{"id":"7","name":"a","owner":{"id":"5"},"place":{"id":"9"},"skills":[{"id":"1"},{"id":"2","missing":true}],',
  ],
])('ids are strings or numbers, and dangling references are marked: form %#', (form, beginning) => {
  const row = rowOf({ name: 'a', owner: { id: '5' }, place: { id: '9' }, skills: [{ id: '1' }, { id: '2' }] });
  expect(createRowWriter(spec, form)(row)).toBe(
    `${beginning}"version":3,"created_at":"${CREATED}","updated_at":"${UPDATED}"}`,
  );
});

test('each field has a writer of its own', () => {
  const writers = createFieldWriters(spec);
  expect([...writers.keys()]).toEqual(Object.keys(spec.fields));
  const content = contentOf({ name: 'é"', size: -5n, owner: {}, skills: [] });
  expect(
    [...writers].map(([name, write]) => [
      name,
      content[name] === undefined || !Object.hasOwn(content, name) ? '' : write(content[name]),
    ]),
  ).toEqual([
    ['name', '"é\\""'],
    ['size', '-5'],
    ['rate', ''],
    ['owner', '{}'],
    ['place', ''],
    ['skills', '[]'],
    ['constructor', ''],
  ]);
});

test('an etag has the version and the declaration', () => {
  expect(new Set([rowEtag(1, 1), rowEtag(1, 2), rowEtag(2, 1), rowEtag(11, 1), rowEtag(1, 11)]).size).toBe(5);
  expect(rowEtag(3, 2)).toMatch(/^"[^"]+"$/);
});

test('the newest state of an entity is its last one, deleted or not', () => {
  const rows = createRowStore();
  const add = (version: number, body: string | null, at = UPDATED) =>
    rows.add({ id: 7n, version, from: version, bytes: Buffer.from(body ?? at), deleted: body === null });
  expect([newestState(rows, '7'), newestVersion(rows, '7')]).toEqual([undefined, 0]);
  const first = add(1, textOf({ name: 'a' }, { version: 1 }));
  expect(newestState(rows, '7')).toEqual({ version: 1, body: textOf({ name: 'a' }, { version: 1 }), at: UPDATED });
  expect(isNewest(rows, first)).toBe(true);
  const gone = add(2, null, CREATED);
  expect(newestState(rows, '7')).toEqual({ version: 2, body: null, at: CREATED });
  expect([isNewest(rows, first), isNewest(rows, gone), newestVersion(rows, '7')]).toEqual([false, false, 2]);
});
