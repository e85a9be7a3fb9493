import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createRowStore } from '../../../reference/rows/row-store.js';

const text = (row: Buffer) => row.toString();

test('an id of 64 bits finds its row, whatever others there are', () => {
  const rows = createRowStore();
  const ids = Array.from({ length: 5_000 }, (_, n) => 9_007_199_254_740_992n + BigInt(n) * 4_294_967_296n);
  for (const id of ids) rows.add({ id, version: 1, from: 1, bytes: Buffer.from(`row ${id}`), deleted: false });
  expect(ids.every((id) => text(rows.bytes(rows.find(id))) === `row ${id}`)).toBe(true);
  expect(rows.find(1n)).toBe(-1);
  expect(rows.live()).toBe(5_000);
});

test('a slab that is mostly holes is emptied, and what lived there stays readable', () => {
  const rows = createRowStore();
  const big = (n: number) => Buffer.alloc(1_000_000, n);
  for (let n = 1; n <= 40; n += 1) rows.add({ id: BigInt(n), version: 1, from: 1, bytes: big(n), deleted: false });
  const before = rows.sizeBytes();
  for (let version = 2; version < 12; version += 1) {
    for (let n = 2; n <= 40; n += 1) {
      rows.add({ id: BigInt(n), version, from: version, bytes: big(n), deleted: false });
    }
    rows.forget(version, () => {});
  }
  expect(rows.bytes(rows.find(1n)).equals(big(1))).toBe(true);
  expect(rows.bytes(rows.find(40n)).equals(big(40))).toBe(true);
  expect(rows.sizeBytes()).toBeLessThan(3 * before);
});

// The model: a plain list of states per entity.
const Step = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  deleted: fc.boolean(),
  forget: fc.integer({ max: 12, min: 0 }),
});

test('every kept state of every entity is found at every position', () => {
  fc.assert(
    fc.property(fc.array(Step, { maxLength: 60 }), (steps) => {
      const rows = createRowStore();
      const states: { id: bigint; version: number; from: number; to: number; deleted: boolean; bytes: string }[] = [];
      let forgotten = 0;
      steps.forEach((step, index) => {
        const position = index + 1;
        const id = BigInt(step.id);
        const last = states.findLast((state) => state.id === id);
        if (last) last.to = position;
        const state = { id, version: (last?.version ?? 0) + 1, from: position, deleted: step.deleted };
        states.push({ ...state, to: Infinity, bytes: `at ${position}` });
        rows.add({ ...state, bytes: Buffer.from(`at ${position}`) });
        if (step.forget > 0) {
          forgotten = Math.max(forgotten, position - step.forget);
          rows.forget(forgotten, () => {});
        }
      });
      for (let position = Math.max(forgotten, 0); position <= steps.length; position += 1) {
        for (let id = 1n; id <= 6n; id += 1n) {
          const wanted = states.find((state) => state.id === id && state.from <= position && position < state.to);
          const row = rows.findAt(id, position);
          const found = row < 0 ? undefined : [rows.version(row), rows.isDeleted(row), text(rows.bytes(row))];
          expect(found).toEqual(wanted && [wanted.version, wanted.deleted, wanted.bytes]);
          if (wanted && row >= 0) expect(rows.isAt(row, position)).toBe(!wanted.deleted);
        }
        let live = 0;
        for (let row = 0; row < rows.end(); row += 1) if (rows.isAt(row, position)) live += 1;
        const alive = states.filter(({ from, to, deleted }) => from <= position && position < to && !deleted);
        expect(live).toBe(alive.length);
      }
    }),
    { numRuns: 200 },
  );
});
