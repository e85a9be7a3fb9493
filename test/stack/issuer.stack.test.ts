import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ISSUER = process.env.OIDC_ISSUER ?? '';
const Discovery = z.looseObject({ token_endpoint: z.string(), jwks_uri: z.string() });
const Answer = z.looseObject({
  access_token: z.string().default(''),
  id_token: z.string().default(''),
  refresh_token: z.string().default(''),
});
const SCOPE = 'openid profile offline_access groups';

async function discover(path = '/.well-known/openid-configuration') {
  const response = await fetch(`${ISSUER}${path}`);
  expect(response.status).toBe(200);
  return Discovery.parse(await response.json());
}

async function requestToken(form: Record<string, string>) {
  const { token_endpoint } = await discover();
  const response = await fetch(token_endpoint, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: Answer.parse(await response.json()) };
}

function login(name: string, secret = `${name}-secret`) {
  return requestToken({ grant_type: 'client_credentials', client_id: name, client_secret: secret, scope: SCOPE });
}

test('discovery answers with and without a doubled slash, and names what clients read', async () => {
  const plain = await discover();
  expect(await discover('//.well-known/openid-configuration')).toEqual(plain);
  expect(plain).toMatchObject({ issuer: ISSUER, token_endpoint: expect.any(String), jwks_uri: expect.any(String) });
  for (const list of ['response_types_supported', 'subject_types_supported', 'id_token_signing_alg_values_supported']) {
    expect(plain[list]).toEqual(expect.arrayContaining([expect.any(String)]));
  }
});

test.each([
  ['demo-admin', 'admin'],
  ['demo-scientist', 'data_scientist'],
  ['demo-viewer', 'viewer'],
  ['demo-custom', 'wine-callers'],
])('%s gets all three tokens, both bearers with the role %s', async (client, role) => {
  const { status, body } = await login(client);
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, refresh_token: expect.stringContaining('.') });
  expect(body.id_token.split('.')[1]).toMatch(/^[A-Za-z0-9]+$/);
  const keys = createRemoteJWKSet(new URL((await discover()).jwks_uri));
  for (const token of [body.access_token, body.id_token]) {
    const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: 'slipway', algorithms: ['RS256'] });
    expect(payload.realm_access).toEqual({ roles: [role] });
  }
});

test('a wrong secret is 401 invalid_client', async () => {
  expect(await login('demo-admin', 'wrong')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  expect(await login('unknown')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
});

test('a refresh gives three new tokens, and the old refresh token still serves a second caller', async () => {
  const { body } = await login('demo-scientist');
  const credentials = { client_id: 'demo-scientist', client_secret: 'demo-scientist-secret' };
  const refresh = () =>
    requestToken({ grant_type: 'refresh_token', refresh_token: body.refresh_token, ...credentials });
  for (const answer of [await refresh(), await refresh()]) {
    expect(answer.status).toBe(200);
    const { access_token, id_token, refresh_token } = answer.body;
    for (const token of [access_token, id_token, refresh_token]) expect(token.split('.')).toHaveLength(3);
  }
});

test('a refresh token of another client is refused', async () => {
  const { body } = await login('demo-admin');
  const form = { client_id: 'demo-viewer', client_secret: 'demo-viewer-secret', refresh_token: body.refresh_token };
  const answer = await requestToken({ grant_type: 'refresh_token', ...form });
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});
