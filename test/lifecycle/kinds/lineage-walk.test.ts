import { expect, test } from 'vitest';
import { walkLineage } from '../../../lifecycle/kinds/lineage-walk.js';

const edge = (from: string, to: string) => ({ from, to, relation: 'made' });
/** Data a and b make training t, which makes model m, which makes package p. */
const edges = [edge('a', 't'), edge('b', 't'), edge('t', 'm'), edge('m', 'p')];
const walk = (direction: 'upstream' | 'downstream' | 'both', limit = 100) =>
  walkLineage(edges, { root: ['t'], direction, limit });

test('ancestors, descendants or both are kept', () => {
  expect([...walk('upstream').kept]).toEqual(['t', 'a', 'b']);
  expect([...walk('downstream').kept]).toEqual(['t', 'm', 'p']);
  expect([...walk('both').kept].sort()).toEqual(['a', 'b', 'm', 'p', 't']);
});

test('of too many nodes the nearest on both sides are kept', () => {
  expect(walk('both', 4)).toEqual({ kept: new Set(['t', 'a', 'b', 'm']), truncated: true });
  expect(walk('both', 5).truncated).toBe(false);
});

test('a cycle ends', () => {
  const cycle = [edge('t', 'm'), edge('m', 't')];
  expect([...walkLineage(cycle, { root: ['t'], direction: 'both', limit: 100 }).kept]).toEqual(['t', 'm']);
});
