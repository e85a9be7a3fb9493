import { expect } from 'vitest';
import type { Reply, TestReference } from './test-reference.js';

const OF_THE_MOMENT = ['date', 'ratelimit', 'slipway-lag-ms', 'x-request-id'];

/** A read answers the same by its short cut and by the Koa application, to which a request id sends it. */
export async function expectSameWays(api: TestReference, path: string, headers: Record<string, string> = {}) {
  const outcome = (reply: Reply) => [
    reply.status,
    reply.text,
    Object.fromEntries([...reply.headers].filter(([name]) => !OF_THE_MOMENT.includes(name))),
  ];
  const short = await api.call('GET', path, { headers });
  const long = await api.call('GET', path, { headers: { ...headers, 'x-request-id': 'mine' } });
  expect(outcome(short)).toEqual(outcome(long));
  expect(long.headers.get('x-request-id')).toBe('mine');
  for (const name of OF_THE_MOMENT) expect(short.headers.has(name)).toBe(true);
}
