import { expect, test } from 'vitest';
import { NO_DEPENDENCIES, type DatasetVersions } from '../../../reference/graph/cached-text.js';
import type { PlannedField } from '../../../reference/graph/planned-field.js';
import { createPageTexts } from '../../../reference/graph/page-texts.js';
import { createRowCache } from '../../../reference/graph/row-cache.js';
import { createRowStore, type RowStore } from '../../../reference/rows/row-store.js';

const add = (rows: RowStore, id: bigint, from: number, name: string): number =>
  rows.add({ id, version: from, from, bytes: Buffer.from(`{"id":"${id}","name":"${name}"}`), deleted: false });
/** A selection is known by its list of fields, not by what is in it. */
const selection = (): readonly PlannedField[] => [];
const textOf = (text: string) => ({ text, reads: NO_DEPENDENCIES });

test('a row is parsed as it was stored, and is one entry for all who ask', () => {
  const rows = createRowStore();
  const row = add(rows, 7n, 1, 'a');
  const rowOf = createRowCache(rows);
  expect(rowOf(row)).toBe(rowOf(row));
  expect(rowOf(row).values).toEqual({ id: '7', name: 'a' });
});

test('each selection of a row has a text of its own', () => {
  const rows = createRowStore();
  const entry = createRowCache(rows)(add(rows, 7n, 1, 'a'));
  const seen: DatasetVersions = [{ rows, version: 1 }];
  const [one, other] = [selection(), selection()];
  expect(entry.textOf(one, seen)).toBeUndefined();
  entry.keep(one, seen, textOf('{"a":1}'));
  entry.keep(other, seen, textOf('{"b":2}'));
  expect([entry.textOf(one, seen)?.text, entry.textOf(other, seen)?.text]).toEqual(['{"a":1}', '{"b":2}']);
  entry.keep(one, seen, textOf('{"a":3}'));
  expect(entry.textOf(one, seen)?.text).toBe('{"a":3}');
  // The row can still be read for another selection.
  expect(entry.values).toEqual({ id: '7', name: 'a' });
});

test('many selections of one row do not grow without end, and the latest is there', () => {
  const rows = createRowStore();
  const entry = createRowCache(rows)(add(rows, 7n, 1, 'a'));
  const seen: DatasetVersions = [{ rows, version: 1 }];
  const selections = Array.from({ length: 50 }, selection);
  for (const [at, fields] of selections.entries()) {
    entry.keep(fields, seen, textOf(String(at)));
    expect(entry.textOf(fields, seen)?.text).toBe(String(at));
  }
  expect(selections.filter((fields) => entry.textOf(fields, seen) !== undefined).length).toBeLessThan(10);
});

test('a row number that is used again is another row, without the texts of the one before', () => {
  const rows = createRowStore();
  const row = add(rows, 7n, 1, 'old');
  const rowOf = createRowCache(rows);
  const fields = selection();
  const before = rowOf(row);
  before.keep(fields, [{ rows, version: 1 }], textOf('old'));
  add(rows, 7n, 2, 'newer');
  rows.forget(2, () => undefined);
  expect(add(rows, 8n, 3, 'other')).toBe(row);
  expect(rowOf(row)).not.toBe(before);
  expect(rowOf(row).textOf(fields, [{ rows, version: 3 }])).toBeUndefined();
  expect(rowOf(row).values).toEqual({ id: '8', name: 'other' });
});

test('the text of a page belongs to its list of rows, its selection and the rows that it shows', () => {
  const rows = createRowStore();
  const place = add(rows, 1n, 1, 'a');
  const texts = createPageTexts();
  const [page, fields] = [[0, 1], selection()];
  const seen: DatasetVersions = [{ rows, version: 1 }];
  texts.set(page, { fields, seen, text: '[1]', reads: [{ rows, row: place, from: 1 }] });
  expect(texts.get(page, fields, seen)).toBe('[1]');
  expect(texts.get([...page], fields, seen)).toBeUndefined();
  expect(texts.get(page, selection(), seen)).toBeUndefined();
  add(rows, 2n, 2, 'b');
  expect(texts.get(page, fields, [{ rows, version: 2 }])).toBe('[1]');
  add(rows, 1n, 3, 'changed');
  expect(texts.get(page, fields, [{ rows, version: 3 }])).toBeUndefined();
  // Only the latest text of a page is kept.
  const other = selection();
  texts.set(page, { fields: other, seen, text: '[2]', reads: NO_DEPENDENCIES });
  expect([texts.get(page, fields, seen), texts.get(page, other, seen)]).toEqual([undefined, '[2]']);
});
