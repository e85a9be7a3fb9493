import { expect, test } from 'vitest';
import fc from 'fast-check';
import { PLACE_FIELDS, sourceOf } from '../../../bench/lookup/place-source.js';
import { realPlaces } from '../../../examples/reference-data/places.js';
import { createLookupIndex } from '../../../reference/lookup/lookup-index.js';

const rows = realPlaces().filter((_, at) => at % 20 === 0);
const source = sourceOf(rows);
const index = createLookupIndex({ fields: PLACE_FIELDS, source, rows: rows.keys() });

// prettier-ignore
const HOSTILE: Record<string, string> = {
  '200 letters':           'a'.repeat(200),
  '200 different letters': Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''),
  '100 words':             'san '.repeat(100),
  'long words':            'saintpetersburg '.repeat(12),
  'words of one letter':   'a b c d e f g h i j',
  'punctuation':           '!"#$%&()*+,-./:;<=>?@[]^_{|}~'.repeat(7),
  'emoji':                 '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(14),
  'lone surrogates':       '\ud800a\udc00b\udbff'.repeat(40),
  'right to left':         '\u202eسان\u202c פריז '.repeat(10),
  'stacked marks':         `p${'\u0301\u0322\u0489'.repeat(65)}aris`,
  'unfolds eighteenfold':  '\ufdfa'.repeat(200),
  'prototype':             '__proto__ constructor toString',
  'null characters':       'pa\u0000ris',
  'pattern':               '(a+)+$ .* [a-z]{1000}',
};
test.each(Object.entries(HOSTILE))('%s', (_, text) => {
  const { query, hits } = index.query(text, { limit: 50 });
  expect(query.text).toBe(text);
  for (const { row, field, ranges } of hits) {
    const [value = ''] = source(row).texts(field);
    for (const [start, end] of ranges) {
      expect(start).toBeLessThan(end);
      expect(end).toBeLessThanOrEqual(value.length);
    }
  }
});

test('any text is answered, with ranges that rise and stay in the value', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('a', 'e', 's', 'n', ' ', '-', 'ã', '\u0303'),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      for (const { row, field, ranges } of index.query(text, { limit: 50 }).hits) {
        const ends = [0, ...ranges.flat(), source(row).texts(field)[0]?.length ?? 0];
        expect(ends).toEqual([...ends].sort((one, other) => one - other));
      }
    }),
    { numRuns: 300 },
  );
});

test('any text can be the name of a row, and the row is found by it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), (name) => {
      const one = createLookupIndex({
        fields: PLACE_FIELDS,
        source: sourceOf([{ id: 1n, name, countryName: '', adminCode: '', population: 0 }]),
        rows: [0],
      });
      const [hit] = one.query(name).hits;
      expect(['exact', 'popular', 'name_prefix']).toContain(hit?.bucket); // of many words only the first ten count
    }),
    { numRuns: 300 },
  );
});

test('a word as long as a row may be is indexed and found', () => {
  const name = 'x'.repeat(60_000);
  const place = { id: 1n, name, countryName: '', adminCode: '', population: 0 };
  const one = createLookupIndex({ fields: PLACE_FIELDS, source: sourceOf([place]), rows: [0] });
  expect(one.query('xxx').hits).toMatchObject([{ row: 0, ranges: [[0, 3]] }]);
});
