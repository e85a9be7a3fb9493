import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText } from '../../../reference/filter/index.js';
import { compilePredicate } from '../../../reference/filter/predicate.js';
import { filterCase } from './cases.js';
import { read, target } from './positions.js';
import { columnsOf, sampleRows } from './rows.js';

const ROWS = sampleRows(300, 7);
const columns = columnsOf(ROWS);

/** Row numbers that fulfil a filter. */
function rowsOf(text: string): number[] {
  const fulfils = compilePredicate(read(text), columns);
  return ROWS.flatMap((_, row) => (fulfils(row) ? [row] : []));
}
const all = ROWS.map((_, row) => row);
const complement = (rows: readonly number[]): number[] => all.filter((row) => !rows.includes(row));
const union = (one: readonly number[], other: readonly number[]): number[] =>
  all.filter((row) => one.includes(row) || other.includes(row));
const meet = (one: readonly number[], other: readonly number[]): number[] => one.filter((row) => other.includes(row));

/** Checks a law for pairs of filters of every operator and type. */
const forAll = (law: (one: string, other: string) => void): void =>
  fc.assert(
    fc.property(filterCase, filterCase, ({ text: one }, { text: other }) => law(one, other)),
    { numRuns: 80 },
  );

test('not is the complement, and twice nothing at all', () =>
  forAll((one) => {
    expect(rowsOf(`not(${one})`)).toEqual(complement(rowsOf(one)));
    expect(rowsOf(`not(not(${one}))`)).toEqual(rowsOf(one));
  }));

test('a junction is the intersection or the union of its terms, in any order', () =>
  forAll((one, other) => {
    expect(rowsOf(`(${one}) and (${other})`)).toEqual(meet(rowsOf(one), rowsOf(other)));
    expect(rowsOf(`(${one}) or (${other})`)).toEqual(union(rowsOf(one), rowsOf(other)));
    expect(rowsOf(`(${other}) and (${one})`)).toEqual(rowsOf(`(${one}) and (${other})`));
    expect(rowsOf(`(${other}) or (${one})`)).toEqual(rowsOf(`(${one}) or (${other})`));
  }));

test('the negation of a junction is the other junction of the negations', () =>
  forAll((one, other) => {
    expect(rowsOf(`not((${one}) and (${other}))`)).toEqual(rowsOf(`not(${one}) or not(${other})`));
    expect(rowsOf(`not((${one}) or (${other}))`)).toEqual(rowsOf(`not(${one}) and not(${other})`));
  }));

test('a junction of a filter with itself is the filter, and has one canonical text when it is spelled twice', () =>
  forAll((one) => {
    for (const junction of ['and', 'or']) expect(rowsOf(`(${one}) ${junction} (${one})`)).toEqual(rowsOf(one));
    const canonical = canonicalText(read(one));
    expect(canonicalText(read(`  ( ${one} ) `))).toBe(canonical);
    expect(rowsOf(canonical)).toEqual(rowsOf(one));
  }));

const SCALARS: readonly (readonly [path: string, least: string, middle: string, most: string])[] = [
  ['title', 'a', 'aab', 'b'],
  ['head_count', '-9223372036854775808', '5', '9223372036854775807'],
  ['id', '9007199254740992', '9007199254741000', '9007199254741100'],
  ['customer.id', '5', '4294967296', '9223372036854775807'],
  ['day_rate', '-1.5', '0.1', '412.5'],
  ['starts_on', '1969-12-31', '2024-02-29', '9999-12-31'],
  ['posted_at', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '2026-03-01T08:00:00.250Z'],
];

test.each(SCALARS)(
  '%s: orders, lists and ranges are what they are by single comparisons',
  (path, least, middle, most) => {
    const present = rowsOf(`${path} =null= false`);
    expect(complement(present)).toEqual(rowsOf(`${path} =null= true`));
    for (const value of [least, middle, most]) {
      const [below, equal, above] = ['<', '==', '>'].map((operator) => rowsOf(`${path} ${operator} '${value}'`));
      // Every present value is in exactly one of the three.
      expect([...(below ?? []), ...(equal ?? []), ...(above ?? [])].sort((a, b) => a - b)).toEqual(present);
      expect(rowsOf(`${path} <= '${value}'`)).toEqual(union(below ?? [], equal ?? []));
      expect(rowsOf(`${path} >= '${value}'`)).toEqual(union(above ?? [], equal ?? []));
      expect(rowsOf(`${path} != '${value}'`)).toEqual(meet(present, complement(equal ?? [])));
      expect(rowsOf(`${path} =between= ('${value}','${value}')`)).toEqual(equal);
    }
    const listed = `('${least}','${middle}','${most}')`;
    const each = [least, middle, most].map((value) => rowsOf(`${path} == '${value}'`));
    expect(rowsOf(`${path} =in= ${listed}`)).toEqual(each.reduce(union));
    expect(rowsOf(`${path} =out= ${listed}`)).toEqual(meet(present, complement(each.reduce(union))));
    expect(rowsOf(`${path} =between= ('${least}','${most}')`)).toEqual(
      meet(rowsOf(`${path} >= '${least}'`), rowsOf(`${path} <= '${most}'`)),
    );
    expect(rowsOf(`${path} =between= ('${most}','${least}')`)).toEqual([]);
  },
);

test.each(['tags', 'counts', 'rates', 'days', 'skills.id'])(
  '%s: an empty list is there, and has no entry of any kind',
  (path) => {
    const value = { tags: 'a', counts: '5', rates: '0.1', days: '2026-03-01', 'skills.id': '5' }[path] ?? '';
    const present = rowsOf(`${path} =null= false`);
    const equal = rowsOf(`${path} == '${value}'`);
    expect(equal.length).toBeGreaterThan(0);
    expect(meet(present, equal)).toEqual(equal);
    expect(rowsOf(`${path} != '${value}'`)).toEqual(meet(present, complement(equal)));
    const [below, above] = [rowsOf(`${path} < '${value}'`), rowsOf(`${path} > '${value}'`)];
    // A list may have entries on both sides, or none at all.
    const empty = meet(present, complement(union(union(below, above), equal)));
    expect(empty.length).toBeGreaterThan(0);
    expect(meet(below, above).length).toBeGreaterThan(0);
  },
);

test('a pattern without wildcards is an equality, and one of a star alone is the presence', () => {
  const words = fc.constantFrom('a', 'ab', 'Open', 'é', '😀', 'x y', '1', 'null');
  fc.assert(
    fc.property(words, (word) => {
      expect(rowsOf(`title =like= "${word}"`)).toEqual(rowsOf(`title == '${word}'`));
      const holds = rowsOf(`title =like= "*${word}*"`);
      expect(meet(rowsOf(`title =like= "${word}*"`), holds)).toEqual(rowsOf(`title =like= "${word}*"`));
      expect(meet(rowsOf(`title =like= "*${word}"`), holds)).toEqual(rowsOf(`title =like= "*${word}"`));
    }),
  );
  expect(rowsOf('title =like= "*"')).toEqual(rowsOf('title =null= false'));
});

test('every leaf that may be filtered takes a test for absence', () => {
  for (const { path, filterable } of target.leaves.values()) {
    if (!filterable || ['version', 'created_at', 'updated_at'].includes(path)) continue;
    expect([path, rowsOf(`${path} =null= true or ${path} =null= false`).length]).toEqual([path, ROWS.length]);
  }
});
