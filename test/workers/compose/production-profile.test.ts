import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { findUnsafeSettings, refusals, toSentence } from '../../../workers/compose/production-profile.js';

const SAFE = {
  NODE_ENV: 'production',
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_ROLE_MAP: 'ml-admins=admin',
  SLIPWAY_BASE_URL: 'https://slipway.example',
  MONGODB_URI: 'mongodb://slipway:hidden@db.example/?tls=true',
  TEMPORAL_TLS: 'true',
  STORAGE_API_ENDPOINT: 'https://storage.example',
  SLIPWAY_SECRET_KEY: randomBytes(32).toString('base64'),
};

const unsafeWith = (given: Record<string, string>): string[] =>
  findUnsafeSettings(parseSettings({ ...SAFE, ...given })).map(({ setting }) => setting);

test('safe settings are accepted', () => {
  expect(findUnsafeSettings(parseSettings(SAFE))).toEqual([]);
});

test.each([
  ['OIDC_ISSUER', ''], // the default
  ['OIDC_ISSUER', 'http://issuer.example'],
  ['OIDC_ROLE_MAP', ''],
  ['SLIPWAY_BASE_URL', ''],
  ['SLIPWAY_BASE_URL', 'http://slipway.example'],
  ['MONGODB_URI', ''],
  ['MONGODB_URI', 'mongodb://slipway:hidden@db.example/'],
  ['MONGODB_URI', 'mongodb+srv://slipway:hidden@db.example/?tls=false'],
  ['MONGODB_URI', 'mongodb://slipway:hidden@db.example/?tls=true&tlsAllowInvalidCertificates=true'],
  ['MONGODB_URI', 'mongodb://db.example/?tls=true'],
  ['SLIPWAY_WEBHOOK_PRIVATE', 'true'],
  ['SLIPWAY_EGRESS_CHECK', 'warn'],
  ['STORAGE_API_ENDPOINT', 'http://storage.example'],
  ['DOCKER_HOST', 'tcp://engine.example:2375'],
  ['SLIPWAY_INTERNAL_HOST', '0.0.0.0'],
  ['SLIPWAY_INTERNAL_HOST', '::'],
  ['SLIPWAY_INTERNAL_HOST', '8.8.8.8'],
  ['SLIPWAY_INTERNAL_HOST', 'node.example'],
  ['SLIPWAY_SECRET_KEY', Buffer.alloc(32).toString('base64')],
  ['SLIPWAY_SECRET_KEY', Buffer.from('correct horse battery staple 123').toString('base64')],
])('%s=%s is unsafe, and no other setting is named', (setting, value) => {
  expect(unsafeWith({ [setting]: value })).toEqual([setting]);
});

test('Temporal without TLS is unsafe; its API key brings TLS', () => {
  expect(unsafeWith({ TEMPORAL_TLS: '' })).toEqual(['TEMPORAL_ADDRESS']);
  expect(unsafeWith({ TEMPORAL_TLS: '', TEMPORAL_API_KEY: 'k' })).toEqual([]);
  expect(unsafeWith({ TEMPORAL_TLS: '', TEMPORAL_TLS_CA: '/ca.pem' })).toEqual([]);
});

test('an engine over tcp is safe with a client certificate', () => {
  const DOCKER_HOST = 'tcp://engine.example:2376';
  expect(unsafeWith({ DOCKER_HOST, DOCKER_CERT_PATH: '/certs' })).toEqual([]);
  expect(unsafeWith({ DOCKER_HOST: 'http://engine.example', DOCKER_CERT_PATH: '/certs' })).toEqual(['DOCKER_HOST']);
});

test.each([
  ['MONGODB_URI', 'mongodb+srv://slipway:hidden@db.example'],
  ['MONGODB_URI', 'mongodb://db.example/?ssl=true&authMechanism=MONGODB-X509'],
  ['SLIPWAY_INTERNAL_HOST', '10.1.2.3'],
  ['SLIPWAY_INTERNAL_HOST', 'localhost'],
  ['SLIPWAY_INTERNAL_HOST', '::1'],
  ['DOCKER_HOST', 'https://engine.example:2376'],
])('%s=%s is safe', (setting, value) => {
  expect(unsafeWith({ [setting]: value })).toEqual([]);
});

test.each([
  ['mongodb', { MONGODB_URI: 'mongodb://db.example' }],
  ['temporal', { TEMPORAL_TLS: '' }],
  ['storage', { STORAGE_API_ENDPOINT: 'http://storage.example' }],
  ['docker', { DOCKER_HOST: 'tcp://engine.example:2375' }],
])('SLIPWAY_ALLOW_PLAINTEXT=%s accepts that connection alone', (service, given: Record<string, string>) => {
  expect(unsafeWith({ ...given, SLIPWAY_ALLOW_PLAINTEXT: service })).toEqual([]);
  const others = ['mongodb', 'temporal', 'storage', 'docker'].filter((name) => name !== service).join();
  expect(unsafeWith({ ...given, SLIPWAY_ALLOW_PLAINTEXT: others })).toHaveLength(1);
});

test('a sentence names the setting and its remedy, and no secret or address', () => {
  const settings = parseSettings({ ...SAFE, MONGODB_URI: 'mongodb://slipway:hidden@db.example/' });
  const [sentence = ''] = findUnsafeSettings(settings).map(toSentence);
  expect(sentence).toMatch(/^MONGODB_URI .+: .*SLIPWAY_ALLOW_PLAINTEXT=mongodb/);
  expect(sentence).not.toMatch(/hidden|db\.example/);
});

test('the settings of a developer are refused in production only', () => {
  expect(refusals(parseSettings({}))).toEqual([]);
  expect(refusals(parseSettings({ NODE_ENV: 'production' })).length).toBeGreaterThan(4);
});
