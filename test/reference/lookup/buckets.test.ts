import { expect, test } from 'vitest';
import { createLookupIndex } from '../../../reference/lookup/lookup-index.js';
import type { WorldRow } from './world.js';
import { WORLD_FIELDS, worldOf, worldSource } from './world.js';

function ask(rows: readonly Omit<WorldRow, 'id'>[], query: string, limit = 50) {
  const all = worldOf(rows);
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(all), rows: all.keys() });
  return index.query(query, { limit }).hits.map(({ row, bucket }) => [all.get(row)?.name, bucket]);
}

test('buckets come in their order, whatever the weights', () => {
  const rows = [
    { name: 'Dots Prings', weight: 8 },
    { name: 'Sprongs', weight: 7 },
    { name: 'Lenz', country: 'Spring', weight: 6 },
    { name: 'Cold Spring', weight: 5 },
    { name: 'Springfield', weight: 4 },
    { name: 'Spring', weight: 3 },
    { name: 'Autumn', weight: 2 },
  ];
  expect(ask(rows, 'spring')).toEqual([
    ['Spring', 'exact'],
    ['Springfield', 'name_prefix'],
    ['Cold Spring', 'words_in_order'],
    ['Lenz', 'alias'],
    ['Sprongs', 'typo_1'],
    ['Dots Prings', 'typo_2'], // one edit, and the first letter is wrong
  ]);
});

test('with several words: order, then any order, then with the help of aliases, then typos', () => {
  const rows = [
    { name: 'Nev York', weight: 9 },
    { name: 'Leeds', other: 'New Leeds', country: 'Yorkshire', weight: 8 },
    { name: 'York New Town', weight: 7 },
    { name: 'Newark Yorkville', weight: 6 },
    { name: 'East New York', weight: 5 },
    { name: 'New Yorkshire', weight: 4 },
    { name: 'New York', weight: 3 },
    { name: 'Newyorktown', weight: 2 },
    { name: 'Newport', weight: 1 },
  ];
  expect(ask(rows, 'new york')).toEqual([
    ['New York', 'exact'],
    ['New Yorkshire', 'name_prefix'],
    ['Newark Yorkville', 'words_in_order'], // every word is a beginning, not only the last one
    ['East New York', 'words_in_order'],
    ['York New Town', 'words_any_order'],
    ['Leeds', 'alias'],
    ['Newyorktown', 'typo_1'], // the blank is the typo
  ]);
});

test('partial matches come only where nothing else does', () => {
  const rows = [
    { name: 'Paris', country: 'France', weight: 2 },
    { name: 'Lyon', country: 'France', weight: 1 },
  ];
  expect(ask(rows, 'paris germany')).toEqual([['Paris', 'partial']]);
  expect(ask(rows, 'france germany')).toEqual([
    ['Paris', 'partial'],
    ['Lyon', 'partial'],
  ]);
  expect(ask(rows, 'lyon france')).toEqual([['Lyon', 'alias']]);
  expect(ask(rows, 'germany')).toEqual([]);
});

test('inside a bucket: weight, then the shorter name, then the name, then the id', () => {
  const rows = [
    { name: 'Bergen b' },
    { name: 'Bergen aa', weight: 1 },
    { name: 'Bergen b', weight: 1 },
    { name: 'Bergen a', weight: 1 },
    { name: 'Bergen a', weight: 1 },
    { name: 'Bergen zzz', weight: 2 },
    { name: 'Bergen c', weight: -5 },
    { name: 'Bergen d', weight: Number.NaN },
  ];
  const all = worldOf(rows);
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(all), rows: all.keys() });
  expect(index.query('bergen').hits.map(({ row }) => row)).toEqual([5, 3, 4, 2, 1, 6, 0, 7]);
});

test('nothing typed, or no letter and no digit: the rows of most weight', () => {
  const rows = [
    { name: 'Low', weight: 1 },
    { name: 'High', weight: 3 },
    { name: '', weight: 2 },
  ];
  for (const query of ['', '   ', '-,.', '\u0301', '😀', '\ud800']) {
    expect(ask(rows, query)).toEqual([
      ['High', 'popular'],
      ['', 'popular'],
      ['Low', 'popular'],
    ]);
  }
});

test('short words take no typo, longer ones one, from seven letters two', () => {
  const rows = [{ name: 'Ulm' }, { name: 'Bern' }, { name: 'London' }, { name: 'Belgrade' }];
  const found = (query: string) => ask(rows, query).map(([name]) => name);
  expect(found('ulx')).toEqual([]);
  expect(found('bxrn')).toEqual(['Bern']);
  expect(found('bxxn')).toEqual([]);
  expect(found('lnodon')).toEqual(['London']);
  expect(found('lnodno')).toEqual([]);
  expect(found('bxlgrxde')).toEqual(['Belgrade']);
  expect(found('bxlgrxdx')).toEqual([]);
  expect(found('xondon')).toEqual(['London']);
  expect(found('xelgrxde')).toEqual([]); // two edits, and a wrong first letter costs one more
});

test('words may be typed together or apart', () => {
  const rows = [{ name: 'New York City' }, { name: 'Springfield' }, { name: 'York New' }];
  const found = (query: string) => ask(rows, query).map(([name, bucket]) => `${name}: ${bucket}`);
  expect(found('newyork')).toEqual(['New York City: typo_1']);
  expect(found('newyorkcity')).toEqual(['New York City: typo_2']);
  expect(found('spring field')).toEqual(['Springfield: typo_1']);
  expect(found('springfielt')).toEqual(['Springfield: typo_1']);
});

test('at most so many hits, and only of rows that are accepted', () => {
  const rows = worldOf(Array.from({ length: 120 }, (_, at) => ({ name: `Town ${at}`, weight: 120 - at })));
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(rows), rows: rows.keys() });
  const count = (limit: number) => index.query('town', { limit }).hits.length;
  expect([1, 10, 50, 51, 1_000, 0, -3].map(count)).toEqual([1, 10, 50, 50, 50, 1, 1]);
  expect(index.query('town').hits).toHaveLength(10);
  const odd = index.query('town', { limit: 3, accept: (row) => row % 2 === 1 });
  expect(odd.hits.map(({ row }) => row)).toEqual([1, 3, 5]);
  expect(index.query('town', { accept: () => false }).hits).toEqual([]);
});

test('the answer repeats the query and shows its words', () => {
  const index = createLookupIndex({ fields: WORLD_FIELDS, source: worldSource(new Map()) });
  expect(index.query(' São  Pa').query).toEqual({ text: ' São  Pa', words: ['sao', 'pa'] });
  expect(index.query('a b c d e f g h i j k').query.words).toHaveLength(10);
});
