import { expect, test } from 'vitest';
import fc from 'fast-check';
import { buildSparseTable } from '../../../reference/lookup/sparse-table.js';
import { Intersections } from '../../../reference/lookup/intersections.js';
import { smallestValues, type ListRange } from '../../../reference/lookup/k-way-merge.js';

const VALUES = 3_000;

/** A list of values below a bound, some twice, cut into stretches of which one may be left out. */
const source = fc
  .record({ every: fc.integer({ min: 1, max: 40 }), twice: fc.boolean(), cuts: fc.array(fc.nat(), { maxLength: 3 }) })
  .map(({ every, twice, cuts }): ListRange[] => {
    const values = Array.from({ length: Math.ceil(VALUES / every) }, (_, at) => at * every);
    const list = buildSparseTable(Uint32Array.from(twice ? [...values, ...values] : values));
    const ends = [0, ...cuts.map((cut) => cut % list.values.length), list.values.length].sort((one, two) => one - two);
    return ends.slice(1).map((high, at) => ({ list, low: ends[at] ?? 0, high }));
  });
const valuesOf = (stretches: readonly ListRange[]) =>
  new Set(stretches.flatMap(({ list, low, high }) => [...list.values.subarray(low, high)]));

test('what several sources share is found in rising order, whichever of them are asked together', () => {
  const question = fc.record({
    which: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
    limit: fc.integer({ min: 1, max: 50 }),
    every: fc.integer({ min: 1, max: 700 }),
  });
  fc.assert(
    fc.property(fc.array(source, { minLength: 1, maxLength: 5 }), fc.array(question), (sources, questions) => {
      const marks = new Uint8Array(VALUES);
      const shared = new Intersections(marks);
      for (const { which, limit, every } of questions) {
        const asked = which.map((at) => sources[at % sources.length] ?? []);
        const held = asked.map(valuesOf);
        const accepts = (value: number) => value % every === 0 && held.every((values) => values.has(value));
        const expected = Array.from({ length: VALUES }, (_, value) => value).filter(accepts);
        expect(smallestValues({ sources: asked, shared, limit, accepts })).toEqual(expected.slice(0, limit));
        expect(marks.every((mark) => mark === 0)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('what two sources share is looked for once', () => {
  const values = (every: number) => Uint32Array.from({ length: VALUES / every }, (_, at) => at * every);
  const [even, third, fifth] = [2, 3, 5].map((every) => [
    { list: { values: values(every) }, low: 0, high: VALUES / every },
  ]);
  if (!even || !third || !fifth) throw new Error('three lists were made');
  const shared = new Intersections(new Uint8Array(VALUES));
  expect(shared.of([even, third, fifth])).toBe(shared.of([fifth, even, third]));
  expect(shared.of([third, fifth])[0]?.high).toBe(VALUES / 15);
});
