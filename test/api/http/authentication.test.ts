import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateKeyPair } from 'jose';
import { createIssuer } from '../../../platform/auth/issuer.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const health = (authorization: string) => api.call('GET', '/health', { as: null, headers: { authorization } });

test('tokens of every key type are good, and /health answers an empty object', async () => {
  for (const alg of ['RS256', 'ES256', 'EdDSA']) {
    const { status, body } = await health(`Bearer ${await api.token(['viewer'], { alg })}`);
    expect([alg, status, body]).toEqual([alg, 200, {}]);
  }
});

test('a token may be 30 s too late, not more', async () => {
  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
  expect((await health(`Bearer ${await api.token([], { expiresIn: ago(15) })}`)).status).toBe(200);
  expect((await health(`Bearer ${await api.token([], { expiresIn: ago(60) })}`)).status).toBe(401);
});

test('every spoilt token is 401', async () => {
  const { privateKey } = await generateKeyPair('RS256');
  const shared = new TextEncoder().encode(JSON.stringify(api.testIssuer.publicKey));
  const good = await api.token(['admin']);
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
  const reasons: Record<string, string> = {
    'another key': 'the signature of the token is by no key of the issuer',
    'an unknown key id': 'the signature of the token is by no key of the issuer',
    'a cut token': 'the signature of the token is by no key of the issuer',
    'another issuer': 'the token is from another issuer',
    'another audience': 'the token is for another audience',
    'no end': 'the token has no end (claim exp)',
    'no subject': 'the token names no subject (claim sub)',
    'not yet valid': 'the token is not valid yet',
    'too old': 'the token has expired: get a new one',
    'two words': 'no token: send the header "Authorization: Bearer <token>"',
  };
  const spoilt = {
    'too old': await api.token(['admin'], { expiresIn: Math.floor(Date.now() / 1_000) - 600 }),
    'another key': await api.token(['admin'], { key: privateKey }),
    'an unknown key id': await api.token(['admin'], { kid: 'made-up' }),
    'the public key as a shared secret': await api.token(['admin'], { alg: 'HS256', key: shared }),
    'another issuer': await api.token(['admin'], { issuer: 'https://elsewhere.example.org' }),
    'another audience': await api.token(['admin'], { audience: 'another-service' }),
    'no end': await api.token(['admin'], { expiresIn: null }),
    'no subject': await api.token(['admin'], { subject: null }),
    'not yet valid': await api.token(['admin'], { claims: { nbf: Math.floor(Date.now() / 1_000) + 600 } }),
    'no signature': unsigned,
    'a cut token': good.slice(0, -8),
    'no token': 'nonsense',
    'two words': `${good} ${good}`,
  };
  for (const [name, token] of Object.entries(spoilt)) {
    const { status, body, headers } = await health(`Bearer ${token}`);
    const reason = reasons[name] ?? 'the token cannot be read: send an access token of the issuer, whole and unchanged';
    expect([name, status, body.message, body.errors?.[0].message]).toEqual([name, 401, 'Unauthorized', reason]);
    const error = name === 'two words' ? '' : ` error="invalid_token", error_description="${reason}"`;
    expect(headers.get('www-authenticate')).toBe(`Bearer${error}`);
  }
  expect((await health(`Basic ${good}`)).status).toBe(401);
});

test('made-up key ids do not flood the issuer', async () => {
  const before = api.testIssuer.requests.length;
  for (let n = 0; n < 30; n += 1) await health(`Bearer ${await api.token([], { kid: `made-up-${n}` })}`);
  expect(api.testIssuer.requests.length - before).toBeLessThan(4);
});

test('who you are comes from the claims, with fallbacks for service accounts', async () => {
  const info = async (claims: Record<string, unknown>) => {
    const authorization = `Bearer ${await api.token(['viewer'], { claims })}`;
    return (await api.call('GET', '/api/v1/user/info', { as: null, headers: { authorization } })).body;
  };
  expect(await info({ name: 'Ann', email: 'ann@example.org' })).toEqual({
    username: 'Ann',
    email: 'ann@example.org',
    sub: 'tester',
    roles: ['viewer'],
  });
  expect(await info({ name: undefined, email: undefined, preferred_username: 'robot' })).toMatchObject({
    username: 'robot',
    email: '',
  });
  expect((await info({ email: 7 })).message).toBe('Malformed JWT: email claim is not the string type');
});

test('while the issuer never answered, calls are 503 with Retry-After', async () => {
  const dead = createServer(() => {});
  await new Promise<void>((done) => dead.listen(0, '127.0.0.1', done));
  const port = (dead.address() as { port: number }).port;
  await new Promise<void>((done) => dead.close(() => done()));
  const cut = await startTestApi({ issuer: createIssuer({ url: `http://127.0.0.1:${port}` }) });
  const reply = await cut.call('GET', '/health');
  await cut.stop();
  expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'unavailable', '2']);
});
