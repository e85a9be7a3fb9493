import { expect, test } from 'vitest';
import { fullImageReference, parseImageReference } from '../../../platform/engines/image-reference.js';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

// prettier-ignore
test.each([
  ['python',                              'docker.io/library/python:latest'],
  ['python:3.6',                          'docker.io/library/python:3.6'],
  ['acme/iris:1',                         'docker.io/acme/iris:1'],
  ['slipway.local/python:3.11',           'slipway.local/python:3.11'],
  ['localhost/iris',                      'localhost/iris:latest'],
  ['127.0.0.1:5000/slipway/iris',         '127.0.0.1:5000/slipway/iris:latest'],
  ['127.0.0.1:5000/slipway/iris:1-2.3',   '127.0.0.1:5000/slipway/iris:1-2.3'],
  [`127.0.0.1:5000/iris@${DIGEST}`,       `127.0.0.1:5000/iris@${DIGEST}`],
  [`127.0.0.1:5000/iris:1@${DIGEST}`,     `127.0.0.1:5000/iris@${DIGEST}`],
  [DIGEST,                                DIGEST],
])('%s is %s in full', (text, full) => {
  expect(fullImageReference(text)).toBe(full);
  expect(fullImageReference(full)).toBe(full);
});

test('a port is no tag', () => {
  expect(parseImageReference('registry:5000/iris')).toEqual({ name: 'registry:5000/iris', tag: 'latest' });
});
