import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { places } from '../../examples/reference-data/places.js';
import { REAL_PLACES, sample } from '../../examples/reference-data/sample.js';
import { parseJson } from '../../reference/rows/json.js';
import { readRow } from '../../reference/rows/row.js';
import { BUILT_IN_DATASETS } from '../../reference/dataset/built-in-datasets.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';

const datasets = sample();
const hashOf = (lines: Iterable<string>) => {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex');
};
/** Names of countries are those of the ICU that Node brings along. */
function* withoutCountryNames(lines: Iterable<string>) {
  for (const line of lines) yield line.replace(/"country_name":"[^"]*",/, '');
}

test('the same seeds give the same bytes', () => {
  expect(datasets.map(({ name, rows, lines }) => [name, rows, hashOf(withoutCountryNames(lines()))])).toEqual([
    ['locations', 135_233, '730cbf06d3de54a9ab3bee4d93ceea95058f9fa41f6dba9646b27ff001dd77c6'],
    ['skills', 600, 'f72a1acbd55394c0e9ec207afa11ea29b9857b577d2018d5b0d40fd423ea233a'],
    ['positions', 20_000, 'b2d16f28c0414685dde488f12c2d416b0c12e6c6cf700dab8c3ce050346c8a69'],
  ]);
});

test('every row fits its declaration, has an id of its own and refers to rows that there are', () => {
  const ids = new Map<string, Set<string>>();
  for (const { name, rows, lines } of datasets) {
    const { spec } = acceptDataset(name, { spec: BUILT_IN_DATASETS.get(name) });
    const own = new Set<string>();
    for (const line of lines()) {
      const row = parseJson(line) as { id: string; location?: { id: string }; skills?: { id: string }[] };
      const result = readRow(spec, row);
      if (!result.ok) throw new Error(`${line}: ${JSON.stringify(result.problems)}`);
      own.add(row.id);
      for (const { id } of row.skills ?? []) if (!ids.get('skills')?.has(id)) throw new Error(line);
      if (row.location && !ids.get('locations')?.has(row.location.id)) throw new Error(line);
    }
    expect(own.size).toBe(rows);
    ids.set(name, own);
  }
  for (const name of ['skills', 'positions']) {
    for (const id of ids.get(name) ?? []) expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
  }
});

test('more places than there are: the real ones come first, made ones have ids and names of their own', () => {
  const more = places(REAL_PLACES + 5_000);
  expect(more).toHaveLength(REAL_PLACES + 5_000);
  expect(new Set(more.map(({ id }) => id)).size).toBe(more.length);
  expect(more.slice(REAL_PLACES)).toEqual(places(REAL_PLACES + 5_000).slice(REAL_PLACES));
  expect(places(3)).toEqual(more.slice(0, 3));
  expect(more.find(({ country }) => country === 'BR')?.countryName).toBe('Brazil');
});
