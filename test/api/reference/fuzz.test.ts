import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzFilters } from './fuzz-filters.js';
import { startTestGraph } from './graph-data.js';
import type { TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestGraph();
});
afterAll(() => api.stop());

test('random filters are answered or refused with a reason, by REST and graph alike', async () => {
  const { found, refused } = await fuzzFilters(api, { count: 1_000, seed: 1 });
  expect(found).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
  expect(api.lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
