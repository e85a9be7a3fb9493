import { expect } from '@jest/globals';
import type { Reply, TestReference } from './test-reference.js';

const OF_THE_MOMENT = ['date', 'ratelimit', 'slipway-lag-ms', 'x-request-id'];

/** A read that has a way of its own through the service answers as it does through everything: a request id is enough. */
export async function expectSameWays(api: TestReference, path: string, headers: Record<string, string> = {}) {
  const told = (reply: Reply) => [
    reply.status,
    reply.text,
    Object.fromEntries([...reply.headers].filter(([name]) => !OF_THE_MOMENT.includes(name))),
  ];
  const short = await api.call('GET', path, { headers });
  const long = await api.call('GET', path, { headers: { ...headers, 'x-request-id': 'mine' } });
  expect(told(short)).toEqual(told(long));
  expect(long.headers.get('x-request-id')).toBe('mine');
  for (const name of OF_THE_MOMENT) expect(short.headers.has(name)).toBe(true);
}
