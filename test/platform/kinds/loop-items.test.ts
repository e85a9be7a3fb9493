import { expect, test } from 'vitest';
import { actOnEach } from '../../../platform/kinds/loop-items.js';

test('an item that fails is reported by its name, and the others are acted on', async () => {
  const acted: string[] = [];
  const skipped: [string, unknown][] = [];
  const broken = new Error('broken');
  const items = ['a', 'b', 'c'].map((name) => ({
    name,
    act: async () => {
      if (name === 'b') throw broken;
      acted.push(name);
      return undefined;
    },
  }));
  await actOnEach(items, (name, err) => skipped.push([name, err]));
  expect([acted, skipped]).toEqual([['a', 'c'], [['b', broken]]]);
});

test('items that cannot be read fail the loop', async () => {
  // eslint-disable-next-line require-yield -- the list itself fails
  async function* unread() {
    throw new Error('the list is away');
  }
  await expect(actOnEach(unread(), () => {})).rejects.toThrow('the list is away');
});
