import { expect, test } from 'vitest';
import { damaged } from '../../../bench/lookup/damage.js';
import { PLACE_FIELDS, sourceOf } from '../../../bench/lookup/place-source.js';
import { realPlaces } from '../../../examples/reference-data/places.js';
import { createRandom } from '../../../examples/reference-data/random.js';
import { createLookupIndex } from '../../../reference/lookup/lookup-index.js';
import { splitWords } from '../../../reference/lookup/normalization.js';

const all = realPlaces();
const sample = all.filter((_, at) => at % 54 === 0); // 2,505 places
const indexOf = (rows: typeof all, order: Iterable<number> = rows.keys()) =>
  createLookupIndex({ fields: PLACE_FIELDS, source: sourceOf(rows), rows: order });

/** Beginnings of one to four letters of every word of every name, with the rows that have such a word. */
function rowsByBeginning(rows: typeof all): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const [row, { name }] of rows.entries()) {
    for (const word of splitWords(name)) {
      for (let length = 1; length <= Math.min(4, word.length); length += 1) {
        const beginning = word.slice(0, length);
        found.set(beginning, (found.get(beginning) ?? new Set()).add(row));
      }
    }
  }
  return found;
}

test('every row is found by every beginning of one to four letters of every word of its name', () => {
  const index = indexOf(sample);
  const expected = rowsByBeginning(sample);
  expect(expected.size).toBeGreaterThan(3_000);
  const byName = new Set(['exact', 'name_prefix', 'words_in_order']);
  for (const [beginning, rows] of expected) {
    const left = new Set(rows);
    // Page after page of rows not seen yet, until no row is found by its name.
    const seen = new Set<number>();
    for (;;) {
      const { hits } = index.query(beginning, { limit: 50, accept: (row) => !seen.has(row) });
      const named = hits.filter(({ bucket }) => byName.has(bucket));
      for (const { row } of named) {
        seen.add(row);
        if (!left.delete(row)) throw new Error(`${sample[row]?.name} found by "${beginning}"`);
      }
      if (named.length < 50) break;
    }
    expect({ beginning, missing: [...left] }).toEqual({ beginning, missing: [] });
  }
});

test('the order in which rows came does not show in the answers', () => {
  const random = createRandom(3);
  const keys = [...sample.keys()];
  const shuffled = keys.map((key) => ({ key, place: random() })).sort((one, other) => one.place - other.place);
  const one = indexOf(sample, keys);
  const other = indexOf(
    sample,
    shuffled.map(({ key }) => key),
  );
  for (const query of ['', 's', 'sa', 'san', 'santa m', 'villa', 'brazil', 'brasil', 'nwe', 'port saint', 'de la x']) {
    expect(other.query(query, { limit: 50 })).toEqual(one.query(query, { limit: 50 }));
  }
});

test('of 1,000 names with one slip each, at least 95 % are in the answer, and 99 % among all that match', () => {
  const index = indexOf(all);
  const random = createRandom(11);
  const named = all.filter(({ name }) => splitWords(name).some((word) => word.length >= 4));
  let [answered, matching] = [0, 0];
  for (let turn = 0; turn < 1_000; turn += 1) {
    const { name } = named[Math.floor(random() * named.length)] ?? { name: '' };
    const words = splitWords(name).join(' ');
    const isWanted = (row: number) => splitWords(all[row]?.name ?? '').join(' ') === words;
    const typed = damaged(name, random);
    if (index.query(typed, { limit: 50 }).hits.some(({ row }) => isWanted(row))) answered += 1;
    const [only] = index.query(typed, { limit: 1, accept: isWanted }).hits;
    if (only && only.bucket !== 'partial') matching += 1;
  }
  expect(answered).toBeGreaterThanOrEqual(950);
  expect(matching).toBeGreaterThanOrEqual(990);
});
