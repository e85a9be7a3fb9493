import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIdFilter } from '../../../lifecycle/stores/id-filter.js';

const hashOf = (id: string): Buffer => createHash('sha256').update(id).digest().subarray(0, 8);

test.each([0, 1, 1_000])('a filter for %i ids denies no member', (expected) => {
  const filter = createIdFilter(expected);
  const members = Array.from({ length: 1_000 }, (_, index) => hashOf(`member ${index}`));
  for (const hash of members) filter.add(hash);
  expect(members.every((hash) => filter.has(hash))).toBe(true);
});

test('few strangers pass a filter of the expected size', () => {
  const filter = createIdFilter(2_000);
  for (let index = 0; index < 2_000; index += 1) filter.add(hashOf(`member ${index}`));
  const passed = Array.from({ length: 5_000 }, (_, index) => filter.has(hashOf(`stranger ${index}`)));
  expect(passed.filter(Boolean).length / passed.length).toBeLessThan(0.03);
});

test('an empty filter has nothing, and an addition can be repeated', () => {
  const filter = createIdFilter(10);
  const hash = hashOf('a');
  expect(filter.has(hash)).toBe(false);
  filter.add(hash);
  filter.add(hash);
  expect([filter.has(hash), filter.has(hashOf('b'))]).toEqual([true, false]);
});

test.each([Buffer.alloc(8), Buffer.alloc(8, 0xff)])('the outermost hashes are members like others', (hash) => {
  const filter = createIdFilter(100);
  expect(filter.has(hash)).toBe(false);
  filter.add(hash);
  expect(filter.has(hash)).toBe(true);
});
