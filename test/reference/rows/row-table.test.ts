import { expect, test } from 'vitest';
import { NONE, OPEN, RowTable } from '../../../reference/rows/row-table.js';

const values = (id: bigint, from: number) => ({ id, version: 1, from, deleted: false });

test('rows keep their values when the arrays grow', () => {
  const table = new RowTable();
  for (let at = 0; at < 3_000; at += 1) table.set(table.open(), values(BigInt(at + 1), at), OPEN);
  expect([table.used, table.ids[2_999], table.froms[1], table.tos[0]]).toEqual([3_000, 3_000n, 1, OPEN]);
  expect(table.sizeBytes()).toBe(table.ids.length * 35);
});

test('a previous state is found only while its number belongs to the same entity', () => {
  const table = new RowTable();
  const [old, current] = [table.open(), table.open()];
  table.set(old, values(1n, 1), 5);
  table.set(current, values(1n, 5), OPEN);
  expect(table.before(current)).toBe(NONE);
  table.befores[current] = old;
  expect(table.before(current)).toBe(old);
  table.set(old, values(2n, 9), OPEN);
  expect(table.before(current)).toBe(NONE);
});
