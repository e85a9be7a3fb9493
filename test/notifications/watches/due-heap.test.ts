import { expect, test } from 'vitest';
import { createDueHeap } from '../../../notifications/watches/due-heap.js';
import { seeded } from './traces.js';

test('the first is always the earliest, whatever was set, moved and taken away', () => {
  const random = seeded(7);
  const heap = createDueHeap();
  const known = new Map<number, number>();
  for (let n = 0; n < 20_000; n += 1) {
    const slot = random(3_000);
    if (random(3) === 0) {
      heap.clear(slot);
      known.delete(slot);
    } else {
      const due = random(50) === 0 ? Infinity : random(100_000);
      heap.set(slot, due);
      if (due === Infinity) known.delete(slot);
      else known.set(slot, due);
    }
    expect(heap.dueOf(slot)).toBe(known.get(slot) ?? Infinity);
    if (n % 100 === 0) expect(heap.firstDue()).toBe(Math.min(Infinity, ...known.values()));
  }
  const drained: number[] = [];
  while (heap.size() > 0) {
    drained.push(heap.firstDue());
    heap.clear(heap.first());
  }
  expect(drained).toEqual([...known.values()].sort((one, other) => one - other));
  expect(heap.first()).toBe(-1);
});
