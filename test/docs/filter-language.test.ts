import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventLeavesOf } from '../../notifications/events/event-row.js';
import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { geoPointsOf } from '../../reference/dataset/geo-point.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';
import { type FilterTarget, parseFilter } from '../../reference/filter/index.js';
import { FILTER_LIMITS } from '../../reference/filter/limits.js';
import { operatorSpellings } from '../../reference/filter/operators.js';

const page = await readFile('docs/reference/filter-language.md', 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(/^```(\S+)\n([\s\S]*?)^```/gm)].flatMap(([, name, text = '']) => (name === language ? [text] : []));
const filtersIn = (language: string): string[] =>
  blocks(language).flatMap((text) => text.split('\n').filter((line) => line !== ''));

const { spec } = acceptDataset('positions', { spec: JSON.parse(blocks('json')[0] ?? '') });
const leaves = leavesOf(spec);
const rows: FilterTarget = { dataset: 'positions', leaves, points: geoPointsOf(spec, leaves) };
const events: FilterTarget = { dataset: 'positions', leaves: eventLeavesOf(spec) };
const codesOf = (filter: string, target: FilterTarget): string[] => {
  const result = parseFilter(filter, target);
  return result.ok ? [] : result.problems.map(({ code }) => code);
};

test.each(filtersIn('filter'))('%s is a filter of the declared fields', (filter) => {
  expect(codesOf(filter, rows)).toEqual([]);
});

test.each(filtersIn('event-filter'))('%s is a filter of events', (filter) => {
  expect(codesOf(filter, events)).toEqual([]);
});

const mistakes = [...page.matchAll(/^\| `(.+)` \| `(filter\.[a-z_]+)` \|$/gm)];
test.each(mistakes.map(([, filter = '', code = '']) => [filter, code] as const))('%s is %s', (filter, code) => {
  expect(codesOf(filter, rows)).toEqual([code]);
});

test('the page has every operator, every limit and enough examples', () => {
  const words = new Set([...page.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word));
  expect(operatorSpellings.filter((spelling) => !words.has(spelling))).toEqual([]);
  const numbers = Object.values(FILTER_LIMITS).map((limit) => `| ${limit.toLocaleString('en')}`);
  expect(numbers.filter((number) => !page.includes(number))).toEqual([]);
  expect([filtersIn('filter').length > 15, filtersIn('event-filter').length > 1, mistakes.length > 5]).toEqual([
    true,
    true,
    true,
  ]);
});
