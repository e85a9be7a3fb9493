import { expect, test } from 'vitest';
import { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import { keepSecrets, MASK, maskSecrets, SECRET_FIELDS } from '../../../lifecycle/kinds/connection-secrets.js';

const spec = (more: object = {}): ConnectionSpec =>
  ConnectionSpec.parse({ type: 'git', uri: 'https://git.example/team/repo', ...more });
const SECRETS = { password: 'cGFzcw==', keySecret: 'c2VjcmV0', keyID: 'a2V5' };

test('every secret is masked, and one that is not there stays away', () => {
  expect(maskSecrets(spec(SECRETS))).toMatchObject({ password: MASK, keySecret: MASK, keyID: MASK });
  const masked = maskSecrets(spec({ username: 'ana', publicKey: 'host key' }));
  expect(masked).toMatchObject({ username: 'ana', publicKey: 'host key' });
  for (const field of SECRET_FIELDS) expect(masked[field]).toBeUndefined();
});

test('masking leaves the stored connection as it is', () => {
  const stored = spec(SECRETS);
  maskSecrets(stored);
  expect(stored).toMatchObject(SECRETS);
});

test('a masked field keeps its stored value, one that is sent replaces it, one that is left out removes it', () => {
  const { spec: result, kept, issues } = keepSecrets(spec({ password: MASK, keySecret: 'bmV3' }), spec(SECRETS));
  expect(result).toMatchObject({ password: SECRETS.password, keySecret: 'bmV3' });
  expect(result.keyID).toBeUndefined();
  expect([kept, issues]).toEqual([['password'], []]);
});

test('a mask without a stored value keeps nothing', () => {
  const { spec: result, kept, issues } = keepSecrets(spec({ password: MASK }), spec());
  expect([result.password, kept, issues]).toEqual([MASK, [], []]);
});

test.each([
  ['https://git.example/a', 'https://git.example/b/c?x#y', true],
  ['https://git.example/a', 'https://GIT.example/a', true],
  ['https://git.example/a', 'ssh://git.example/a', true],
  ['https://git.example/a', 'https://me:word@git.example/a', true],
  ['https://git.example', 'https://git.example:8443', false],
  ['https://git.example/a', 'https://git.example.evil/a', false],
  ['https://git.example/a', 'https://git.example@evil.example/a', false],
  ['https://git.example/a', 'https://evil.example/git.example', false],
  ['https://git.example/a', 'https://evil.example#@git.example/', false],
  ['https://git.example/a', 'https://evil.example?@git.example/', false],
  ['https://git.example/a', 'https://evil.example\\@git.example/', false],
  ['git@git.example:team/repo', 'git@git.example:other', true],
  ['git@git.example:team/repo', 'me@git.example:team/repo', true],
  ['git@git.example:team/repo', 'git@evil.example:team/repo', false],
  ['git@git.example:team/repo', 'git@evil.example:x@git.example', false],
  ['registry.example/models', 'registry.example/others', true],
  ['registry.example:5000/models', 'registry.example:5001/models', false],
  ['gs://bucket/a', 'gs://bucket/b', true],
  ['gs://bucket/a', 'gs://other/a', false],
])('secrets of %s stay with %s: %s', (before, after, expected) => {
  const result = keepSecrets(spec({ uri: after, password: MASK }), spec({ ...SECRETS, uri: before }));
  expect(result.spec.password).toBe(expected ? SECRETS.password : MASK);
  expect(result.kept).toEqual(expected ? ['password'] : []);
  expect(result.issues.map(({ path, code }) => [path, code])).toEqual(
    expected ? [] : [['spec.password', 'secret_required']],
  );
});

test('secrets of another type have to be sent again, each of them', () => {
  const masked = { password: MASK, keySecret: MASK, keyID: MASK };
  const { issues, kept } = keepSecrets(spec({ type: 's3', ...masked }), spec(SECRETS));
  expect(issues.map(({ path }) => path)).toEqual(SECRET_FIELDS.map((field) => `spec.${field}`));
  expect(kept).toEqual([]);
});

test('new secrets may go to a new address', () => {
  const after = spec({ ...SECRETS, uri: 'https://other.example' });
  expect(keepSecrets(after, spec(SECRETS))).toEqual({ spec: after, kept: [], issues: [] });
});
