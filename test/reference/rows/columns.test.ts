import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createColumns, parseStoredRow } from '../../../reference/columns/index.js';
import { createIdDictionary } from '../../../reference/columns/id-dictionary.js';
import { fromHalves, toHalves } from '../../../reference/columns/int64.js';
import { compareBytes, createTextDictionary, prefixOf } from '../../../reference/columns/text-dictionary.js';
import { createTextRanks } from '../../../reference/columns/text-ranks.js';
import { finish } from '../../../reference/lookup/steps.js';
import { requireFilter } from '../../../reference/filter/index.js';
import { compilePredicate } from '../../../reference/filter/predicate.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { acceptDataset } from '../../../reference/dataset/dataset-validation.js';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test('an integer is the same as its halves, however it comes', () => {
  fc.assert(
    fc.property(fc.oneof(int64, fc.maxSafeInteger().map(BigInt)), (value) => {
      const halves = toHalves(value);
      const safe = BigInt(Number(value)) === value && Number.isSafeInteger(Number(value));
      return (
        fromHalves(halves.high, halves.low) === value &&
        halves.high === toHalves(String(value)).high &&
        halves.low === toHalves(String(value)).low &&
        (!safe || (toHalves(Number(value)).high === halves.high && toHalves(Number(value)).low === halves.low))
      );
    }),
    { numRuns: 5_000 },
  );
});

test('texts get numbers, are found by them and ordered by code point', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 }).filter((each) => !/\p{Surrogate}/u.test(each));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3_000 }), text, (texts, other) => {
      const dictionary = createTextDictionary();
      const codes = new Map(texts.map((each) => [each, dictionary.intern(each)]));
      expect([...codes.values()]).toEqual([...codes.keys()].map((_, at) => at));
      expect([...codes.keys()].map((each) => dictionary.find(each))).toEqual([...codes.values()]);
      expect([...codes.values()].map((code) => dictionary.text(code))).toEqual([...codes.keys()]);
      expect(dictionary.find(other)).toBe(codes.get(other) ?? -1);
      const bytes = dictionary.bytes();
      const sorted = [...codes.values()]
        .sort((one, two) => compareBytes(bytes, one, two))
        .map((code) => dictionary.text(code));
      expect(sorted).toEqual([...codes.keys()].sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two))));
    }),
    { numRuns: 30 },
  );
});

test('the number of a text is never larger than that of a later text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '東', '😀', '\u{10ffff}'), maxLength: 8 });
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 2, maxLength: 50 }), (texts) => {
      const dictionary = createTextDictionary();
      for (const each of texts) dictionary.intern(each);
      const bytes = dictionary.bytes();
      const numbers = texts
        .toSorted((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)))
        .map((each) => prefixOf(bytes, dictionary.find(each)));
      expect(numbers).toEqual(numbers.toSorted((one, two) => one - two));
    }),
    { numRuns: 500 },
  );
  const dictionary = createTextDictionary();
  const [one, two] = ['Crane 1', 'Crane 2'].map((each) => prefixOf(dictionary.bytes(), dictionary.intern(each)));
  expect(one).toBe(two);
  expect(prefixOf(dictionary.bytes(), dictionary.intern('Cranf'))).toBeGreaterThan(one ?? Infinity);
});

test('many texts and ids keep their numbers while the tables grow', () => {
  const [texts, ids] = [createTextDictionary(), createIdDictionary()];
  for (let at = 0; at < 20_000; at += 1) {
    if (texts.intern(`text ${at}`) !== at || ids.intern(BigInt(at) << 40n) !== at) throw new Error(String(at));
  }
  for (let at = 0; at < 20_000; at += 1) {
    if (texts.find(`text ${at}`) !== at || ids.find(String(BigInt(at) << 40n)) !== at) throw new Error(String(at));
  }
  expect([texts.find('text'), ids.find(1n), ids.value(3)]).toEqual([-1, -1, 3n << 40n]);
});

const { spec } = acceptDataset('rows', {
  spec: {
    fields: {
      constructor: { type: 'integer' },
      hidden: { type: 'text', filterable: false, sortable: false },
      marks: { type: 'list', of: { type: 'integer' } },
      tags: { type: 'list', of: { type: 'text' } },
    },
  },
});
const target = { dataset: 'rows', leaves: leavesOf(spec) };
const row = (fields: string) =>
  parseStoredRow(
    `{"id":"7"${fields},"version":3,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-02T00:00:00.000Z"}`,
  );

test('the members that every row has are columns too, and only what may be used is one', () => {
  const columns = createColumns(target.leaves);
  columns.set(0, row(''));
  const holds = (text: string) => compilePredicate(requireFilter(text, target), columns)(0);
  for (const text of [
    'id == 7',
    'version == 3',
    'version < 4',
    'created_at == 2026-01-01T01:00:00+01:00',
    'updated_at > 2026-01-01T23:59:59.999Z',
    'constructor =null= true',
  ]) {
    expect([text, holds(text)]).toEqual([text, true]);
  }
  for (const text of ['id == 8', 'version =null= true', 'created_at > 2026-01-01T00:00:00Z', 'constructor == 0']) {
    expect([text, holds(text)]).toEqual([text, false]);
  }
  expect(columns.column('hidden')).toBeUndefined();
});

test('integers keep their digits from the stored text on', () => {
  const columns = createColumns(target.leaves);
  columns.set(0, row(',"constructor":9007199254740993'));
  columns.set(1, row(',"constructor":-9223372036854775808,"marks":[9007199254740993,1]'));
  const found = (text: string) => [0, 1].filter(compilePredicate(requireFilter(text, target), columns));
  expect(found('constructor == 9007199254740993')).toEqual([0]);
  expect(found('constructor == 9007199254740992')).toEqual([]);
  expect(found('constructor < -9223372036854775807')).toEqual([1]);
  expect(found('marks == 9007199254740993')).toEqual([1]);
  expect(found('marks > 9007199254740993')).toEqual([]);
});

test('memory stays in proportion when rows are set again and again', () => {
  const columns = createColumns(target.leaves);
  const texts = Array.from({ length: 50 }, (_, at) => row(`,"tags":["a${at}","b","c"],"marks":[1,2,${at}]`));
  const fill = (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (let at = 0; at < 1_000; at += 1) columns.set(at, texts[(at + round) % 50] ?? {});
      columns.maintain();
    }
    return columns.sizeBytes();
  };
  const first = fill(30);
  expect(fill(50)).toBeLessThan(first * 2);
  const predicate = compilePredicate(requireFilter('tags == a7 and marks == 7', target), columns);
  const found = Array.from({ length: 1_000 }, (_, at) => at).filter(predicate);
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => ((7 - 49 + 50) % 50) + 50 * at));
});

test('a predicate that was compiled before goes on with what it saw', () => {
  const columns = createColumns(target.leaves);
  const one = row(',"tags":["old"],"constructor":1');
  columns.set(0, one);
  const predicate = compilePredicate(requireFilter('tags == old and constructor == 1', target), columns);
  for (let at = 1; at < 20_000; at += 1) columns.set(at, one);
  expect([predicate(0), predicate(15_000)]).toEqual([true, false]);
});

test('texts have numbers in their order, those that came since they were sorted between the others', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '東', '😀'), maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 2, maxLength: 200 }), fc.nat(200), (texts, first) => {
      const dictionary = createTextDictionary();
      const ranks = createTextRanks(dictionary);
      expect(ranks.rank()).toBeUndefined();
      for (const each of texts.slice(0, first)) dictionary.intern(each);
      finish(ranks.sorting() ?? fail('they are not sorted'));
      for (const each of texts.slice(first)) dictionary.intern(each);
      const rank = ranks.rank() ?? fail('they are sorted');
      const bytes = dictionary.bytes();
      const codes = texts.map((each) => dictionary.find(each));
      const byRank = codes.toSorted((one, two) => rank(one) - rank(two) || compareBytes(bytes, one, two));
      expect(byRank).toEqual(codes.toSorted((one, two) => compareBytes(bytes, one, two)));
      expect(new Set(codes.filter((code) => code < first).map(rank)).size).toBe(Math.min(first, texts.length));
    }),
    { numRuns: 200 },
  );
});

test('texts are sorted again when many were added, one sort at a time, without disturbing running orders', () => {
  const dictionary = createTextDictionary();
  const ranks = createTextRanks(dictionary);
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) dictionary.intern(`text ${(at * 7_919) % 20_000}`);
  };
  const places = (count: number, rank = ranks.rank() ?? fail('they are sorted')) =>
    Array.from({ length: count }, (_, code) => rank(code));
  add(0, 5_000);
  finish(ranks.sorting() ?? fail('they are not sorted'));
  const before = ranks.rank();
  const placesBefore = places(5_000);
  expect(ranks.sorting()).toBeUndefined();
  add(5_000, 9_000);
  expect(ranks.sorting()).toBeUndefined();
  add(9_000, 10_000);
  const steps = ranks.sorting() ?? fail('many came');
  steps.next();
  expect(ranks.sorting()).toBeUndefined();
  finish(steps);
  expect(places(5_000, before)).toEqual(placesBefore);
  const sorted = Array.from({ length: 10_000 }, (_, code) => code).sort((one, two) =>
    compareBytes(dictionary.bytes(), one, two),
  );
  expect(places(10_000)).toEqual(sorted.reduce<number[]>((all, code, at) => ((all[code] = at), all), []));
  expect(ranks.sizeBytes()).toBe(80_000);
});

function fail(message: string): never {
  throw new Error(message);
}
