import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { readReferencePages } from '../../docs/tables/pages.js';

const pages = await readReferencePages();

test.each(pages.map((page) => [relative(process.cwd(), page.path), page] as const))(
  '%s has the tables of the code; `npm run docs` renews them',
  (_, { found, renewed }) => {
    expect(found).toBe(renewed);
  },
);

test('a cell of a generated table has at most 160 characters', () => {
  const cells = pages.flatMap(({ renewed }) => renewed.split('\n').flatMap((line) => line.split(' | ')));
  expect(cells.filter((cell) => cell.startsWith('|') && cell.length > 164)).toEqual([]);
});
