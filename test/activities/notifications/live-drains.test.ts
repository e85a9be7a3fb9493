import { expect, test } from 'vitest';
import { createLiveDrains } from '../../../activities/notifications/live-drains.js';

test('a subscription is live from the start of its first drain to the end of its last', () => {
  const live = createLiveDrains(10);
  const [first, second] = [live.enter('sub'), live.enter('sub')];
  first();
  expect(live.has('sub')).toBe(true);
  second();
  expect(live.has('sub')).toBe(false);
});

test('drains are crowded when four of five slots are taken, until one ends', () => {
  const live = createLiveDrains(10);
  const leave = Array.from({ length: 7 }, (_, n) => live.enter(`sub_${n}`));
  expect(live.isCrowded()).toBe(false);
  leave.push(live.enter('sub_8'));
  expect(live.isCrowded()).toBe(true);
  leave[0]?.();
  expect(live.isCrowded()).toBe(false);
});
