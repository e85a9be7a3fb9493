import { expect, test } from 'vitest';
import { Hold, type Pending } from '../../../reference/dataset/hold.js';

const change = (id: string, version: number) => ({
  ...{ id, version, at: '2026-01-01T00:00:00.000Z', body: `{"id":"${id}"}` },
  ...{ actor: 'alice', schema: 1, commit: 'c' },
});

test('the newest change of each entity is pending', () => {
  const hold = new Hold('i1');
  for (const each of [change('1', 1), change('2', 1), change('1', 2)]) hold.add(each);
  expect([...hold.changes()].map(({ id, version }) => [id, version])).toEqual([
    ['1', 2],
    ['2', 1],
  ]);
  expect([hold.get('1')?.version, hold.get('3'), hold.hasEffect]).toEqual([2, undefined, false]);
});

test('an interrupted run continues with the changes that are left', () => {
  const hold = new Hold('i1');
  for (const id of ['1', '2', '3']) hold.add(change(id, 1));
  const settled: Pending['id'][] = [];
  const settle = () => hold.settle(({ id }) => void settled.push(id));
  const interrupted = settle();
  interrupted.next();
  expect([settled, hold.hasEffect]).toEqual([['1'], true]);
  expect([...settle()]).toHaveLength(2);
  expect([settled, [...hold.changes()]]).toEqual([['1', '2', '3'], []]);
});
