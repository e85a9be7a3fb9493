import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { createColumn, type ListColumn, setValue } from '../../../reference/columns/column.js';
import { withCapacity } from '../../../reference/columns/growing-array.js';
import { setList } from '../../../reference/columns/list-column.js';
import { createPostings } from '../../../reference/columns/postings.js';
import { createRecentRows } from '../../../reference/columns/recent-rows.js';
import { leafOf } from './typed-leaf.js';

const VALUES = ['a', 'b', 'c', 'd', 'never'];

/** Postings over rows that are set at random, with the plain values beside them. */
function posted(list: boolean) {
  const column = createColumn(leafOf('text', { list }));
  const recent = createRecentRows();
  const postings = createPostings(column, recent);
  if (postings === undefined) throw new Error('texts have postings');
  const model = new Map<number, readonly string[]>();
  return {
    postings,
    recent,
    model,
    set: (row: number, values: readonly string[]) => {
      if (column.kind === 'list') setList(column satisfies ListColumn, row, values);
      else setValue(column, row, values[0]);
      model.set(row, list ? values : values.slice(0, 1));
      recent.add(row);
    },
    visited: (value: string): number[] => {
      const rows: number[] = [];
      const code = postings.find(value);
      if (code >= 0) postings.each(code, (row) => void rows.push(row));
      return rows;
    },
  };
}

test.each([true, false])('each row that holds a value is visited, however it lags; lists: %s', (list) => {
  const { below, pick } = createDraw(list ? 3 : 4);
  const { postings, recent, model, set, visited } = posted(list);
  for (let step = 0; step < 300; step += 1) {
    set(
      below(50),
      Array.from({ length: below(3) }, () => pick(VALUES.slice(0, 4))),
    );
    if (below(40) === 0) {
      postings.rebuild(50);
      expect(postings.lag()).toBe(0);
    }
    if (below(60) === 0) recent.forget(postings.builtAt());
    if (below(10) > 0) continue;
    for (const value of VALUES) {
      const rows = visited(value);
      const holding = [...model].filter(([, values]) => values.includes(value)).map(([row]) => row);
      expect([value, holding.filter((row) => !rows.includes(row))]).toEqual([value, []]);
      const code = postings.find(value);
      expect(code < 0 ? 0 : postings.count(code)).toBe(rows.length);
    }
  }
});

test('right after a rebuild exactly the rows that hold a value are visited, in order', () => {
  const { below, pick } = createDraw(8);
  const { postings, model, set, visited } = posted(false);
  for (let step = 0; step < 300; step += 1) set(below(80), below(5) === 0 ? [] : [pick(VALUES.slice(0, 4))]);
  postings.rebuild(80);
  for (const value of VALUES) {
    const holding = [...model].filter(([, values]) => values.includes(value)).map(([row]) => row);
    expect(visited(value)).toEqual(holding.sort((one, other) => one - other));
  }
});

test('memory of the overlay ends with a rebuild', () => {
  const { postings, set, visited } = posted(false);
  postings.rebuild(0);
  const empty = postings.sizeBytes();
  for (let row = 0; row < 100; row += 1) set(row, ['a']);
  visited('a');
  const lagging = postings.sizeBytes();
  postings.rebuild(100);
  expect(lagging).toBeGreaterThan(empty + 5_000);
  expect(postings.sizeBytes()).toBeLessThan(lagging / 2);
});

test('only coded values have postings', () => {
  const recent = createRecentRows();
  const has = (type: Parameters<typeof leafOf>[0], list = false) =>
    createPostings(createColumn(leafOf(type, { list })), recent) !== undefined;
  expect((['text', 'enum', 'id'] as const).map((type) => has(type))).toEqual([true, true, true]);
  expect((['integer', 'decimal', 'boolean', 'date', 'timestamp'] as const).map((type) => has(type))).toEqual(
    Array.from({ length: 5 }, () => false),
  );
  expect([has('text', true), has('id', true), has('date', true)]).toEqual([true, true, false]);
});

test('recent rows are listed from any time that was not forgotten', () => {
  const recent = createRecentRows();
  const all = Array.from({ length: 5_000 }, (_, at) => (at * 7) % 100);
  all.forEach((row, at) => {
    recent.add(row);
    if (at === 2_000) recent.forget(1_500);
  });
  expect(recent.now()).toBe(5_000);
  for (const time of [1_500, 2_000, 4_999, 5_000]) expect([...recent.since(time)]).toEqual(all.slice(time));
  recent.forget(1_000); // earlier than before: nothing to do
  expect([...recent.since(1_500)]).toEqual(all.slice(1_500));
  const before = recent.sizeBytes();
  recent.forget(5_000);
  expect([...recent.since(5_000)]).toEqual([]);
  expect(recent.sizeBytes()).toBeLessThan(before);
  recent.add(42);
  expect([...recent.since(5_000)]).toEqual([42]);
});

test.each([
  ['a long enough one is the same', 8, 8, 8],
  ['a short one becomes at least a thousand long', 0, 1, 1_024],
  ['a larger one grows by half', 2_000, 2_001, 3_000],
  ['as long as asked for', 2_000, 9_000, 9_000],
])('an array with capacity: %s', (_, length, wanted, expected) => {
  const array = new Int32Array(length).fill(5);
  const grown = withCapacity(array, wanted, -1);
  expect(grown).toHaveLength(expected);
  expect(grown === array).toBe(wanted <= length);
  expect([...grown].every((value, at) => value === (at < length ? 5 : -1))).toBe(true);
});

test('an array keeps its type when it grows', () => {
  expect(withCapacity(new Float64Array([1.5]), 2, NaN)[0]).toBe(1.5);
  expect(withCapacity(new Float64Array([1.5]), 2, NaN)[1]).toBeNaN();
  expect(withCapacity(new Uint8Array(1), 2)).toBeInstanceOf(Uint8Array);
});
