import { expect, test } from 'vitest';
import { rankTargets } from '../../gateway/target-choice.js';
import { customRoute, wine } from './edge.js';

const CALLS = 10_000;

const match = (weights: Record<string, number>, away: readonly string[] = []) => ({
  route: customRoute('r', weights),
  targets: Object.entries(weights).map(([id, weight]) => ({
    endpoint: wine(away.includes(id) ? [] : ['http://a'], { id }),
    weight,
  })),
});
const chosen = (of: ReturnType<typeof match>, key?: string): string => rankTargets(of, key)[0]?.id ?? '';
const keys = Array.from({ length: CALLS }, (_, at) => `caller ${at}`);

function expectShares(found: readonly string[], weights: Record<string, number>): void {
  for (const [id, weight] of Object.entries(weights)) {
    const share = weight / 100;
    const sigma = Math.sqrt(CALLS * share * (1 - share));
    expect(Math.abs(found.filter((each) => each === id).length - CALLS * share)).toBeLessThanOrEqual(3 * sigma);
  }
}

test.each([[{ a: 90, b: 10 }], [{ a: 50, b: 30, c: 20 }], [{ a: 0, b: 100 }], [{ a: 99, b: 1 }]])(
  'keys are given out by weight: %o',
  (weights) => {
    const of = match(weights);
    expectShares(
      keys.map((key) => chosen(of, key)),
      weights,
    );
    expect(keys.map((key) => chosen(of, key))).toEqual(keys.map((key) => chosen(of, key)));
  },
);

test('without a key chance gives out by weight', () => {
  const weights = { a: 70, b: 20, c: 10 };
  const of = match(weights);
  const found = keys.map(() => chosen(of));
  // Chance may exceed three sigma once in hundreds of runs: five is once in millions.
  for (const [id, weight] of Object.entries(weights)) {
    const share = weight / 100;
    const off = found.filter((each) => each === id).length - CALLS * share;
    expect(Math.abs(off)).toBeLessThan(5 * Math.sqrt(CALLS * share * (1 - share)));
  }
});

test('a change of weights moves the needed keys only', () => {
  const before = keys.map((key) => chosen(match({ a: 90, b: 10 }), key));
  const after = keys.map((key) => chosen(match({ a: 60, b: 40 }), key));
  const moved = keys.filter((_, at) => before[at] !== after[at]);
  expect(before.every((id, at) => id === after[at] || (id === 'a' && after[at] === 'b'))).toBe(true);
  expect(Math.abs(moved.length - 0.3 * CALLS)).toBeLessThan(3 * Math.sqrt(CALLS * 0.3 * 0.7));
});

test('a key leaves only a weight that shrank, or for one that grew', () => {
  const before = keys.map((key) => chosen(match({ a: 50, b: 25, c: 25 }), key));
  const after = keys.map((key) => chosen(match({ a: 40, b: 35, c: 25 }), key));
  const moves = new Set(before.flatMap((id, at) => (id === after[at] ? [] : [`${id}${after[at]}`])));
  expect([...moves].sort()).toEqual(['ab', 'ac', 'cb']);
});

test('a deployment that is not ready leaves its keys to the others by their weights, and gets them back', () => {
  const weights = { a: 50, b: 40, c: 10 };
  const before = keys.map((key) => chosen(match(weights), key));
  const meanwhile = keys.map((key) => chosen(match(weights, ['a']), key));
  expect(before.every((id, at) => id === 'a' || id === meanwhile[at])).toBe(true);
  expectShares(meanwhile, { a: 0, b: 80, c: 20 });
  expect(keys.map((key) => chosen(match(weights), key))).toEqual(before);
});

test('a weight of zero gets nothing, even where no other is ready', () => {
  expect(rankTargets(match({ a: 0, b: 100 }, ['b'])).map(({ id }) => id)).toEqual(['b']);
});
