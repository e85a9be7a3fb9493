import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createKeyRing } from '../../../platform/stores/key-ring.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';

const newKey = () => randomBytes(32).toString('base64');
const AT = 'Connection/code/password';

test('any text comes back, and no two seals are alike', () => {
  const box = createSecretBox({ key: newKey() });
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (plain) => box.open(box.seal(plain, AT), AT) === plain));
  expect(box.seal('a', AT)).not.toBe(box.seal('a', AT));
  expect(box.seal('hunter2', AT)).not.toContain('hunter2');
});

test('a sealed text opens at its place only', () => {
  const box = createSecretBox({ key: newKey() });
  const sealed = box.seal('hunter2', AT);
  for (const other of ['Connection/evil/password', 'Connection/code/keySecret', 'Subscription/code/password', '']) {
    expect(() => box.open(sealed, other)).toThrow('was changed, cut, or sealed for another place');
  }
});

/** A key of 32 bytes 07, and what 0.1.0 made with it. */
const BEFORE = {
  key: Buffer.alloc(32, 7).toString('base64'),
  sealed: 'v1.399dcb0c.jt6M_Lssi4Vq1Q_lUoiWJFu_hePXrxxjPvZRC2MGaMB6LCs',
  derived: '7a3f3ex5kz1KNPpfsc62eEBuwc3Wp9JP8dckDei7E8s=',
};

test('what 0.1.0 sealed still opens, and is not in the present form', () => {
  const box = createSecretBox(BEFORE);
  expect(box.open(BEFORE.sealed, AT)).toBe('hunter2');
  expect(box.isCurrent(BEFORE.sealed)).toBe(false);
  const sealed = box.seal('hunter2', AT);
  expect([sealed.startsWith('v2.399dcb0c.'), box.isCurrent(sealed)]).toEqual([true, true]);
  // The form is authenticated too: a bound text cannot be turned into one that opens anywhere.
  expect(() => box.open(sealed.replace('v2', 'v1'), AT)).toThrow('was changed');
  expect(() => box.open(BEFORE.sealed.replace('v1', 'v2'), AT)).toThrow('was changed');
});

test('secrets of pipelines are those of 0.1.0: they are in the hands of senders', () => {
  const derived = createSecretBox({ key: newKey(), oldKeys: [BEFORE.key] }).derive('pipeline webhook 5f0c 1');
  expect(derived.map((secret) => secret.toString('base64'))[1]).toBe(BEFORE.derived);
  expect(createSecretBox(BEFORE).derive('pipeline webhook 5f0c 1')[0]?.toString('base64')).toBe(BEFORE.derived);
});

test('each purpose has a key of its own, the same in every process', () => {
  const { current } = createKeyRing(BEFORE);
  const seal = current.subkey('seal').toString('hex');
  expect(seal).toBe(createKeyRing(BEFORE).current.subkey('seal').toString('hex'));
  const derived = current.deriveSecret('seal').toString('hex');
  const others = [current.subkey('token'), current.subkey('codec'), current.bytes].map((key) => key.toString('hex'));
  expect(new Set([seal, derived, ...others]).size).toBe(5);
});

test('after a rotation old texts open and new ones need the new key', () => {
  const [old, current] = [newKey(), newKey()];
  const before = createSecretBox({ key: old });
  const after = createSecretBox({ key: current, oldKeys: [old] });
  const sealed = before.seal('x', AT);
  expect([after.open(sealed, AT), after.isCurrent(sealed), before.isCurrent(sealed)]).toEqual(['x', false, true]);
  expect(() => before.open(after.seal('x', AT), AT)).toThrow(/sealed with key [0-9a-f]{8}, which is not configured/);
});

test('a changed character anywhere is found, and nothing secret is in the error', () => {
  const key = newKey();
  const box = createSecretBox({ key });
  const sealed = box.seal('hunter2', AT);
  for (let at = 0; at < sealed.length; at++) {
    // The last character of Base64 may hold spare bits: change it by more than those.
    const other = sealed[at] === 'A' ? 'z' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    let error: unknown;
    try {
      box.open(changed, AT);
    } catch (err) {
      error = err;
    }
    expect(error).toMatchObject({ name: 'SlipwayError', code: 'internal', expose: false });
    expect(inspect(error)).not.toMatch(/hunter2/);
    expect(inspect(error)).not.toContain(key);
    expect(inspect(error)).not.toContain(sealed.slice(12));
  }
  for (const cut of ['', 'hunter2', sealed.slice(0, 20)]) expect(() => box.open(cut, AT)).toThrow(/stored secret/);
});

test('a key that is not 32 bytes in Base64 is refused without being shown', () => {
  for (const key of ['', 'short', randomBytes(16).toString('base64'), `${'ä'.repeat(43)}=`]) {
    expect(() => createSecretBox({ key })).toThrow('SLIPWAY_SECRET_KEY must be 32 bytes in Base64');
    expect(() => createSecretBox({ key: newKey(), oldKeys: [key] })).toThrow('SLIPWAY_OLD_SECRET_KEYS must be 32');
  }
});
