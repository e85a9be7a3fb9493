import { afterEach, expect, test } from 'vitest';
import { createFollowLimit } from '../../../api/lifecycle/follow-limit.js';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi | undefined;
afterEach(() => api?.stop());

test('one caller of the management API is limited, and another is not', async () => {
  api = await startTestApi({}, { SLIPWAY_API_RATE: '1' });
  const { url, token } = api;
  const get = async (subject: string) => {
    const authorization = `Bearer ${await token(['viewer'], { subject })}`;
    return fetch(`${url}/api/v1/configuration`, { headers: { authorization } });
  };
  const replies = await Promise.all(Array.from({ length: 20 }, () => get('busy')));
  const refused = replies.filter(({ status }) => status === 429);
  // Two in each window of two seconds.
  expect(refused.length).toBeGreaterThan(8);
  expect(await refused[0]?.json()).toMatchObject({
    code: 'rate.exceeded',
    message: expect.stringContaining('try again in'),
  });
  expect(refused[0]?.headers.get('retry-after')).toMatch(/^[12]$/);
  expect((await get('calm')).status).toBe(200);
});

test('a caller follows no more logs at once than the limit, and another when one has ended', () => {
  const limit = createFollowLimit(2);
  const take = (caller: string) => limit.take(caller);
  const end = take('ada');
  take('ada');
  expect(() => take('ada')).toThrow('you follow 2 logs already, the limit is 2: end one of them');
  take('bob');
  end();
  take('ada');
  expect(() => take('ada')).toThrow('the limit is 2');
});

test('a log that is followed counts until its client leaves', async () => {
  api = await startTestApi({}, { SLIPWAY_MAX_LOG_FOLLOWS: '1' });
  const spec = { image: 'wine:1', predictor: 'platform-ml-server' };
  await api.call('POST', '/api/v1/model/deployment', { body: { id: 'wine', spec } });
  const { url } = api;
  const headers = { authorization: `Bearer ${await api.token(['viewer'])}` };
  const follow = (signal: AbortSignal) =>
    fetch(`${url}/api/v1/model/deployment/wine/log?follow=true`, { headers, signal });
  const [leaving, later] = [new AbortController(), new AbortController()];
  expect((await follow(leaving.signal)).status).toBe(200);
  expect((await follow(later.signal)).status).toBe(429);
  leaving.abort();
  await expect.poll(async () => (await follow(later.signal)).status).toBe(200);
  later.abort();
});
