import { afterEach, expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import { createSlipway } from '../../client/index.js';
import { createTransport } from '../../client/transport.js';
import { sendJson, startReplyServer, type ReplyServer } from './reply-server.js';

let server: ReplyServer | undefined;
afterEach(() => server?.stop());

async function answering(answer: (response: ServerResponse, count: number) => void, more: object = {}) {
  const waits: number[] = [];
  const renewals: boolean[] = [];
  server = await startReplyServer((_seen, response, count) => answer(response, count));
  const token = async ({ renew = false } = {}) => (renewals.push(renew), `token-${renewals.length}`);
  const send = createTransport({ tokens: { token }, pause: async (ms) => void waits.push(ms), ...more });
  const { url } = server;
  const request = (method = 'GET', headers: Record<string, string> = {}) => send(new Request(url, { method, headers }));
  return { request, waits, renewals, url, seen: server.seen };
}

test('a refused token is renewed once, and the request sent again with the new one', async () => {
  const { request, renewals, seen } = await answering((response, count) =>
    sendJson(response, count === 1 ? 401 : 200, {}),
  );
  expect((await request()).status).toBe(200);
  expect(renewals).toEqual([false, true]);
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a second refusal is the answer', async () => {
  const { request, seen } = await answering((response) =>
    sendJson(response, 401, { message: 'Unauthorized', code: 'unauthenticated', requestId: 'r1' }),
  );
  await expect(request()).rejects.toMatchObject({
    code: 'unauthenticated',
    status: 401,
    message: 'Unauthorized',
    requestId: 'r1',
  });
  expect(seen).toHaveLength(2);
});

test('a problem document of /v2 is thrown with its code, its detail and its findings', async () => {
  const finding = { code: 'filter.field', message: 'there is no field "a"', pointer: '/filter' };
  const problem = { type: '/v2/problems/filter.invalid', title: 'T', status: 422, code: 'filter.invalid' };
  const { request } = await answering((response, count) =>
    sendJson(response, 422, count === 1 ? { ...problem, detail: 'the reason', errors: [finding] } : problem),
  );
  await expect(request()).rejects.toMatchObject({
    code: 'filter.invalid',
    message: 'the reason',
    issues: [{ path: '/filter', code: 'filter.field', message: 'there is no field "a"' }],
  });
  await expect(request()).rejects.toMatchObject({ message: 'T', issues: [] });
});

test('a busy server is asked again after the time that it names, with the same key', async () => {
  const { request, waits, seen } = await answering((response, count) => {
    if (count === 1) sendJson(response, 503, {}, { 'retry-after': '2' });
    else if (count === 2) sendJson(response, 429, {});
    else sendJson(response, 201, {});
  });
  expect((await request('POST')).status).toBe(201);
  expect(waits).toEqual([2_000, 1_000]);
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
});

test('every request has a key of its own, and reads have none', async () => {
  const { request, seen } = await answering((response) => sendJson(response, 200, {}));
  for (const method of ['POST', 'PUT', 'DELETE', 'GET']) await request(method);
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys.slice(0, 3)).size).toBe(3);
  expect(keys[3]).toBeUndefined();
});

test('a server that stays busy is an error after the last try', async () => {
  const { request, seen } = await answering(
    (response) => sendJson(response, 503, { message: 'too much', code: 'unavailable' }),
    { retries: 2 },
  );
  await expect(request()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  expect(seen).toHaveLength(3);
});

test('a connection that breaks is tried once more, but not with a DELETE or a conditional change', async () => {
  const broken = await answering((response, count) =>
    count === 1 ? void response.destroy() : sendJson(response, 200, {}),
  );
  expect((await broken.request('POST')).status).toBe(200);
  await server?.stop();
  for (const [method, headers] of [
    ['DELETE', {}],
    ['PUT', { 'If-Match': '"1"' }],
  ] as const) {
    const { request, seen } = await answering((response) => void response.destroy());
    await expect(request(method, headers)).rejects.toMatchObject({ code: 'unreachable', status: 0 });
    expect(seen).toHaveLength(1);
    await server?.stop();
  }
});

test.each(['/v2/keys', '/v2/keys/k1/rotate'])('a new secret of %s is asked for once', async (path) => {
  const { url, seen } = await answering((response) => sendJson(response, 503, { code: 'unavailable' }));
  const tokens = { token: async () => 'one' };
  const send = createTransport({ tokens, pause: async () => undefined });
  await expect(send(new Request(`${url}${path}`, { method: 'POST' }))).rejects.toMatchObject({ code: 'unavailable' });
  expect(seen).toHaveLength(1);
});

test('an address without a server is a clear error at once', async () => {
  const { request, url, waits } = await answering((response) => sendJson(response, 200, {}));
  await server?.stop();
  server = undefined;
  await expect(request()).rejects.toMatchObject({
    code: 'unreachable',
    message: `${url} cannot be reached: nothing listens there`,
  });
  expect(waits).toEqual([]);
});

test('a reply that does not begin in time is unreachable', async () => {
  const { request } = await answering(() => undefined, { timeoutMs: 50 });
  await expect(request()).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('no answer in time'),
  });
});

test('a caller that gives up gets its own reason', async () => {
  const { url } = await answering(() => undefined);
  const slipway = createSlipway({ server: url, credentials: { token: 't' } });
  const signal = AbortSignal.timeout(50);
  await expect(slipway.entities('ModelTraining').get('wine', { signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test('the gateway says in a header why it denies a model', async () => {
  const { url } = await answering((response) =>
    response.writeHead(404, { 'x-slipway-error': 'no such deployment' }).end(),
  );
  const slipway = createSlipway({ server: url, credentials: { token: 't' } });
  await expect(slipway.invoke('wine', {})).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
    message: 'no such deployment',
  });
});

test('a client without credentials says what it needs', () => {
  const options = { server: 'http://127.0.0.1:9' } as Parameters<typeof createSlipway>[0]; // as JavaScript may call it
  expect(() => createSlipway(options)).toThrow('credentials are missing: { clientId, clientSecret } or { token }');
});
