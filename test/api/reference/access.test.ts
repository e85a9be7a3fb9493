import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateKeyPair } from 'jose';
import { ALL_SCOPES, declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
let path: string;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  const { headers } = await api.call('POST', '/v2/skills', { body: { name: 'Welding' } });
  path = headers.get('location') ?? '';
});
afterAll(() => api.stop());

const issue = (scopes: string[], more: object = {}) =>
  api.call('POST', '/v2/keys', { body: { name: 'test', scopes, ...more } });
async function newKey(scopes: string[], more: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body } = await issue(scopes, more);
  expect(status).toBe(201);
  return body;
}

test('key and token are equal', async () => {
  const { secret } = await newKey(['data:read:*']);
  const byKey = await api.call('GET', path, { key: secret });
  const byToken = await api.call('GET', path, { as: ['data:read:*'] });
  expect([byKey.status, byToken.status]).toEqual([200, 200]);
  expect(byKey.text).toBe(byToken.text);
});

test('no credential, a bad one and two at once get different codes', async () => {
  const none = await api.call('GET', path, { as: null });
  expect([none.status, none.body.code]).toEqual([401, 'auth.required']);
  expect(none.headers.get('www-authenticate')).toContain('Bearer');
  const { secret } = await newKey(['data:read:*']);
  const wrong = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const key of [
    wrong,
    'slp_x',
    '',
    secret.replace(/^slp_k./, (start) => (start === 'slp_kz' ? 'slp_ky' : 'slp_kz')),
  ]) {
    const bad = await api.call('GET', path, { key });
    expect([key, bad.status, bad.body.code]).toEqual([key, 401, 'auth.invalid']);
  }
  const both = await api.call('GET', path, { key: secret, headers: { authorization: 'Bearer x' } });
  expect([both.status, both.body.code]).toEqual([400, 'auth.two_credentials']);
});

test('a token is refused for each reason that there is', async () => {
  const { issuer } = api;
  const { privateKey } = await generateKeyPair('RS256');
  const claims = { scope: 'data:read:*' };
  const tokens = {
    malformed: 'no token',
    expired: await issuer.token([], { claims, expiresIn: '-2m' }),
    'without end': await issuer.token([], { claims, expiresIn: null }),
    'of another issuer': await issuer.token([], { claims, issuer: 'https://elsewhere.example' }),
    'for another audience': await issuer.token([], { claims, audience: 'other' }),
    'not yet valid': await issuer.token([], { claims: { ...claims, nbf: Math.floor(Date.now() / 1_000) + 300 } }),
    'signed by another key': await issuer.token([], { claims, key: privateKey }),
    'signed with a shared secret': await issuer.token([], { claims, alg: 'HS256', key: new Uint8Array(32) }),
    'of an unknown key': await issuer.token([], { claims, kid: 'unknown' }),
  };
  for (const [why, token] of Object.entries(tokens)) {
    const reply = await api.call('GET', path, { as: null, headers: { authorization: `Bearer ${token}` } });
    expect([why, reply.status, reply.body.code]).toEqual([why, 401, 'auth.invalid']);
  }
  const basic = await api.call('GET', path, { as: null, headers: { authorization: 'Basic eDp5' } });
  expect(basic.body.code).toBe('auth.invalid');
});

test('a token within the skew is taken, and roles carry scopes', async () => {
  const late = await api.issuer.token(['viewer'], { expiresIn: '-20s' });
  const headers = { authorization: `Bearer ${late}` };
  expect((await api.call('GET', path, { as: null, headers })).status).toBe(200);
  const reply = await api.call('DELETE', path, { as: null, headers });
  expect([reply.status, reply.body.scope]).toEqual([403, 'data:write:skills']);
});

test.each([
  ['GET', '/v2/datasets/skills', 'data:read:skills'],
  ['PUT', '/v2/datasets/skills', 'datasets:admin'],
  ['DELETE', '/v2/datasets/skills', 'datasets:admin'],
  ['POST', '/v2/skills', 'data:write:skills'],
  ['GET', '/v2/skills/1', 'data:read:skills'],
  ['PUT', '/v2/skills/1', 'data:write:skills'],
  ['PATCH', '/v2/skills/1', 'data:write:skills'],
  ['DELETE', '/v2/skills/1', 'data:write:skills'],
  ['GET', '/v2/keys', 'keys:admin'],
  ['POST', '/v2/keys', 'keys:admin'],
  ['GET', '/v2/keys/k1', 'keys:admin'],
  ['DELETE', '/v2/keys/k1', 'keys:admin'],
  ['POST', '/v2/keys/k1/rotate', 'keys:admin'],
])('%s %s wants %s, of a key and of a token', async (method, target, scope) => {
  const others = [...ALL_SCOPES, 'data:read:positions', 'data:write:positions'].filter((each) => {
    const [area, right, dataset] = scope.split(':');
    return each !== scope && !(dataset !== undefined && each === `${area}:${right}:*`);
  });
  const { secret } = await newKey(others);
  for (const reply of [
    await api.call(method, target, { as: others }),
    await api.call(method, target, { key: secret }),
  ]) {
    expect([reply.status, reply.body.code, reply.body.scope]).toEqual([403, 'auth.scope', scope]);
  }
  expect((await api.call(method, target, { as: [scope] })).body?.code).not.toBe('auth.scope');
});

test('a key shows its secret once, and is stored without it', async () => {
  const { id, secret } = await newKey(['data:read:skills'], { expires_at: '2100-01-01T00:00:00+01:00' });
  const read = await api.call('GET', `/v2/keys/${id}`);
  expect(read.body).toEqual({
    id,
    name: 'test',
    scopes: ['data:read:skills'],
    owner: 'tester',
    created_at: expect.any(String),
    expires_at: '2099-12-31T23:00:00.000Z',
    last_used_at: null,
  });
  await api.call('GET', path, { key: secret });
  expect((await api.call('GET', `/v2/keys/${id}`)).body.last_used_at).not.toBeNull();
  const listed = await api.call('GET', '/v2/keys');
  expect(listed.body.items.map((key: { id: string }) => key.id)).toContain(id);
  const hidden = secret.slice(`slp_${id}_`.length);
  expect(hidden).toMatch(/^[\w-]{43}$/);
  for await (const row of api.database.table('log').scan()) expect(JSON.stringify(row)).not.toContain(hidden);
  expect(listed.text).not.toContain(hidden);
  expect(api.lines.join()).not.toContain(hidden);
});

test('a key ends with its time, and with its revocation in every process', async () => {
  const past = await newKey(['data:read:*'], { expires_at: '2020-01-01T00:00:00Z' });
  expect((await api.call('GET', path, { key: past.secret })).status).toBe(401);
  const other = await startTestReference({ database: api.database, issuer: api.issuer });
  const { id, secret } = await newKey(['data:read:*']);
  const until = async (status: number) => {
    const deadline = Date.now() + 120_000;
    while ((await other.call('GET', path, { key: secret })).status !== status) {
      if (Date.now() > deadline) throw new Error(`the other process never answered ${status}`);
    }
  };
  await until(200);
  expect((await api.call('DELETE', `/v2/keys/${id}`)).status).toBe(204);
  expect((await api.call('GET', path, { key: secret })).status).toBe(401);
  await until(401);
  expect((await api.call('DELETE', `/v2/keys/${id}`)).status).toBe(404);
  await other.stop();
});

test('a rotated key has a new secret, and the old one for the time that was chosen', async () => {
  const { id, secret } = await newKey(['data:read:*']);
  const overlapped = await api.call('POST', `/v2/keys/${id}/rotate`, { body: { overlap_seconds: 60 } });
  for (const key of [secret, overlapped.body.secret]) expect((await api.call('GET', path, { key })).status).toBe(200);
  const cut = await api.call('POST', `/v2/keys/${id}/rotate`, { body: { overlap_seconds: 0 } });
  expect((await api.call('GET', path, { key: cut.body.secret })).status).toBe(200);
  expect((await api.call('GET', path, { key: overlapped.body.secret })).status).toBe(401);
});

test('a key is not issued with a scope that its issuer lacks', async () => {
  const body = { name: 'more', scopes: ['data:write:skills'] };
  const reply = await api.call('POST', '/v2/keys', { as: ['keys:admin', 'data:read:*'], body });
  expect([reply.status, reply.body.scope]).toEqual([403, 'data:write:skills']);
  expect((await issue(['everything'])).body.errors[0].pointer).toBe('/scopes/0');
  expect((await issue(['data:read:*'], { extra: 1 })).status).toBe(422);
});

test('a client above its rate gets Retry-After; other clients are not limited', async () => {
  const slow = await startTestReference({ changes: { ratePerSecond: 5 } });
  const ask = () => slow.call('GET', '/v2/health', { as: [] });
  let last = await ask();
  // A machine may be so busy that a window ends before its ten were asked for.
  for (const deadline = Date.now() + 120_000; last.status === 200 && Date.now() < deadline;) last = await ask();
  expect(last.body.code).toBe('rate.exceeded');
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(last.headers.get('ratelimit-policy')).toBe('"client";q=10;w=2');
  expect(last.headers.get('ratelimit')).toMatch(/^"client";r=0;t=\d$/);
  const issued = await slow.keys.issue({ name: 'other', scopes: ['data:read:*'] }, 'test');
  expect((await slow.call('GET', '/v2/health', { key: issued.secret })).status).toBe(200);
  await slow.stop();
});

test('what a problem means can be read by everybody', async () => {
  const reply = await api.call('GET', '/v2/problems/entity.deleted', { as: null });
  expect(reply.body).toEqual({ code: 'entity.deleted', title: expect.any(String), help: expect.any(String) });
  expect((await api.call('GET', '/v2/problems/nothing', { as: null })).status).toBe(404);
});

test.each([
  ['DELETE', '/v2/skills/search', 'GET, HEAD'],
  ['GET', '/v2/skills/batch', 'POST'],
  ['PATCH', '/v2/datasets/skills', 'DELETE, GET, HEAD, PUT'],
  ['POST', '/v2/health', 'GET, HEAD'],
])('%s %s gets the allowed methods', async (method, target, allow) => {
  const reply = await api.call(method, target);
  expect([reply.status, reply.body.code, reply.headers.get('allow')]).toEqual([405, 'path.method', allow]);
});
