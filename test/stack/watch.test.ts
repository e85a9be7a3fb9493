import { expect, test } from 'vitest';
import { createRestartPauses } from '../../stack/watch.js';

test('the pause after each restart doubles up to a minute, and never ends the restarts', () => {
  let at = 1_000_000;
  const pauses = createRestartPauses({ now: () => at });
  expect(pauses.isOver('mongodb')).toBe(true);
  const waited: number[] = [];
  for (let restart = 0; restart < 10; restart += 1) {
    pauses.begin('mongodb');
    const pauseMs = pauses.of('mongodb');
    at += pauseMs - 1;
    expect(pauses.isOver('mongodb')).toBe(false);
    at += 1;
    expect(pauses.isOver('mongodb')).toBe(true);
    waited.push(pauseMs / 1_000);
  }
  expect(waited).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
});

test('a service that ran for a while is restarted at once again, and each service has its own pause', () => {
  let at = 1_000_000;
  const pauses = createRestartPauses({ now: () => at });
  for (let restart = 0; restart < 5; restart += 1) pauses.begin('mongodb');
  expect(pauses.isOver('temporal')).toBe(true);
  at += 121_000;
  expect(pauses.isOver('mongodb')).toBe(true);
  pauses.begin('mongodb');
  expect(pauses.of('mongodb')).toBe(1_000);
});
