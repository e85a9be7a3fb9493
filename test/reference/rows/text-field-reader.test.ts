import { expect, test } from 'vitest';
import { parseStoredRow, valueAt } from '../../../reference/columns/index.js';
import { textFieldReader } from '../../../reference/rows/text-field-reader.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const spec = DatasetSpec.parse({
  fields: {
    name: { type: 'text' },
    note: { type: 'text' },
    former: { type: 'list', of: { type: 'text' } },
    label: { type: 'text' },
    owner: { type: 'object', fields: { label: { type: 'text' }, town: { type: 'text' } } },
  },
});
const leaves = leavesOf(spec);
const readerOf = (path: string) => {
  const leaf = leaves.get(path);
  if (!leaf) throw new Error(path);
  return { leaf, read: textFieldReader(leaf, leaves) };
};
const stored = (row: object) => Buffer.from(JSON.stringify({ id: '1', ...row, version: 1 }));

test.each([
  { name: 'São Paulo', note: 'x' },
  { name: '' },
  {},
  { note: ',"name":"no"' },
  { note: 'ends with ,', name: 'after it' },
  { note: 'name', former: ['name', ',', 'name'], name: '東京 😀' },
  { former: [',"name":"'], owner: { town: 'name' }, name: 'last' },
])('the text of %j is what a parser finds', (row) => {
  const { leaf, read } = readerOf('name');
  const bytes = stored(row);
  const value = valueAt(parseStoredRow(bytes.toString()), leaf);
  expect(read?.(bytes)).toEqual(value === undefined ? [] : [value]);
});

test('what is escaped is left to a parser', () => {
  const { read } = readerOf('name');
  expect(read?.(stored({ name: 'the "Big" Apple' }))).toBeUndefined();
  expect(read?.(stored({ name: 'plain', note: 'a "quoted" one' }))).toEqual(['plain']);
});

test('lists, members of objects and names that stand twice are left to it, too', () => {
  for (const path of ['former', 'label', 'owner.label', 'owner.town', 'version']) {
    expect([path, readerOf(path).read]).toEqual([path, undefined]);
  }
});
