import { expect, test } from 'vitest';
import { createLookPace } from '../../../activities/deployment/look-pace.js';

test('a few replicas are looked at each second, a thousand each ten seconds, until some are gone', () => {
  const { enter, pollMs } = createLookPace({ leastMs: 1_000 });
  expect(pollMs()).toBe(1_000);
  const leave = enter(100);
  expect(pollMs()).toBe(1_000);
  const others = Array.from({ length: 900 }, () => enter(1));
  expect(pollMs()).toBe(10_000);
  leave();
  expect(pollMs()).toBe(9_000);
  for (const each of others) each();
  expect(pollMs()).toBe(1_000);
});
