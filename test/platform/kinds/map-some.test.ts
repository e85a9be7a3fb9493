import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapSome } from '../../../platform/kinds/map-some.js';

test('results are in order, and no more calls than allowed are under way', async () => {
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
});

test('a failure is thrown when the other calls have ended', async () => {
  const ended: number[] = [];
  const fail = async (item: number): Promise<void> => {
    if (item === 1) throw new Error('no');
    for (let left = 5; left > 0; left -= 1) await turn();
    ended.push(item);
  };
  await expect(mapSome([1, 2, 3], 2, fail)).rejects.toThrow('no');
  expect(ended).toEqual([2, 3]);
});
