import { expect, test } from 'vitest';
import { createTurnQueue } from '../../../notifications/delivery/turn-queue.js';

interface Entry {
  name: string;
  at: number;
}

/** An entry has the turn of its own time alone. */
const queueOf = (...entries: Entry[]) => {
  const queue = createTurnQueue<Entry>({
    order: (one, other) => one.at - other.at,
    isCurrent: ({ entry, at }) => entry.at === at,
  });
  for (const entry of entries) queue.push({ entry, at: entry.at });
  return queue;
};

test('turns come in order, each until it is removed', () => {
  const queue = queueOf({ name: 'late', at: 20 }, { name: 'early', at: 10 });
  expect([queue.top()?.entry.name, queue.top()?.entry.name]).toEqual(['early', 'early']);
  queue.pop();
  expect(queue.top()).toMatchObject({ entry: { name: 'late' }, at: 20 });
  queue.pop();
  expect(queue.top()).toBeUndefined();
});

test('the old turn of an entry that changed is skipped', () => {
  const moved = { name: 'moved', at: 10 };
  const queue = queueOf(moved, { name: 'other', at: 20 });
  moved.at = 30;
  queue.push({ entry: moved, at: 30 });
  expect(queue.top()?.entry.name).toBe('other');
  queue.pop();
  expect(queue.top()).toEqual({ entry: moved, at: 30 });
});
