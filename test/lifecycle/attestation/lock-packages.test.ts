import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagesFor, packagesOfLock } from '../../../lifecycle/attestation/lock-packages.js';

const SERVER_LOCK = readFileSync(new URL('../../../runtime/slipway_server/requirements.lock', import.meta.url), 'utf8');

test('names are normalized, extras and hashes left out', () => {
  const lines = ['Typing_Extensions==4.1.1 --hash=sha256:aa --hash=sha256:bb', 'uvicorn[standard]==0.30', 'x'];
  expect(packagesOfLock(lines)).toEqual([
    { name: 'typing-extensions', version: '4.1.1' },
    { name: 'uvicorn', version: '0.30' },
  ]);
});

test.each([
  ['3.11', ['click', 'granian']],
  ['3.8', ['gunicorn 23.0.0', 'packaging 26.2']],
  ['3.7', ['gunicorn 23.0.0', 'importlib-metadata 6.7.0', 'packaging 24.0', 'typing-extensions 4.7.1', 'zipp 3.15.0']],
])("the model server's packages for Python %s", (python, expected) => {
  const found = packagesFor(python, SERVER_LOCK).map(({ name, version }) => `${name} ${version}`);
  expect(found).toEqual(expected.map((name) => expect.stringContaining(name)));
});

test('a marker of another form counts as one that holds', () => {
  expect(packagesFor('3.11', "colorama==0.4 ; sys_platform == 'win32' \\\n    --hash=sha256:aa\n")).toHaveLength(1);
});
