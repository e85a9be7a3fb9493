import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const spec = { fields: { name: { type: 'text', max_length: 5_000 } }, lookup: { fields: ['name'] } };
  await api.call('PUT', '/v2/datasets/words', { body: { kind: 'Dataset', id: 'words', spec } });
  await api.call('PUT', '/v2/words/7', { body: { name: 'long '.repeat(500) } });
  await api.call('PUT', '/v2/words/8', { body: { name: 'short' } });
});
afterAll(() => api.stop());

/** Without the decoding of fetch. */
async function get(path: string, headers: Record<string, string>, method = 'GET') {
  const authorization = `Bearer ${await api.tokenOf(['data:read:*', 'data:write:*'])}`;
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    request(`${api.url}${path}`, { method, headers: { authorization, ...headers } }, (res) => {
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes: Buffer.concat(parts) }));
    })
      .on('error', reject)
      .end();
  });
}

const PATHS = ['/v2/words/7', '/v2/words/7?fields=name', '/v2/words/lookup?q=long', '/v2/words', '/v2/openapi.json'];
test.each(PATHS)('%s is sent in the coding that the client takes, and is the same text', async (path) => {
  const plain = await get(path, {});
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(String(plain.headers.vary).toLowerCase()).toContain('accept-encoding');
  const gzip = await get(path, { 'accept-encoding': 'gzip' });
  expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(gzip.bytes.length) });
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
  expect(br.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
  expect(br.bytes.length).toBeLessThan(plain.bytes.length / 3);
  const tags = [plain, gzip, br].map(({ headers }) => headers.etag);
  if (tags[0] !== undefined) expect(new Set(tags).size).toBe(3);
});

test.each([
  ['identity', undefined],
  ['', undefined],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.1, identity;q=0.9', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['GZIP', 'gzip'],
  ['gzip;q=abc', undefined],
  ['nonsense', undefined],
])('accept-encoding "%s" is answered in %s', async (accepted, encoding) => {
  const reply = await get('/v2/words/7', { 'accept-encoding': accepted });
  expect(reply.headers['content-encoding']).toBe(encoding);
});

test('small answers are sent as they are', async () => {
  expect((await get('/v2/words/8', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  expect((await get('/v2/nothing/8', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
});

test.each(['/v2/words/7', '/v2/words/7?fields=name', '/v2/words'])(
  'the tag of a compressed answer of %s gives 304 with the same tag',
  async (path) => {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const { headers } = await get(path, { 'accept-encoding': accepted });
      const etag = String(headers.etag);
      const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': etag });
      expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, etag, 0]);
    }
  },
);

test('a write takes the tag of a compressed answer', async () => {
  const { headers } = await get('/v2/words/7', { 'accept-encoding': 'br' });
  expect((await get('/v2/words/7', { 'if-match': '"99.1.x;br"' }, 'DELETE')).status).toBe(412);
  expect((await get('/v2/words/7', { 'if-match': String(headers.etag) }, 'DELETE')).status).toBe(204);
});
