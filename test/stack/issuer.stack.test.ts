import { expect, test } from '@jest/globals';

test('the issuer is up', async () => {
  const answer = await fetch(`${process.env.OIDC_ISSUER}//.well-known/openid-configuration`);
  expect(answer.status).toBe(200);
});
