import { expect, test } from 'vitest';
import { createDoorkeeper } from '../../../reference/filter/doorkeeper.js';
import { isKept, requireFilter } from '../../../reference/filter/index.js';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `size == ${from + at}`);

test('a text that came before is known, and nearly all others are not', () => {
  const comesAgain = createDoorkeeper();
  const texts = range(0, 1_000);
  expect(texts.filter((text) => comesAgain(text)).length).toBeLessThan(50);
  expect(texts.every((text) => comesAgain(text))).toBe(true);
});

test('a new text is distinguished from a repeated one, however many came in between', () => {
  const comesAgain = createDoorkeeper();
  for (const text of range(0, 100_000)) comesAgain(text);
  const texts = range(200_000, 201_000);
  expect(texts.filter((text) => comesAgain(text)).length).toBeLessThan(250);
});

test('a filter is kept from the second time on', () => {
  const spec = DatasetSpec.parse({ fields: { size: { type: 'integer' } } });
  const target = { dataset: 'places', leaves: leavesOf(spec) };
  const [first, second, third] = [1, 2, 3].map(() => requireFilter('size == 5', target));
  if (first === undefined || second === undefined) throw new Error('it was not read');
  expect([isKept(first), isKept(second)]).toEqual([false, true]);
  expect(second).toEqual(first);
  expect(third).toBe(second);
});
