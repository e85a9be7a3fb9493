import { createPublicKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attestImage } from '../../../lifecycle/attestation/attest-image.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { keyHint } from '../../../platform/attestation/envelope.js';
import { attestationSigner } from '../../../platform/attestation/signing-key.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { newConnection } from '../../activities/shared/resources.js';
import { BUILDER, CONTENTS, ORIGIN } from '../../lifecycle/attestation/signed-image.js';
import { createMemoryRegistries } from '../../platform/registry/attested-registries.js';
import { startTestApi, type TestApi } from '../test-api.js';
import { testVerification } from '../test-verification.js';

const registries = createMemoryRegistries();
const installation = {
  database: createMemoryDatabase(),
  box: createSecretBox({ key: randomBytes(32).toString('base64') }),
};
const REGISTRY = '127.0.0.1:5000/slipway';
let api: TestApi;
beforeAll(async () => {
  const connections = createResources<Connection>({ database: installation.database, kind: 'Connection' });
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri: REGISTRY }));
  await connections.insert(newConnection('code', { type: 'git', uri: 'https://169.254.169.254/latest' }));
  api = await startTestApi(testVerification({ ...installation, connections, registries }));
  const repository = registries.open(`${REGISTRY}/wine`);
  const manifest = repository.tag('3', { of: 'wine' });
  const by = { signer: await attestationSigner(installation), builder: BUILDER };
  await attestImage({ repository, manifest, origin: ORIGIN, contents: CONTENTS }, by);
  registries.open(`${REGISTRY}/foreign`).tag('1', { of: 'another' });
});
afterAll(() => api.stop());

const verify = (image: string, as = ['viewer']) =>
  api.call('GET', `/api/v1/image/verification?${new URLSearchParams({ image }).toString()}`, { as });

test('a signed image has an origin, by tag and by digest', async () => {
  const { status, body } = await verify(`${REGISTRY}/wine:3`);
  expect([status, body]).toMatchObject([
    200,
    { verified: true, packaging: 'wine-pack', commit: 'c'.repeat(40), packages: 4, builder: 'https://ml.example' },
  ]);
  const image = `${REGISTRY}/wine@${body.digest}`;
  expect((await verify(image)).body).toEqual({ ...body, image });
});

test('an image without statements has none', async () => {
  expect((await verify(`${REGISTRY}/foreign:1`)).body).toMatchObject({
    verified: false,
    why: 'it has no signed statement of its origin',
  });
});

test.each([
  ['', 400, 'the image URL parameter must be the name of an image'],
  ['a b', 400, 'the image URL parameter must be the name of an image'],
  ['https://registry.example/wine', 400, 'the image URL parameter must be the name of an image'],
  ['x'.repeat(513), 400, 'the image URL parameter must be the name of an image'],
  ['169.254.169.254/latest/meta-data:1', 400, 'no connection names the registry "169.254.169.254"'],
  ['wine:3', 400, 'no connection names the registry "docker.io"'],
  [`${REGISTRY}/nothing:1`, 404, 'is not in its registry'],
])('image "%s" is answered with %i', async (image, status, message) => {
  registries.asked.length = 0;
  const reply = await verify(image);
  expect([reply.status, reply.body.message]).toEqual([status, expect.stringContaining(message)]);
  expect(registries.asked.every((each) => each.image.startsWith(REGISTRY))).toBe(true);
});

test('the public keys are open to anyone, as a key set and in PEM', async () => {
  const { publicKey } = await attestationSigner(installation);
  const set = await api.call('GET', '/.well-known/attestation-keys', { as: null });
  expect(set.headers.get('content-type')).toContain('application/jwk-set+json');
  const [jwk] = (JSON.parse(set.text) as { keys: { kid: string; d?: string }[] }).keys;
  expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: keyHint(publicKey) });
  expect(jwk).not.toHaveProperty('d');
  const pem = await api.call('GET', '/.well-known/attestation-keys.pem', { as: null });
  expect(keyHint(createPublicKey(pem.text))).toBe(keyHint(publicKey));
});
