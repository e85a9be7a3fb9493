import { expect, test } from 'vitest';
import { LruCache } from '../../../platform/kinds/lru-cache.js';

const create = () => new LruCache<number, string>({ maxSize: 8, sizeOf: ({ length }) => length });

test('what is asked for again stays, and what is not makes room', () => {
  const kept = create();
  kept.set(0, 'a');
  for (let key = 1; key <= 100; key += 1) {
    kept.set(key, 'b');
    expect(kept.get(0)).toBe('a');
    expect(kept.get(key)).toBe('b');
  }
  const there = Array.from({ length: 100 }, (_, at) => kept.get(at + 1)).filter((value) => value !== undefined);
  expect(there.length).toBeLessThanOrEqual(8);
});

test('a key that is set again has its last value, and takes its room once', () => {
  const kept = create();
  kept.set(1, 'aa');
  for (let turn = 0; turn < 20; turn += 1) kept.set(2, 'bb');
  kept.set(2, 'cc');
  expect([kept.get(1), kept.get(2)]).toEqual(['aa', 'cc']);
});
