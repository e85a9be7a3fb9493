import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { canonicalText } from '../../../reference/filter/index.js';
import { compilePredicate } from '../../../reference/filter/predicate.js';
import { compileRowPredicate } from '../../../reference/filter/row-predicate.js';
import { parseStoredRow } from '../../../reference/columns/index.js';
import { createSearch, explainPlan } from '../../../reference/dataset/search.js';
import { type Case, filterCase, row } from './cases.js';
import { fulfils } from './naive.js';
import { read, shape } from './positions.js';
import { columnsOf, sampleRows, toSampleRow } from './rows.js';

/** So many generated filters; more when asked for. */
const CASES = Number(process.env.FILTER_CASES ?? 3_000);
const rows = sampleRows(60, 1);
const columns = columnsOf(rows);
while (columns.maintain());

const expected = ({ meaning }: Case) => rows.flatMap(({ content }, at) => (fulfils(meaning, content) ? [at] : []));

test('the predicate says what the naive evaluation says', () => {
  let hits = 0;
  fc.assert(
    fc.property(filterCase, (each) => {
      const predicate = compilePredicate(read(each.text), columns);
      const found = rows.flatMap((_, at) => (predicate(at) ? [at] : []));
      hits += found.length;
      return isDeepStrictEqual(found, expected(each));
    }),
    { numRuns: CASES },
  );
  // Filters that nothing fulfils would prove nothing.
  expect(hits / (CASES * rows.length)).toBeGreaterThan(0.2);
});

test('a single row fulfils what it fulfils among others', () => {
  const stored = rows.map(({ text }) => parseStoredRow(text));
  fc.assert(
    fc.property(filterCase, (each) => {
      const fulfilsIt = compileRowPredicate(read(each.text));
      const found = stored.flatMap((single, at) => (fulfilsIt(single) ? [at] : []));
      return isDeepStrictEqual(found, expected(each));
    }),
    { numRuns: CASES },
  );
});

test('the canonical text reads back as the same filter and stays as it is', () => {
  fc.assert(
    fc.property(filterCase, ({ text }) => {
      const filter = read(text);
      const canonical = canonicalText(filter);
      const again = read(canonical);
      return isDeepStrictEqual(shape(again), shape(filter)) && canonicalText(again) === canonical;
    }),
    { numRuns: 2_000 },
  );
});

/** Rows by search, in steps, over columns of which some rows were set again since the indexes were built. */
test('a search finds the same by index as by looking at each row, also for rows that were set lately', () => {
  const state = sampleRows(200, 4);
  const columns = columnsOf(state, { lagRows: 20, lagShare: 0 });
  let byIndex = 0;
  fc.assert(
    fc.property(filterCase, row, fc.nat(210), (each, given, at) => {
      const place = Math.min(at, state.length);
      state[place] = toSampleRow(state[place]?.content.id ?? BigInt(place + 1), given);
      columns.set(place, parseStoredRow(state[place].text));
      if (place % 3 === 0) columns.maintain();
      const hidden = place - 1;
      const search = createSearch({
        filter: read(each.text),
        columns,
        isVisible: (row) => row !== hidden,
        findId: (id) => state.findIndex(({ content }) => content.id === id),
      });
      while (!search.advance(7));
      if (search.tested() < state.length) byIndex += 1;
      const wanted = state.flatMap(({ content }, row) =>
        row !== hidden && fulfils(each.meaning, content) ? [row] : [],
      );
      return isDeepStrictEqual(
        [...search.found()].sort((one, other) => one - other),
        wanted,
      );
    }),
    { numRuns: 1_000 },
  );
  expect(byIndex).toBeGreaterThan(20);
});

test('a lagging index is rebuilt, one for each call', () => {
  const columns = columnsOf(sampleRows(5_000, 2));
  expect(columns.index('title')?.lag()).toBe(5_000);
  let calls = 1;
  while (columns.maintain()) calls += 1;
  expect(calls).toBe(7); // title, staffing_status, customer.id and name, location.id, skills.id and tags
  expect(columns.index('title')?.lag()).toBe(0);
  expect(columns.maintain()).toBe(false);
});

test('a search says how its rows are found', () => {
  const search = (text: string) =>
    explainPlan(createSearch({ filter: read(text), columns, isVisible: () => true, findId: () => 7 }).plan);
  expect(search('id == 5 and remote == true')).toBe(
    'all of\n  id is 5 (by index)\n  remote is true\nlooks at 1 of 60 rows by index',
  );
  expect(search('title == "no such title" or staffing_status == Open and id =in= (1, 2)')).toBe(
    [
      'any of',
      '  title is "no such title" (by index)',
      '  all of',
      '    staffing_status is "Open"',
      '    id is one of 1, 2 (by index)',
      'looks at 1 of 60 rows by index',
    ].join('\n'),
  );
  expect(search('not(tags != a) or skills.id =out= (1, 2, 3, 4, 5, 6) or title =between= (a, "b c")')).toBe(
    [
      'any of',
      '  not',
      '    tags is present and no entry of it is "a"',
      '  skills.id is present and no entry of it is one of 1, 2, 3, 4, 5 and 1 more',
      '  title is between "a" and "b c"',
      'looks at all 60 rows',
    ].join('\n'),
  );
});

test('a text that many rows share is evaluated right for each row', () => {
  const titles = Array.from({ length: 900 }, (_, at) => `Welder ${at} of ${at % 7}`);
  const shared = Array.from({ length: 4_000 }, (_, at) => titles[(at * 7_919) % titles.length] ?? '');
  const many = columnsOf(shared.map((title, at) => toSampleRow(BigInt(at + 1), { title, staffing_status: 'Open' })));
  const matching = (text: string) => {
    const predicate = compilePredicate(read(text), many);
    return shared.flatMap((_, at) => (predicate(at) ? [at] : []));
  };
  const rowsOf = (fits: (title: string) => boolean) => shared.flatMap((title, at) => (fits(title) ? [at] : []));
  expect(matching('title =like= "*e*9?*3"')).toEqual(rowsOf((title) => /e.*9..*3$/.test(title)));
  expect(matching('title =like= "*1*1*1*"')).toEqual(rowsOf((title) => /1.*1.*1/.test(title)));
  expect(matching('title >= "Welder 5" and title < "Welder 7"')).toEqual(
    rowsOf((title) => title >= 'Welder 5' && title < 'Welder 7'),
  );
});
