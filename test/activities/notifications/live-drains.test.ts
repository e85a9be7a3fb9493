import { expect, test } from 'vitest';
import { createLiveDrains } from '../../../activities/notifications/live-drains.js';

test('a subscription is live from the start of its first drain to the end of its last', () => {
  const live = createLiveDrains(20, 10);
  const [first, second] = [live.enter('sub'), live.enter('sub')];
  first();
  expect(live.has('sub')).toBe(true);
  second();
  expect(live.has('sub')).toBe(false);
});

test('drains are crowded from a number on, until one ends', () => {
  const live = createLiveDrains(20, 10);
  const leave = Array.from({ length: 9 }, (_, n) => live.enter(`sub_${n}`));
  expect(live.isCrowded()).toBe(false);
  leave.push(live.enter('sub_9'));
  expect(live.isCrowded()).toBe(true);
  leave[0]?.();
  expect(live.isCrowded()).toBe(false);
});

test('however many drains are live, all together look for changes as often as those of a crowd', () => {
  const live = createLiveDrains(20, 10);
  const enter = (count: number): void => {
    for (let n = 0; n < count; n += 1) live.enter(`sub_${n}`);
  };
  enter(10);
  expect(live.refreshMs()).toBe(1_000);
  enter(90);
  expect(live.refreshMs()).toBe(10_000);
});

test('drains take turns only while no place is free', () => {
  const live = createLiveDrains(20, 10);
  const leave = Array.from({ length: 19 }, (_, n) => live.enter(`sub_${n}`));
  expect(live.isFull()).toBe(false);
  leave.push(live.enter('sub_19'));
  expect(live.isFull()).toBe(true);
  leave[0]?.();
  expect(live.isFull()).toBe(false);
});
