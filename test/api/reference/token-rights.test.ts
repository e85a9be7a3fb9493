import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBearer } from '../../../api/reference/bearer.js';
import { createIssuer } from '../../../platform/auth/issuer.js';
import { startTestIssuer, type TestIssuer } from '../test-issuer.js';

let issuer: TestIssuer;
beforeAll(async () => void (issuer = await startTestIssuer()));
afterAll(() => issuer.stop());

const scopesWith = async (rules: { ownScopes?: boolean; roleMap?: Record<string, 'admin' | 'viewer'> }) => {
  const trusted = createIssuer({ url: issuer.url });
  const verify = createBearer({ issuer: trusted, audience: ['slipway'], roleClaims: ['roles'], ...rules });
  const claims = { scope: 'keys:admin openid', scp: ['datasets:admin'], roles: ['viewer'] };
  const { scopes } = await verify(await issuer.token([], { claims }));
  trusted.close();
  return scopes;
};

test('scopes of the token itself count unless they are switched off', async () => {
  expect(await scopesWith({})).toEqual(expect.arrayContaining(['keys:admin', 'datasets:admin', 'data:read:*']));
  const ofRole = await scopesWith({ ownScopes: false });
  expect(ofRole).toContain('data:read:*');
  expect(ofRole).not.toContain('keys:admin');
  expect(ofRole).not.toContain('datasets:admin');
});

test('with a map a role gives scopes only by its mapped value', async () => {
  expect(await scopesWith({ ownScopes: false, roleMap: { 'ml-viewers': 'viewer' } })).toEqual([]);
  expect(await scopesWith({ ownScopes: false, roleMap: { viewer: 'viewer' } })).toContain('data:read:*');
});

test.each([
  ['tester', 'tester'],
  ['key:k000000000000001', 'jwt:key:k000000000000001'],
  ['jwt:key:k000000000000001', 'jwt:jwt:key:k000000000000001'],
])('the subject %s is the actor %s, never that of an API key', async (sub, actor) => {
  const trusted = createIssuer({ url: issuer.url });
  const verify = createBearer({ issuer: trusted, audience: ['slipway'], roleClaims: ['roles'] });
  expect((await verify(await issuer.token([], { subject: sub }))).actor).toBe(actor);
  trusted.close();
});
