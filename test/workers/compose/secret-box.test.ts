import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { openSecretBox } from '../../../workers/compose/secret-box.js';

const AT = 'Connection/a/password';
const newKey = () => randomBytes(32).toString('base64');
const boxOf = (environment: Record<string, string>) =>
  openSecretBox(parseSettings({ OIDC_ISSUER: 'https://issuer.test', ...environment }));
const refusalOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (err) {
    if (!(err instanceof SlipwayError)) throw err;
    return err.code;
  }
};

test('without a key no secret is stored, rather than one in plain text', () => {
  expect(refusalOf(() => boxOf({}))).toBe('validation_failed');
});

test('what one process seals every other process with its key opens, and no text of it is readable', () => {
  const environment = { SLIPWAY_SECRET_KEY: newKey() };
  const sealed = boxOf(environment).seal('s3cret', AT);
  expect(sealed).not.toContain('s3cret');
  expect(boxOf(environment).open(sealed, AT)).toBe('s3cret');
});

test('after a change of the key the old one still opens, and only as long as it is listed', () => {
  const [before, now] = [newKey(), newKey()];
  const sealed = boxOf({ SLIPWAY_SECRET_KEY: before }).seal('s3cret', AT);
  const both = boxOf({ SLIPWAY_SECRET_KEY: now, SLIPWAY_OLD_SECRET_KEYS: before });
  expect(both.open(sealed, AT)).toBe('s3cret');
  // New secrets need the new key alone.
  expect(boxOf({ SLIPWAY_SECRET_KEY: now }).open(both.seal('other', AT), AT)).toBe('other');
  expect(() => boxOf({ SLIPWAY_SECRET_KEY: now }).open(sealed, AT)).toThrow();
});

test('a sealed secret that was changed or cut is not opened', () => {
  const box = boxOf({ SLIPWAY_SECRET_KEY: newKey() });
  const sealed = box.seal('s3cret', AT);
  const last = sealed.at(-6) === 'A' ? 'B' : 'A';
  for (const broken of [sealed.slice(0, -6), `${sealed.slice(0, -6)}${last}${sealed.slice(-5)}`]) {
    expect(() => box.open(broken, AT)).toThrow();
  }
});
