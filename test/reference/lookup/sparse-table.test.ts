import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { buildSparseTable, minimumAt, sparseTableBytes } from '../../../reference/lookup/sparse-table.js';

/** The first position of the least value in a range. */
function leastIn(values: Uint32Array, low: number, high: number): number {
  let best = low;
  for (let at = low; at < high; at += 1) if ((values[at] ?? 0) < (values[best] ?? 0)) best = at;
  return best;
}

test('each range of short lists has its first least value, whatever the blocks', () => {
  const { below } = createDraw(61);
  for (const length of [1, 2, 31, 32, 33, 63, 64, 65, 96, 97]) {
    const values = Uint32Array.from({ length }, () => below(20));
    const table = buildSparseTable(values);
    for (let low = 0; low < length; low += 1) {
      for (let high = low + 1; high <= length; high += 1) {
        const found = minimumAt(table, low, high);
        if (found !== leastIn(values, low, high)) expect([length, low, high, found]).toBe(leastIn(values, low, high));
      }
    }
  }
});

test('ranges of a long list, with large values and many equal ones', () => {
  const { below } = createDraw(62);
  for (const spread of [2, 2 ** 32]) {
    const values = Uint32Array.from({ length: 5_000 }, () => below(spread));
    const table = buildSparseTable(values);
    for (let round = 0; round < 400; round += 1) {
      const low = below(values.length);
      const high = low + 1 + below(values.length - low);
      const found = minimumAt(table, low, high);
      expect([found >= low && found < high, values[found]]).toEqual([true, values[leastIn(values, low, high)]]);
    }
  }
});

test('a table takes a small part of the memory of its list', () => {
  const values = new Uint32Array(100_000);
  const bytes = sparseTableBytes(buildSparseTable(values));
  expect(bytes).toBeGreaterThan(values.byteLength);
  expect(bytes).toBeLessThan(values.byteLength * 1.5);
  expect(sparseTableBytes(buildSparseTable(new Uint32Array(0)))).toBe(0);
});
