import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify, type JWK } from 'jose';
import { expect, test } from 'vitest';
import { createTokenIssuer } from '../../stack/issuer/tokens.js';

const ISSUER = 'http://127.0.0.1:1';
const SCOPE = 'openid profile offline_access groups';

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: 'key-1', alg: 'RS256', use: 'sig' };
}

function publicPart({ kty, n, e, kid, alg }: JWK) {
  return createLocalJWKSet({ keys: [{ kty: kty ?? '', n, e, kid, alg }] });
}

test('both bearer tokens carry roles and the audience, signed by the published key', async () => {
  const key = await makeKey();
  const issued = await createTokenIssuer({ issuer: ISSUER, key }).issue('demo-scientist', SCOPE);
  for (const token of [issued.access_token, issued.id_token]) {
    const { payload } = await jwtVerify(token, publicPart(key), {
      issuer: ISSUER,
      audience: 'slipway',
      algorithms: ['RS256'],
    });
    expect(payload).toMatchObject({ sub: 'demo-scientist', realm_access: { roles: ['data_scientist'] } });
    expect(payload.exp).toBe((payload.iat ?? 0) + issued.expires_in);
  }
});

test('payloads of many tokens hold no character beyond the plain Base64 alphabet, whatever the scope says', async () => {
  const tokens = createTokenIssuer({ issuer: ISSUER, key: await makeKey() });
  for (const odd of ['a>>>?~~~', 'ab?>~?>~?', 'abc~~??>>', '\u00fc\u00df\u2713']) {
    const { id_token, access_token, refresh_token } = await tokens.issue('demo-custom', odd);
    for (const token of [id_token, access_token, refresh_token]) expect(token.split('.')[1]).toMatch(/^[A-Za-z0-9]+$/);
    expect(decodeJwt(access_token).scope).toBe(odd);
  }
});

test('a refresh token serves its own client, more than once, and is no bearer', async () => {
  const key = await makeKey();
  const tokens = createTokenIssuer({ issuer: ISSUER, key });
  const { refresh_token } = await tokens.issue('demo-viewer', SCOPE);
  expect(await tokens.readRefreshToken(refresh_token, 'demo-viewer')).toBe(SCOPE);
  expect(await tokens.readRefreshToken(refresh_token, 'demo-viewer')).toBe(SCOPE);
  expect(await tokens.readRefreshToken(refresh_token, 'demo-admin')).toBeUndefined();
  await expect(jwtVerify(refresh_token, publicPart(key), { audience: 'slipway' })).rejects.toThrow('aud');
});

test('neither a bearer token, nor an expired one, nor one of another key refreshes', async () => {
  const key = await makeKey();
  let now = 1_000_000;
  const tokens = createTokenIssuer({ issuer: ISSUER, key, nowSeconds: () => now });
  const { access_token, id_token, refresh_token } = await tokens.issue('demo-viewer', SCOPE);
  const other = await createTokenIssuer({ issuer: ISSUER, key: await makeKey(), nowSeconds: () => now }).issue(
    'demo-viewer',
    SCOPE,
  );
  for (const token of [access_token, id_token, other.refresh_token, 'nonsense']) {
    expect(await tokens.readRefreshToken(token, 'demo-viewer')).toBeUndefined();
  }
  now += 31 * 86_400;
  expect(await tokens.readRefreshToken(refresh_token, 'demo-viewer')).toBeUndefined();
});
