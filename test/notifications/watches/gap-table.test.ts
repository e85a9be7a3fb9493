import { expect, test } from 'vitest';
import { type Gap, STATES } from '../../../notifications/watches/gap-columns.js';
import { createGapTable } from '../../../notifications/watches/gap-table.js';

const open: Gap = { state: STATES.open, version: 3, gap: 3, since: 100, emitted: 0, repeats: 0 };
const dueOf = ({ since }: Gap): number => since + 10;

function tableOf(...gaps: Gap[]) {
  const table = createGapTable();
  gaps.forEach((gap, at) => table.put(table.gaps.add(BigInt(at + 1)), gap, gap.state === STATES.open ? 110 : Infinity));
  return table;
}

test('the open gaps are counted through every change of state', () => {
  const table = tableOf(open, { ...open, state: STATES.waiting });
  expect(table.openCount()).toBe(1);
  table.put(1, open, 110);
  table.put(1, { ...open, version: 4 }, 120);
  expect(table.openCount()).toBe(2);
  table.put(0, { ...open, state: STATES.over }, Infinity);
  expect(table.openCount()).toBe(1);
});

test('a gap that is never due leaves the order of due times', () => {
  const table = tableOf(open);
  expect([table.dues.first(), table.dues.firstDue()]).toEqual([0, 110]);
  table.put(0, { ...open, state: STATES.silenced }, Infinity);
  expect(table.dues.firstDue()).toBe(Infinity);
});

test('only open gaps are visited and scheduled', () => {
  const table = tableOf({ ...open, state: STATES.over, since: 0 }, open, { ...open, since: 50 });
  const visited: number[] = [];
  table.forEachOpen((slot) => visited.push(slot));
  expect(visited).toEqual([1, 2]);
  table.schedule(dueOf);
  expect([table.dues.first(), table.dues.firstDue()]).toEqual([2, 60]);
});

test('encoded gaps come back with their count and due times', () => {
  const bytes = tableOf({ ...open, state: STATES.waiting }, open).gaps.encode();
  const table = createGapTable();
  expect(table.decode(bytes, dueOf)).toBe(bytes.length);
  expect([table.openCount(), table.dues.first(), table.dues.firstDue()]).toEqual([1, 1, 110]);
});
