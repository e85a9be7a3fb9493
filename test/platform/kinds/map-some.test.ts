import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapSome } from '../../../platform/kinds/map-some.js';

test('results are in order, no more calls than allowed are under way, and a failure is thrown', async () => {
  let under = 0;
  let most = 0;
  const double = async (item: number): Promise<number> => {
    most = Math.max(most, (under += 1));
    for (let left = item % 3; left >= 0; left -= 1) await turn();
    under -= 1;
    return item * 2;
  };
  expect(await mapSome([5, 3, 1, 4, 2], 2, double)).toEqual([10, 6, 2, 8, 4]);
  expect(most).toBe(2);
  expect(await mapSome([], 2, double)).toEqual([]);
  await expect(mapSome([1], 2, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
