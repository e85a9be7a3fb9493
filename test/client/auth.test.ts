import { afterEach, expect, test } from 'vitest';
import { clientCredentials, discoverTokenEndpoint, type Token } from '../../client/index.js';
import { sendJson, startReplyServer, type ReplyServer } from './reply-server.js';

let issuer: ReplyServer;
afterEach(() => issuer.stop());

async function issuing(expiresIn: number | undefined = 3_600) {
  issuer = await startReplyServer((_seen, response, count) =>
    sendJson(response, 200, { access_token: `token-${count}`, expires_in: expiresIn }),
  );
  const clock = { ms: 1_000_000 };
  const options = { tokenEndpoint: `${issuer.url}/token`, clientId: 'me', clientSecret: 's&=c', now: () => clock.ms };
  return { clock, options, tokens: clientCredentials(options) };
}

test('one token serves until a minute before its end', async () => {
  const { tokens, clock } = await issuing();
  expect(await tokens.token()).toBe('token-1');
  clock.ms += 3_539_000;
  expect(await tokens.token()).toBe('token-1');
  clock.ms += 2_000;
  expect(await tokens.token()).toBe('token-2');
  const form = new URLSearchParams(issuer.seen[0]?.body);
  expect(Object.fromEntries(form)).toEqual({
    grant_type: 'client_credentials',
    client_id: 'me',
    client_secret: 's&=c',
    scope: 'openid',
  });
});

test('a token of a short life is used for most of it', async () => {
  const { tokens, clock } = await issuing(20);
  await tokens.token();
  clock.ms += 17_000;
  expect(await tokens.token()).toBe('token-1');
  clock.ms += 2_000;
  expect(await tokens.token()).toBe('token-2');
});

test('requests at the same time share one token', async () => {
  const { tokens } = await issuing();
  expect(await Promise.all([tokens.token(), tokens.token(), tokens.token()])).toEqual([
    'token-1',
    'token-1',
    'token-1',
  ]);
  expect(issuer.seen).toHaveLength(1);
});

test('a kept token saves the question, unless it was refused or is too old', async () => {
  const { options, clock } = await issuing();
  let kept: Token | undefined = { value: 'kept', expiresAt: clock.ms + 5_000 };
  const cache = { read: async () => kept, write: async (token: Token) => void (kept = token) };
  const tokens = clientCredentials({ ...options, cache });
  expect(await tokens.token()).toBe('kept');
  expect(await tokens.token({ renew: true })).toBe('token-1');
  expect(kept?.value).toBe('token-1');
  clock.ms += 3_600_000;
  expect(await clientCredentials({ ...options, cache }).token()).toBe('token-2');
});

test('a wrong secret, an issuer that is down and a server that is no issuer are different errors', async () => {
  issuer = await startReplyServer((_seen, response) => sendJson(response, 401, { error: 'invalid_client' }));
  const options = { tokenEndpoint: `${issuer.url}/token`, clientId: 'me', clientSecret: 'x' };
  await expect(clientCredentials(options).token()).rejects.toMatchObject({
    code: 'login_failed',
    message: 'the issuer does not know client "me" with this secret; it may be mistyped, expired or replaced',
  });
  await expect(discoverTokenEndpoint({ server: '', issuer: issuer.url })).rejects.toMatchObject({
    code: 'login_failed',
  });
  await expect(discoverTokenEndpoint({ server: issuer.url })).rejects.toMatchObject({ code: 'not_slipway' });
  await issuer.stop();
  await expect(clientCredentials(options).token()).rejects.toMatchObject({ code: 'unreachable' });
  issuer = await startReplyServer(() => undefined);
});

test("the token endpoint is in the server's OpenAPI document, or in the issuer's discovery", async () => {
  const tokenUrl = 'https://issuer.example.org/token';
  issuer = await startReplyServer(({ url }, response) => {
    const flows = { clientCredentials: { tokenUrl, scopes: {} } };
    const document = { openapi: '3.1.0', components: { securitySchemes: { login: { type: 'oauth2', flows } } } };
    sendJson(response, 200, url.endsWith('/openid-configuration') ? { token_endpoint: `${tokenUrl}2` } : document);
  });
  expect(await discoverTokenEndpoint({ server: `${issuer.url}/` })).toBe(tokenUrl);
  expect(await discoverTokenEndpoint({ server: issuer.url, issuer: `${issuer.url}/realm/` })).toBe(`${tokenUrl}2`);
  expect(issuer.seen.map(({ url }) => url)).toEqual(['/swagger/data.json', '/realm/.well-known/openid-configuration']);
});
