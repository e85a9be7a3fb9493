import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../platform/stores/database.js';
import { createReuse, digestOf } from '../../../lifecycle/stores/reuse.js';

/** The contract of stores of reusable results, whatever the database. */
export function reuseContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  const create = (kind: 'training' | 'packaging' = 'training') => createReuse<string>(database, kind);

  test('a result is found by what it was made of, in any order', async () => {
    const store = create();
    const key = await store.note({ commit: 'a', 'hyperParameters.alpha': '1', $weird: '{"x":1}' });
    expect(await store.get(key)).toMatchObject({
      inputs: { commit: 'a', 'hyperParameters.alpha': '1', $weird: '{"x":1}' },
    });
    expect((await store.get(key))?.result).toBeUndefined();
    await store.keep(key, 'first');
    const again = await store.note({ $weird: '{"x":1}', 'hyperParameters.alpha': '1', commit: 'a' });
    expect(again).toBe(key);
    expect((await store.get(again))?.result).toBe('first');
    await store.keep(key, 'second');
    expect((await store.get(key))?.result).toBe('second');
  });

  test('one other value, or one input more, is another key; and so is another kind', async () => {
    const store = create();
    const keys = [
      await store.note({ commit: 'b' }),
      await store.note({ commit: 'c' }),
      await store.note({ commit: 'b', more: '' }),
      await create('packaging').note({ commit: 'b' }),
    ];
    expect(new Set(keys).size).toBe(4);
    await store.keep(keys[0] ?? '', 'result');
    for (const key of keys.slice(1)) expect((await store.get(key))?.result).toBeUndefined();
  });

  test('a result that was never noted is neither found nor kept', async () => {
    const store = create();
    await store.keep('training/unknown', 'result');
    expect(await store.get('training/unknown')).toBeUndefined();
  });

  test('notes of many at once are one', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => create().note({ commit: 'd' })));
    expect(new Set(keys).size).toBe(1);
  });
}

test('a digest is of the content, not of its order', () => {
  expect(digestOf({ a: 1, b: [{ d: 2, c: null }] })).toBe(digestOf({ b: [{ c: null, d: 2 }], a: 1 }));
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]));
  expect(digestOf({ a: '1' })).not.toBe(digestOf({ a: 1 }));
  expect(digestOf({})).toMatch(/^[0-9a-f]{64}$/);
});
