import { expect, test } from 'vitest';
import { createRateLimit } from '../../../api/http/rate-limit.js';

test('each client has a window of its own, which ends by itself', () => {
  let now = 10_000;
  const limit = createRateLimit({ perSecond: 1, now: () => now });
  const count = (actor: string) => {
    const { exceeded, seconds, headers } = limit.count(actor);
    return { exceeded, seconds, header: headers.at(-1) };
  };
  expect(count('a')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  now += 1_500;
  expect(count('a')).toEqual({ exceeded: false, seconds: 1, header: '"client";r=0;t=1' });
  expect(count('a')).toEqual({ exceeded: true, seconds: 1, header: '"client";r=0;t=1' });
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  now += 500;
  expect(count('a')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=0;t=2' });
  now += 1_500;
  expect(count('b')).toEqual({ exceeded: false, seconds: 2, header: '"client";r=1;t=2' });
});
