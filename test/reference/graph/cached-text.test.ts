import { expect, test } from 'vitest';
import {
  type CachedText,
  type Dependencies,
  type DatasetVersions,
  isValidAt,
  mergeDependencies,
  NO_DEPENDENCIES,
  type RowDependency,
  versionsOf,
} from '../../../reference/graph/cached-text.js';
import type { DatasetView } from '../../../reference/graph/index.js';
import { createRowStore, type RowStore } from '../../../reference/rows/row-store.js';

/** Adds a state of an entity; at the position of the same number. */
const add = (rows: RowStore, id: bigint, from: number, deleted = false): number =>
  rows.add({ id, version: from, from, bytes: Buffer.from(`{"id":"${id}"}`), deleted });

const dependencyOf = (rows: RowStore, row: number): RowDependency => ({ rows, row, from: rows.from(row) });
const at = (rows: RowStore, version: number): DatasetVersions => [{ rows, version }];
const textOf = (seen: DatasetVersions, reads: Dependencies): CachedText => ({ text: '{}', seen, reads });

test('a text without other rows is valid at every version', () => {
  const rows = createRowStore();
  const kept = textOf(at(rows, 1), NO_DEPENDENCIES);
  for (const version of [1, 2, 100]) expect([version, isValidAt(kept, at(rows, version))]).toEqual([version, true]);
});

test('a text is valid exactly at the versions that show the rows it was written of', () => {
  const rows = createRowStore();
  const one = add(rows, 1n, 5);
  add(rows, 2n, 6);
  add(rows, 1n, 10); // replaces the first
  const reads = [dependencyOf(rows, one)];
  for (const [version, valid] of [
    [4, false],
    [5, true],
    [6, true],
    [9, true],
    [10, false],
    [11, false],
  ] as const) {
    expect([version, isValidAt(textOf(at(rows, 5), reads), at(rows, version))]).toEqual([version, valid]);
  }
});

test('a row that is deleted ends the text that shows it', () => {
  const rows = createRowStore();
  const one = add(rows, 1n, 1);
  const kept = textOf(at(rows, 1), [dependencyOf(rows, one)]);
  add(rows, 1n, 2, true);
  expect([isValidAt(kept, at(rows, 1)), isValidAt(kept, at(rows, 2))]).toEqual([true, false]);
});

test('a row number that another row has now is another row', () => {
  const rows = createRowStore();
  const one = add(rows, 1n, 1);
  const kept = textOf(at(rows, 1), [dependencyOf(rows, one)]);
  add(rows, 1n, 2);
  rows.forget(2, () => undefined);
  expect(add(rows, 7n, 3)).toBe(one);
  expect(isValidAt(kept, at(rows, 3))).toBe(false);
});

test('a text that shows that a row is absent is valid at its own versions alone', () => {
  const [rows, others] = [createRowStore(), createRowStore()];
  const kept = textOf(
    [
      { rows, version: 3 },
      { rows: others, version: 4 },
    ],
    undefined,
  );
  expect(
    isValidAt(kept, [
      { rows, version: 3 },
      { rows: others, version: 4 },
    ]),
  ).toBe(true);
  expect(
    isValidAt(kept, [
      { rows, version: 3 },
      { rows: others, version: 5 },
    ]),
  ).toBe(false);
  expect(
    isValidAt(kept, [
      { rows: others, version: 3 },
      { rows, version: 4 },
    ]),
  ).toBe(false);
});

test('a text of rows of a store that is not read any more is not valid', () => {
  const [rows, others] = [createRowStore(), createRowStore()];
  const kept = textOf(at(rows, 1), [dependencyOf(rows, add(rows, 1n, 1))]);
  add(others, 1n, 1);
  expect(isValidAt(kept, at(others, 1))).toBe(false);
  expect(isValidAt(kept, [])).toBe(false);
});

test('each of several rows must be shown', () => {
  const rows = createRowStore();
  const all = [1n, 2n, 3n].map((id, index) => add(rows, id, index + 1));
  const kept = textOf(
    at(rows, 3),
    all.map((row) => dependencyOf(rows, row)),
  );
  expect(isValidAt(kept, at(rows, 2))).toBe(false);
  expect(isValidAt(kept, at(rows, 3))).toBe(true);
  add(rows, 2n, 4);
  expect(isValidAt(kept, at(rows, 4))).toBe(false);
});

test('a text that was found valid at newer versions is still tested at others', () => {
  const rows = createRowStore();
  const kept = textOf(at(rows, 1), [dependencyOf(rows, add(rows, 1n, 1))]);
  const now = at(rows, 2);
  expect(isValidAt(kept, now)).toBe(true);
  add(rows, 1n, 3);
  expect([isValidAt(kept, now), isValidAt(kept, at(rows, 3)), isValidAt(kept, now)]).toEqual([true, false, true]);
});

test('dependencies of parts are those of the whole, each once; an absent row in one part is one in the whole', () => {
  const rows = createRowStore();
  const [one, two] = [1n, 2n].map((id) => dependencyOf(rows, add(rows, id, 1)));
  if (one === undefined || two === undefined) throw new Error('two rows were added');
  expect(mergeDependencies([])).toBe(NO_DEPENDENCIES);
  expect(mergeDependencies([NO_DEPENDENCIES, []])).toBe(NO_DEPENDENCIES);
  expect(mergeDependencies([[one], [two, one], NO_DEPENDENCIES])).toEqual([one, two]);
  expect(mergeDependencies([[one], undefined, [two]])).toBeUndefined();
});

/** Only what the versions of a request are read from. */
const viewOf = (name: string, rows: RowStore, version: number) => ({ name, rows, version }) as DatasetView;
const contextOf = (...views: DatasetView[]) => ({
  views: new Map(views.map((view) => [view.name, view])),
  states: [],
  introspected: new Map<string, string>(),
});

test('requests at the same versions share one list, in the order of the names', () => {
  const [rows, others] = [createRowStore(), createRowStore()];
  const reach = ['a', 'b'];
  const first = versionsOf(contextOf(viewOf('b', others, 2), viewOf('a', rows, 1)), reach);
  expect(first).toEqual([
    { rows, version: 1 },
    { rows: others, version: 2 },
  ]);
  expect(versionsOf(contextOf(viewOf('a', rows, 1), viewOf('b', others, 2)), reach)).toBe(first);
  const next = versionsOf(contextOf(viewOf('a', rows, 1), viewOf('b', others, 3)), reach);
  expect(next).not.toBe(first);
  expect(first[1]?.version).toBe(2);
  expect(versionsOf(contextOf(viewOf('a', rows, 1), viewOf('b', others, 3)), reach)).toBe(next);
});

test('a list does not follow a view that changes later, as a cursor changes one', () => {
  const rows = createRowStore();
  const reach = ['a'];
  const view = viewOf('a', rows, 9);
  const before = versionsOf(contextOf(view), reach);
  view.version = 4;
  const after = versionsOf(contextOf(view), reach);
  expect([before[0]?.version, after[0]?.version]).toEqual([9, 4]);
});

test('a dataset that was declared again has another store, and so other versions', () => {
  const reach = ['a'];
  const one = versionsOf(contextOf(viewOf('a', createRowStore(), 1)), reach);
  expect(versionsOf(contextOf(viewOf('a', createRowStore(), 1)), reach)).not.toBe(one);
});

test('a dataset that the request has no view of is an error of ours, not an empty list', () => {
  expect(() => versionsOf(contextOf(), ['a'])).toThrow(expect.objectContaining({ code: 'internal' }));
});
