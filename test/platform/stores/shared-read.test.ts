import { expect, test } from 'vitest';
import { shareReads } from '../../../platform/stores/shared-read.js';

test('calls that wait share one read, which begins after each of them', async () => {
  let written = 0;
  const read: number[] = [];
  const gates: (() => void)[] = [];
  const share = shareReads(async () => {
    read.push(written);
    const found = written;
    await new Promise<void>((resolve) => gates.push(resolve));
    return found;
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  written = 1;
  const first = share();
  await turn();
  written = 2;
  const second = share();
  written = 3;
  const third = share();
  await turn();
  expect(read).toEqual([1]);
  gates[0]?.();
  expect(await first).toBe(1);
  await turn();
  gates[1]?.();
  expect(await Promise.all([second, third])).toEqual([3, 3]);
  expect(read).toEqual([1, 3]);
});

test('a read that fails fails the calls that wait for it, and no later one', async () => {
  let isAway = true;
  const share = shareReads(async () => {
    if (isAway) throw new Error('away');
    return 'found';
  });
  await expect(Promise.all([share(), share()])).rejects.toThrow('away');
  isAway = false;
  expect(await share()).toBe('found');
});
