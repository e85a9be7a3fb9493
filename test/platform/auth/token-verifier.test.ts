import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIssuer, type Issuer, tokenEndpoint } from '../../../platform/auth/issuer.js';
import { bearerToken, createTokenVerifier, type VerifyToken } from '../../../platform/auth/token-verifier.js';
import { startIssuerServer } from './issuer-server.js';

const MINUTE_MS = 60_000;
const seconds = (ms: number): number => Math.floor(ms / 1_000);

let server: Awaited<ReturnType<typeof startIssuerServer>>;
let now: number;
let issuer: Issuer;
let verify: VerifyToken<{ sub: string }>;
beforeEach(async () => {
  server = await startIssuerServer();
  now = Date.now();
  issuer = createIssuer({ url: server.url, now: () => now });
  const toIdentity = ({ sub }: { sub: string }) => ({ sub });
  verify = createTokenVerifier({ issuer, audience: ['slipway'], toIdentity, now: () => now });
});
afterEach(async () => {
  issuer.close();
  await server.stop();
});

test('a token of each asymmetric algorithm is accepted', async () => {
  await server.rotate('RS256', 'ES256', 'EdDSA');
  for (const alg of ['RS256', 'ES256', 'EdDSA']) {
    expect(await verify(await server.token({ alg }))).toEqual({ sub: 'tester' });
  }
});

test('issuer, audience, expiry and subject are required', async () => {
  const refused = {
    'another issuer': await server.token({ issuer: 'http://elsewhere.test' }),
    'another audience': await server.token({ audience: 'other' }),
    'no expiry': await server.token({ expires: null }),
    'no subject': await server.token({ subject: null }),
    'an empty subject': await server.token({ subject: '' }),
    'no signature': 'eyJhbGciOiJub25lIn0.e30.',
    'no token': 'nonsense',
  };
  for (const [name, token] of Object.entries(refused)) {
    await expect(Promise.resolve(verify(token)).then(() => name)).rejects.toMatchObject({ code: 'unauthenticated' });
  }
});

test('a token is accepted for 30 s after its expiry, also when it is cached', async () => {
  const token = await server.token({ expires: seconds(now) + 10 });
  await verify(token);
  now += 39_000;
  expect(await verify(token)).toEqual({ sub: 'tester' });
  now += 2_000;
  await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a cached token is answered at once, without a request', async () => {
  const token = await server.token();
  await verify(token);
  const before = server.requests.length;
  for (let n = 0; n < 100; n += 1) expect(verify(token)).toEqual({ sub: 'tester' });
  expect(server.requests.length).toBe(before);
});

test('a key that the issuer withdrew verifies nothing more, and its cached tokens are dropped', async () => {
  const old = await server.token();
  await verify(old);
  await server.rotate('ES256');
  await issuer.refresh();
  await expect(verify(old)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await verify(await server.token())).toEqual({ sub: 'tester' });
});

test('known keys outlive an outage of the issuer for an hour', async () => {
  await verify(await server.token());
  server.setDown(true);
  const token = await server.token();
  now += 59 * MINUTE_MS;
  await expect(issuer.refresh()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await verify(await server.token({ expires: seconds(now) + 60 }))).toEqual({ sub: 'tester' });
  now += 2 * MINUTE_MS;
  await expect(verify(token)).rejects.toMatchObject({ code: 'unavailable' });
  server.setDown(false);
  expect(await verify(await server.token({ expires: seconds(now) + 60 }))).toEqual({ sub: 'tester' });
});

test('an issuer that never answered is 503, is asked again, and names no token endpoint', async () => {
  server.setDown(true);
  const token = await server.token();
  await expect(verify(token)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await tokenEndpoint(issuer)).toBeUndefined();
  server.setDown(false);
  expect(await verify(token)).toEqual({ sub: 'tester' });
  expect(await tokenEndpoint(issuer)).toBe(`${server.url}/token`);
});

test.each([
  ['another issuer', { issuer: 'http://elsewhere.test' }],
  ['no issuer', { issuer: undefined }],
  ['keys that are a file', { jwks_uri: 'file:///etc/keys' }],
])('a discovery document with %s is not accepted', async (_name, members) => {
  server.setDiscovery(members);
  await expect(verify(await server.token())).rejects.toMatchObject({ code: 'unavailable' });
});

test('an https issuer has its keys at an https address', async () => {
  const url = 'https://issuer.test';
  const asked: string[] = [];
  const fetch = async (address: string | URL | Request) => {
    asked.push(address instanceof Request ? address.url : address.toString());
    return Response.json({ issuer: url, jwks_uri: 'http://issuer.test/jwks' });
  };
  await expect(createIssuer({ url, fetch }).refresh()).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toEqual([`${url}/.well-known/openid-configuration`]);
});

test('the keys are read again on their own', async () => {
  const quick = createIssuer({ url: server.url, refreshMs: 20 });
  await quick.endpoints();
  const before = quick.revision();
  await server.rotate('RS256');
  while (quick.revision() === before) await new Promise((resolve) => setTimeout(resolve, 5));
  quick.close();
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc', 'abc'],
  ['Basic abc', undefined],
  ['Bearer a b', undefined],
  ['', undefined],
  [undefined, undefined],
])('the token of %j is %j', (header, token) => {
  expect(bearerToken(header)).toBe(token);
});
