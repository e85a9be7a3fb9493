import { createPublicKey } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  createEd25519Pair,
  createHmacSecret,
  parseSigningKey,
  parseVerifyingKey,
  publicJwk,
  publicTextOf,
  WebhookKeyError,
} from '../../../notifications/delivery/signing-keys.js';

const base64 = (size: number) => Buffer.alloc(size, 9).toString('base64');

test('a secret is 32 random bytes behind whsec_, and one key reads it for both sides', () => {
  const [one, other] = [createHmacSecret(), createHmacSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(other);
  expect(parseSigningKey(one)).toMatchObject({ kind: 'hmac' });
  expect(parseVerifyingKey(one)).toMatchObject({ kind: 'hmac' });
  expect(publicTextOf(one)).toBe(one);
});

test('an Ed25519 pair is stored as whsk_, shown as whpk_, and both are 32 bytes', () => {
  const { privateText, publicText } = createEd25519Pair();
  expect(privateText).toMatch(/^whsk_[A-Za-z0-9+/]{43}=$/);
  expect(publicText).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  expect(publicTextOf(privateText)).toBe(publicText);
  expect(parseSigningKey(privateText)).toMatchObject({ kind: 'ed25519' });
  expect(parseVerifyingKey(publicText)).toMatchObject({ kind: 'ed25519' });
});

test('a parsed secret does not show when it is printed', () => {
  const text = createHmacSecret();
  expect(inspect(parseSigningKey(text), { depth: 9, showHidden: true })).not.toContain(text.slice(6, 20));
});

test('the published key is a JWK that other libraries read, named by its thumbprint unless it has a name', () => {
  // RFC 8037, appendix A.
  const raw = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
  const jwk = publicJwk(`whpk_${raw.toString('base64')}`);
  expect(jwk).toEqual({
    ...{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    ...{ kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', use: 'sig', alg: 'EdDSA' },
  });
  expect(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
  expect(publicJwk(`whpk_${raw.toString('base64')}`, 'k1')).toMatchObject({ kid: 'k1' });
  expect(() => publicJwk(createHmacSecret())).toThrow(WebhookKeyError);
});

test.each([
  ['nothing', ''],
  ['a bare prefix', 'whsec_'],
  ['no prefix', base64(32)],
  ['a short secret', `whsec_${base64(23)}`],
  ['a long secret', `whsec_${base64(65)}`],
  ['Base64 without padding', `whsec_${base64(32).slice(0, -1)}`],
  ['Base64 for addresses', `whsec_${Buffer.alloc(32, 255).toString('base64url')}=`],
  ['a line break', `whsec_${base64(32)}\n`],
  ['a short private half', `whsk_${base64(31)}`],
  ['a private half with the public one behind it', `whsk_${base64(64)}`],
  ['a public half', `whpk_${base64(32)}`],
])('%s is refused as a signing key', (_, text) => {
  expect(() => parseSigningKey(text)).toThrow(expect.objectContaining({ code: 'key.malformed' }));
});

test.each([`whsec_`, `whpk_`, `whpk_${base64(33)}`, `whsk_${base64(32)}`, `whsec_${base64(16)}`])(
  '%s is refused as a verifying key, and the message does not repeat it',
  (text) => {
    expect(() => parseVerifyingKey(text)).toThrow(WebhookKeyError);
    expect(() => parseVerifyingKey(text)).not.toThrow(base64(12).slice(0, 12));
  },
);
