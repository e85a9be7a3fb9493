import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createSecretBox } from '../../../platform/stores/secrets.js';

const newKey = () => randomBytes(32).toString('base64');

test('any text comes back, and no two seals are alike', () => {
  const box = createSecretBox({ key: newKey() });
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (plain) => box.open(box.seal(plain)) === plain));
  expect(box.seal('a')).not.toBe(box.seal('a'));
  expect(box.seal('hunter2')).not.toContain('hunter2');
});

test('after a rotation old texts open and new ones need the new key', () => {
  const [old, current] = [newKey(), newKey()];
  const before = createSecretBox({ key: old });
  const after = createSecretBox({ key: current, oldKeys: [old] });
  expect(after.open(before.seal('x'))).toBe('x');
  expect(() => before.open(after.seal('x'))).toThrow(/sealed with key [0-9a-f]{8}, which is not configured/);
});

test('a changed character anywhere is found, and nothing secret is in the error', () => {
  const key = newKey();
  const box = createSecretBox({ key });
  const sealed = box.seal('hunter2');
  for (let at = 0; at < sealed.length; at++) {
    // The last character of Base64 may hold spare bits: change it by more than those.
    const other = sealed[at] === 'A' ? 'z' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    let error: unknown;
    try {
      box.open(changed);
    } catch (err) {
      error = err;
    }
    expect(error).toMatchObject({ name: 'SlipwayError', code: 'internal', expose: false });
    expect(inspect(error)).not.toMatch(/hunter2/);
    expect(inspect(error)).not.toContain(key);
    expect(inspect(error)).not.toContain(sealed.slice(12));
  }
  for (const cut of ['', 'hunter2', sealed.slice(0, 20)]) expect(() => box.open(cut)).toThrow(/stored secret/);
});

test('a key that is not 32 bytes in Base64 is refused without being shown', () => {
  for (const key of ['', 'short', randomBytes(16).toString('base64'), `${'ä'.repeat(43)}=`]) {
    expect(() => createSecretBox({ key })).toThrow('SLIPWAY_SECRET_KEY must be 32 bytes in Base64');
    expect(() => createSecretBox({ key: newKey(), oldKeys: [key] })).toThrow('SLIPWAY_OLD_SECRET_KEYS must be 32');
  }
});
