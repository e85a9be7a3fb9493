import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

const INTRANET = 'https://intranet.example.com';
const SHOP = 'https://shop.example.com';
let api: TestReference;
let key: string;
beforeAll(async () => {
  api = await startTestReference({ changes: { origins: [INTRANET] } });
  const spec = { fields: { name: { type: 'text' } }, lookup: { fields: ['name'] } };
  for (const id of ['words', 'places']) {
    await api.call('PUT', `/v2/datasets/${id}`, { body: { kind: 'Dataset', id, spec } });
    await api.call('PUT', `/v2/${id}/7`, { body: { name: 'seven' } });
  }
  const issued = await api.call('POST', '/v2/keys', {
    body: { name: 'search box', scopes: ['data:lookup:words'], origins: [SHOP] },
  });
  expect(issued.body).toMatchObject({ origins: [SHOP] });
  key = issued.body.secret as string;
});
afterAll(() => api.stop());

const preflight = (origin: string) =>
  fetch(`${api.url}/v2/words/lookup?q=s`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' },
  });

test.each([INTRANET, SHOP])('a page of %s may ask, and read answers and errors', async (origin) => {
  const asked = await preflight(origin);
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  expect(asked.headers.get('access-control-allow-headers')).toContain('x-api-key');
  for (const path of ['/v2/words/lookup?q=s', '/v2/words/7', '/v2/words', '/v2/words/8']) {
    const { headers } = await api.call('GET', path, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('ETag');
    if (path !== '/v2/words/8') expect(headers.get('vary')).toMatch(/origin/i);
  }
});

test.each(['https://elsewhere.example.com', 'null', 'http://shop.example.com'])(
  'a page of %s reads nothing',
  async (origin) => {
    const asked = await preflight(origin);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([405, null]);
    const reply = await api.call('GET', '/v2/words/7', { headers: { origin } });
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  },
);

test('a key for lookups from one origin does that and nothing else', async () => {
  const status = async (path: string, origin?: string, method = 'GET') => {
    const reply = await api.call(method, path, { key, headers: origin === undefined ? {} : { origin } });
    return [reply.status, reply.body?.code];
  };
  expect(await status('/v2/words/lookup?q=s', SHOP)).toEqual([200, undefined]);
  expect(await status('/v2/words/lookup?q=s&fields=name', SHOP)).toEqual([200, undefined]);
  expect(await status('/v2/words/lookup?q=s', INTRANET)).toEqual([403, 'auth.origin']);
  expect(await status('/v2/words/lookup?q=s')).toEqual([403, 'auth.origin']);
  for (const path of ['/v2/words/7', '/v2/words', '/v2/words/search?q=id==7', '/v2/places/lookup?q=s', '/v2/keys']) {
    expect([path, ...(await status(path, SHOP))]).toEqual([path, 403, 'auth.scope']);
  }
  expect(await status('/v2/words/7', SHOP, 'DELETE')).toEqual([403, 'auth.scope']);
});

test.each([['shop.example.com'], ['https://shop.example.com/path'], ['*'], ['javascript:alert(1)'], [7]])(
  'a key for the origin %s is refused',
  async (origin) => {
    const reply = await api.call('POST', '/v2/keys', {
      body: { name: 'x', scopes: ['data:lookup:words'], origins: [origin] },
    });
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([422, '/origins/0']);
  },
);
