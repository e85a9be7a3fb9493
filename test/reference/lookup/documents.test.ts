import { expect, test } from 'vitest';
import { createDocumentReader, type LookupRow } from '../../../reference/lookup/document.js';
import { foldCodePoint, isMark } from '../../../reference/lookup/folding.js';
import { queryWords } from '../../../reference/lookup/query-words.js';
import { finish, finishInSlices } from '../../../reference/lookup/steps.js';
import { MATCHING_BUCKETS, typosOf } from '../../../reference/lookup/buckets.js';

const row = (values: Record<string, readonly string[]>, weight?: number): LookupRow => ({
  id: 7n,
  weight,
  texts: (field) => values[field] ?? [],
});

test('a document has a section of words per name field, and one for all aliases', () => {
  const read = createDocumentReader({ names: ['name', 'other'], aliases: ['country', 'code'] });
  const given = { name: ['São Paulo'], country: ['Brazil'], code: ['BR', 'SP (city)'] };
  expect(read(3, row(given, 5))).toEqual({
    row: 3,
    id: 7n,
    weight: 5,
    name: 'sao paulo',
    sections: [['sao', 'paulo'], [], ['brazil', 'br', 'sp', 'city']],
  });
});

test.each([
  [undefined, -Infinity],
  [Number.NaN, -Infinity],
  [0, 0],
  [-3.5, -3.5],
  [Infinity, Infinity],
])('a weight of %d counts as %d', (weight, counted) => {
  expect(createDocumentReader({ names: ['name'], aliases: [] })(1, row({}, weight)).weight).toBe(counted);
});

test('more aliases than are remembered are split all the same', () => {
  const read = createDocumentReader({ names: ['name'], aliases: ['code'] });
  const wordsOf = (at: number) => read(at, row({ code: [`Area ${at}`] })).sections[1];
  for (let at = 0; at < 10_001; at += 1) wordsOf(at);
  expect([0, 10_000, 10_001].map(wordsOf)).toEqual([0, 10_000, 10_001].map((at) => ['area', String(at)]));
});

test.each([
  ['A', 'a'],
  ['ß', 'ss'],
  ['Æ', 'ae'],
  ['Œ', 'oe'],
  ['Þ', 'th'],
  ['Ø', 'o'],
  ['ł', 'l'],
  ['ς', 'σ'],
  ['é', 'e'],
  ['\u0301', ''],
  ["'", ''],
  ['’', ''],
  ['ʻ', ''],
  ['\u00ad', ''],
  ['-', ' '],
  ['_', ' '],
  ['😀', ' '],
  ['½', '1 2'],
  ['٣', '٣'],
  ['\ud800', ' '],
])('%j folds to %j', (given, folded) => {
  expect(foldCodePoint(given)).toBe(folded);
  expect(foldCodePoint(given)).toBe(folded); // the memo answers the same
});

test('folded letters fold to themselves', () => {
  for (let code = 0x80; code < 0x280; code += 1) {
    const folded = foldCodePoint(String.fromCodePoint(code));
    expect([code, [...folded].map(foldCodePoint).join('')]).toEqual([code, folded]);
  }
});

test('only combining characters are marks', () => {
  expect(['\u0301', '\u0903', '\u20dd'].map(isMark)).toEqual([true, true, true]);
  expect(['a', '^', '`', 'é', '\u00ad'].map(isMark)).toEqual([false, false, false, false, false]);
});

test('a query has at most ten words, of the first 400 units', () => {
  expect(queryWords('a b c d e f g h i j k l')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
  expect(queryWords(`${'x'.repeat(399)} y`)).toEqual(['x'.repeat(399)]);
  expect(queryWords(`${' '.repeat(400)}late`)).toEqual([]);
  expect(queryWords('-- !')).toEqual([]);
});

test('buckets cost no typo, one or two, and later buckets with typos cost more', () => {
  expect(MATCHING_BUCKETS.map(typosOf)).toEqual([0, 0, 0, 0, 0, 1, 2, 0]);
  expect(typosOf('popular')).toBe(0);
  expect(MATCHING_BUCKETS.at(-1)).toBe('partial');
});

function* countTo(end: number): Generator<void, number> {
  for (let at = 0; at < end; at += 1) yield;
  return end;
}

test('steps run to their end at once, or in slices with the same result', async () => {
  expect(finish(countTo(5))).toBe(5);
  expect(finish(countTo(0))).toBe(0);
  let time = 0;
  const turns: number[] = [];
  const pace = {
    now: () => time++,
    sliceMs: 3,
    defer: (next: () => void) => {
      turns.push(time);
      queueMicrotask(next);
    },
  };
  expect(await finishInSlices(countTo(10), pace)).toBe(10);
  expect(turns.length).toBeGreaterThan(1);
  turns.length = 0;
  expect(await finishInSlices(countTo(1_000), { ...pace, sliceMs: Infinity })).toBe(1_000);
  expect(turns).toEqual([]);
});

test('an error of a step ends the slices', async () => {
  function* broken(): Generator<void> {
    yield;
    throw new RangeError('step');
  }
  await expect(finishInSlices(broken(), { defer: (next) => next() })).rejects.toThrow(RangeError);
});
