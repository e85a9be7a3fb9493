import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOnce } from '../../../api/http/idempotency.js';
import type { HttpContext } from '../../../api/http/state.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { IdempotencyStore } from '../../../platform/stores/idempotency.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/deployment';
const manifest = (id: string) => ({ id, spec: { image: 'x/y:1', predictor: 'platform-ml-server' } });
const post = (body: unknown, key: string) => api.call('POST', PATH, { body, headers: { 'Idempotency-Key': key } });

test('a repeat gets the first reply again and starts nothing', async () => {
  const first = await post(manifest('once'), 'key-1');
  const again = await post(manifest('once'), 'key-1');
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
    null,
    'true',
  ]);
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(api.signals.filter((line) => line.includes('/once'))).toHaveLength(1);
});

test('twenty at the same time make one entity and get one reply', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => post(manifest('many'), 'key-2')));
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies[0]?.status).toBe(201);
  expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
  expect(api.signals.filter((line) => line.includes('/many'))).toHaveLength(1);
});

test('another body under the same key is 422', async () => {
  await post(manifest('mine'), 'key-3');
  const { status, body } = await post(manifest('other'), 'key-3');
  expect([status, body.code]).toEqual([422, 'idempotency_mismatch']);
  expect(await api.deployments.get('other')).toBeUndefined();
});

test('a call that was refused runs again', async () => {
  expect((await post({ id: 'later', spec: {} }, 'key-4')).status).toBe(400);
  expect((await post({ id: 'later', spec: {} }, 'key-4')).headers.get('idempotency-replayed')).toBeNull();
});

test('without a key a repeat is a conflict', async () => {
  await api.call('POST', PATH, { body: manifest('plain') });
  expect((await api.call('POST', PATH, { body: manifest('plain') })).status).toBe(409);
});

test.each(['', 'two words', 'x'.repeat(256), 'ümlaut'])('the key %p is refused', async (key) => {
  const { status, body } = await post(manifest('badkey'), key);
  expect([status, body.code]).toEqual([400, 'bad_query']);
});

test('the request id of a caller comes back; a harmful one is replaced', async () => {
  const named = await api.call('GET', '/health', { headers: { 'X-Request-Id': 'my-request.1' } });
  expect(named.headers.get('x-request-id')).toBe('my-request.1');
  const odd = await api.call('GET', '/health', { headers: { 'X-Request-Id': 'a b "c"' } });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a call that the database failed is answered without a second wait for the database', async () => {
  const away = new SlipwayError('unavailable', 'away');
  const store: IdempotencyStore = {
    begin: async () => ({ first: true, finish: async () => {}, abandon: () => new Promise(() => {}) }),
    purge: async () => 0,
  };
  const call = { caller: 'a', method: 'POST', path: '/', key: 'k', body: '' };
  const ctx = { body: undefined, response: {}, set: () => {}, status: 404, type: '' } as unknown as HttpContext;
  await expect(answerOnce(ctx, { store, call, answer: () => Promise.reject(away) })).rejects.toBe(away);
});
