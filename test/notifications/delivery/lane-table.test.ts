import { expect, test } from 'vitest';
import { createLaneTable } from '../../../notifications/delivery/lane-table.js';

const [a1, a2, a3, b1] = [{ lane: 'a' }, { lane: 'a' }, { lane: 'a' }, { lane: 'b' }];
function tableOf(...entries: { lane: string }[]) {
  const table = createLaneTable();
  for (const entry of entries) table.add(entry);
  return table;
}

test('the first entry of each lane is its head', () => {
  const table = tableOf(a1, a2, b1);
  expect([a1, a2, b1].map((entry) => table.isHead(entry))).toEqual([true, false, true]);
});

test('when the head leaves, the next entry is the head', () => {
  const table = tableOf(a1, a2, a3);
  expect(table.leave(a1)).toBe(a2);
  expect([table.isHead(a1), table.isHead(a2)]).toEqual([false, true]);
});

test('when another entry leaves, the head stays and is not named again', () => {
  const table = tableOf(a1, a2, a3);
  expect(table.leave(a2)).toBeUndefined();
  expect(table.leave(a2)).toBeUndefined();
  expect(table.isHead(a1)).toBe(true);
  expect(table.leave(a1)).toBe(a3);
});

test('an empty lane is forgotten', () => {
  const table = tableOf(a1, b1);
  expect(table.leave(a1)).toBeUndefined();
  expect(table.size).toBe(1);
  expect(table.leave(a1)).toBeUndefined();
});
