import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attestImage } from '../../lifecycle/attestation/attest-image.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { createResources } from '../../notifications/stores/resources.js';
import { keyHint } from '../../platform/attestation/envelope.js';
import { attestationSigner } from '../../platform/attestation/signing-key.js';
import { createMemoryDatabase } from '../../platform/stores/memory-database.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { newConnection } from '../activities/shared/resources.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { testVerification } from '../api/test-verification.js';
import { BUILDER, CONTENTS, digestOf, hexOf, ORIGIN } from '../lifecycle/attestation/signed-image.js';
import { createMemoryRegistries } from '../platform/registry/attested-registries.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const REGISTRY = '127.0.0.1:5000/slipway';
const database = createMemoryDatabase();
const box = createSecretBox({ key: randomBytes(32).toString('base64') });
let api: TestApi;
let slipway: SlipwayRunner;
let digest = '';
beforeAll(async () => {
  const registries = createMemoryRegistries();
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri: REGISTRY }));
  api = await startTestApi(testVerification({ database, box, connections, registries }));
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['viewer']) });
  const repository = registries.open(`${REGISTRY}/wine`);
  const manifest = repository.tag('3', { of: 'wine' });
  ({ digest } = manifest);
  const by = { signer: await attestationSigner({ database, box }), builder: BUILDER };
  await attestImage({ repository, manifest, origin: ORIGIN, contents: CONTENTS }, by);
  repository.tag('foreign', { of: 'another' });
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});

test('verify shows who made an image, of which commit, data and packages', async () => {
  const { exitCode, out, err } = await slipway.run(['verify', `${REGISTRY}/wine:3`]);
  const { publicKey } = await attestationSigner({ database, box });
  expect([exitCode, err]).toEqual([0, '']);
  expect(out.split('\n').map((line) => line.replace(/ {2,}/, ': '))).toEqual([
    `image: ${REGISTRY}/wine:3`,
    `digest: ${digest}`,
    `made by: https://ml.example (key ${keyHint(publicKey)})`,
    'model: wine 3',
    'packaging: wine-pack',
    'training: wine-train',
    `commit: ${'c'.repeat(40)}`,
    `data: data/wine.csv sha256:${hexOf('data')}`,
    'artifact: wine-3.zip',
    `base: python:3.11 ${digestOf('base')}`,
    'packages: 4',
    '',
  ]);
});

test('the same as JSON', async () => {
  const { out } = await slipway.run(['verify', `${REGISTRY}/wine@${digest}`, '--json']);
  expect(JSON.parse(out)).toMatchObject({ verified: true, digest, packaging: 'wine-pack', packages: 4 });
});

test('an image without a valid statement ends with 1 and the reason, as JSON too', async () => {
  const plain = await slipway.run(['verify', `${REGISTRY}/wine:foreign`]);
  expect(plain.exitCode).toBe(1);
  expect(plain.err).toContain(`image "${REGISTRY}/wine:foreign" is not verified: it has no signed statement`);
  const json = await slipway.run(['verify', `${REGISTRY}/wine:foreign`, '--json']);
  expect([json.exitCode, JSON.parse(json.out)]).toMatchObject([1, { verified: false }]);
});

test('an image that is not there, and a registry that no connection names', async () => {
  expect(await slipway.run(['verify', `${REGISTRY}/wine:9`])).toMatchObject({ exitCode: 4 });
  const { exitCode, err } = await slipway.run(['verify', 'other.example/wine:3']);
  expect(exitCode).toBe(2);
  expect(err).toContain('create one of type container-registry');
});
