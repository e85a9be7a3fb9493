import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { diffVersions } from '../../../reference/dataset/diff.js';
import { createRowStore, type RowStore } from '../../../reference/rows/row-store.js';
import { TopRows, topRows } from '../../../reference/rows/top-rows.js';

interface State {
  id: bigint;
  version: number;
  from: number;
  to: number;
  deleted: boolean;
  text: string;
}

/** A store after random changes, with every state that it ever had. */
function createHistory(seed: number, { positions = 150, entities = 12 } = {}) {
  const { below } = createDraw(seed);
  const rows = createRowStore();
  const states: State[] = [];
  const dropped: number[] = [];
  let forgotten = 0;
  const step = (position: number): void => {
    for (let count = 1 + below(3); count > 0; count -= 1) {
      const id = BigInt(1 + below(entities));
      const last = states.findLast((state) => state.id === id);
      if (last?.from === position) continue;
      if (last) last.to = position;
      const state = {
        id,
        version: (last?.version ?? 0) + 1,
        from: position,
        deleted: below(5) === 0,
        text: `${id}@${position}`,
      };
      states.push({ ...state, to: Infinity });
      rows.add({ ...state, bytes: Buffer.from(state.text) });
    }
  };
  const forget = (position: number): void => {
    forgotten = Math.max(forgotten, position);
    rows.forget(position, (row) => void dropped.push(row));
  };
  for (let position = 1; position <= positions; position += 1) {
    step(position);
    if (position % 10 === 0 && position > 40) forget(position - 30);
  }
  const at = (position: number) => states.filter(({ from, to }) => from <= position && position < to);
  return { rows, states, dropped, at, forgotten: () => forgotten };
}

/** Every state that is visible at a position, read from the rows. */
function visible(rows: RowStore, position: number) {
  return Array.from({ length: rows.end() }, (_, row) => row)
    .filter((row) => rows.isAt(row, position))
    .map((row) => [rows.id(row), rows.version(row), rows.bytes(row).toString()])
    .sort(([one = 0], [other = 0]) => (one < other ? -1 : 1));
}
const expectedAt = (states: readonly State[]) =>
  states
    .filter(({ deleted }) => !deleted)
    .map(({ id, version, text }) => [id, version, text])
    .sort(([one = 0], [other = 0]) => (one < other ? -1 : 1));

test.each([1, 2, 3])('reused row numbers show nothing of the rows before, at any kept position: seed %i', (seed) => {
  const { rows, at, dropped, states, forgotten } = createHistory(seed);
  expect(dropped.length).toBeGreaterThan(50);
  expect(rows.end()).toBeLessThan(states.length); // numbers were reused
  for (let position = forgotten(); position <= 150; position += 1) {
    expect(visible(rows, position)).toEqual(expectedAt(at(position)));
  }
  expect([rows.live(), rows.entities()]).toEqual([
    expectedAt(at(150)).length,
    new Set(states.map(({ id }) => id)).size,
  ]);
});

test('a row number is reported before it is reused, once for each row that goes', () => {
  const { rows, dropped, states } = createHistory(4);
  const gone =
    states.length - Array.from({ length: rows.end() }, (_, row) => row).filter((row) => rows.id(row) !== 0n).length;
  expect(dropped).toHaveLength(gone);
});

test('the newest state of an entity stays for ever, also a deleted one', () => {
  const rows = createRowStore();
  rows.add({ id: 1n, version: 1, from: 1, bytes: Buffer.from('a'), deleted: false });
  rows.add({ id: 1n, version: 2, from: 2, bytes: Buffer.from('b'), deleted: true });
  expect(rows.forget(1_000, () => undefined)).toBe(1);
  expect(rows.forget(1_000, () => undefined)).toBe(0);
  expect([rows.version(rows.find(1n)), rows.findAt(1n, 1), rows.live()]).toEqual([2, -1, 0]);
});

test.each([5, 6])('rows that are restored one by one are the rows that were stored: seed %i', (seed) => {
  const { rows, forgotten } = createHistory(seed);
  const position = 140;
  const restored = createRowStore();
  let unused = 0;
  for (let row = 0; row < rows.end(); row += 1) {
    const kept = rows.keptAt(row, position);
    if (kept === undefined) unused += 1;
    else {
      restored.skip(unused);
      unused = 0;
      restored.restore(kept);
      expect(restored.end()).toBe(row + 1); // row numbers keep their meaning
    }
  }
  restored.link();
  for (let at = forgotten(); at <= position; at += 1) {
    expect(visible(restored, at)).toEqual(visible(rows, at));
    for (let id = 1n; id <= 12n; id += 1n) {
      const [one, other] = [rows.findAt(id, at), restored.findAt(id, at)];
      const shown = (store: RowStore, row: number) =>
        row < 0 ? undefined : [store.version(row), store.isDeleted(row)];
      expect([at, id, shown(restored, other)]).toEqual([at, id, shown(rows, one)]);
    }
  }
  // It goes on as the other: skipped numbers are given to new rows.
  const before = restored.end();
  restored.add({ id: 99n, version: 1, from: 141, bytes: Buffer.from('new'), deleted: false });
  expect(restored.end()).toBeLessThanOrEqual(before + 1);
  restored.forget(130, () => undefined);
  expect(visible(restored, 135)).toEqual(visible(rows, 135));
});

test('what came after a position is not kept at it', () => {
  const rows = createRowStore();
  const add = (version: number, from: number) =>
    rows.add({ id: 1n, version, from, bytes: Buffer.from(`v${version}`), deleted: false });
  const [first, second] = [add(1, 5), add(2, 9)];
  expect(rows.keptAt(second, 8)).toBeUndefined();
  expect(rows.keptAt(first, 8)).toMatchObject({ version: 1, from: 5, to: undefined });
  expect(rows.keptAt(first, 9)).toMatchObject({ version: 1, from: 5, to: 9 });
});

test.each([7, 8])('the difference of two versions is that of the two states: seed %i', async (seed) => {
  const { rows, at, forgotten } = createHistory(seed);
  const { below } = createDraw(seed);
  for (let round = 0; round < 60; round += 1) {
    const [from = 0, to = 0] = [0, 1]
      .map(() => forgotten() + below(150 - forgotten() + 1))
      .sort((one, other) => one - other);
    const versionsAt = (position: number) =>
      new Map(
        at(position)
          .filter(({ deleted }) => !deleted)
          .map(({ id, version }) => [id, version]),
      );
    const [before, after] = [versionsAt(from), versionsAt(to)];
    const expected = [...new Set([...before.keys(), ...after.keys()])]
      .sort((one, other) => (one < other ? -1 : 1))
      .flatMap((id) => {
        const [one, other] = [before.get(id) ?? null, after.get(id) ?? null];
        if (one === other) return [];
        return [
          {
            id,
            operation: one === null ? 'create' : other === null ? 'delete' : 'update',
            from_version: one,
            to_version: other,
          },
        ];
      });
    expect(await diffVersions(rows, { from, to })).toEqual(expected);
  }
});

test('the first rows of any size, after any row, in pieces or at once, are those of a sorted list', () => {
  const { below } = createDraw(9);
  for (let round = 0; round < 150; round += 1) {
    const keys = Array.from({ length: below(60) }, () => below(20));
    // A rank that does not tell all keys apart, as of long texts.
    const order = {
      rank: (row: number) => Math.floor((keys[row] ?? 0) / 4),
      compare: (one: number, other: number) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other,
    };
    const sorted = [...keys.keys()].sort(order.compare);
    const after = below(3) === 0 || keys.length === 0 ? undefined : below(keys.length);
    const size = below(12);
    const expected = sorted.slice(after === undefined ? 0 : sorted.indexOf(after) + 1).slice(0, size);
    const rows = Int32Array.from(keys.keys()).reverse();
    expect(topRows(rows, { order, size, after })).toEqual(expected);
    const pieces = new TopRows({ order, size, after });
    for (let at = 0; at < rows.length; at += 7) pieces.take(rows.subarray(at, at + 7));
    expect(pieces.list()).toEqual(expected);
  }
});
