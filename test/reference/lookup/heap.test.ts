import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import { Heap } from '../../../reference/lookup/heap.js';

const byNumber = (one: number, other: number): number => one - other;

test('the top of a heap is the least item after any pushes, pops and replacements', () => {
  const { below, random } = createDraw(5);
  for (let round = 0; round < 10; round += 1) {
    const heap = new Heap<number>(byNumber);
    const sorted: number[] = [];
    for (let step = 0; step < 200; step += 1) {
      const item = below(50);
      const kind = random();
      if (kind < 0.5) {
        heap.push(item);
        sorted.push(item);
      } else if (kind < 0.75) {
        heap.pop();
        sorted.shift();
      } else if (sorted.length > 0) {
        heap.replaceTop(item);
        sorted[0] = item;
      }
      sorted.sort(byNumber);
      expect(heap.top).toBe(sorted[0]);
    }
  }
});

test('items come out in order, equal ones as often as they were pushed', () => {
  const { below } = createDraw(6);
  const items = Array.from({ length: 500 }, () => below(90));
  const heap = new Heap<number>(byNumber);
  for (const item of items) heap.push(item);
  const out: (number | undefined)[] = [];
  for (; heap.top !== undefined; heap.pop()) out.push(heap.top);
  expect(out).toEqual(items.toSorted(byNumber));
});

test('a top whose key was raised moves down when it is put back', () => {
  const heap = new Heap<{ key: number }>((one, other) => one.key - other.key);
  const first = { key: 1 };
  for (const item of [first, { key: 2 }, { key: 3 }]) heap.push(item);
  first.key = 9;
  heap.replaceTop(first);
  expect(heap.top).toEqual({ key: 2 });
  heap.pop();
  heap.pop();
  expect(heap.top).toBe(first);
});

test('an empty heap has no top, and a pop of it does nothing', () => {
  const heap = new Heap<number>(byNumber);
  heap.pop();
  expect(heap.top).toBeUndefined();
  heap.push(4);
  heap.pop();
  heap.pop();
  expect(heap.top).toBeUndefined();
});

test('the comparison alone decides what comes first', () => {
  const longest = new Heap<string>((one, other) => other.length - one.length);
  for (const text of ['a', 'ccc', 'bb']) longest.push(text);
  expect(longest.top).toBe('ccc');
});
