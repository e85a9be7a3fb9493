import type { KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { resolveRevision } from '../../../activities/deployment/revision.js';
import { attestImage } from '../../../lifecycle/attestation/attest-image.js';
import { canonical } from '../../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';
import type { ImagePolicy } from '../../../lifecycle/kinds/image-policy.js';
import { createResources } from '../../../notifications/stores/resources.js';
import type { Signer } from '../../../platform/attestation/envelope.js';
import { outsideFailed } from '../../../platform/kinds/outside-failure.js';
import { runFailed } from '../../../platform/kinds/reasons.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { BUILDER, CONTENTS, newSigner, ORIGIN } from '../../lifecycle/attestation/signed-image.js';
import { createMemoryRegistries } from '../../platform/registry/attested-registries.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newDeployment } from '../shared/resources.js';
import { registryAuthBy } from '../shared/registry-deps.js';

const IMAGE = 'registry.example.org/models/wine:3';
const facts = (labels: Record<string, string>) => ({
  ...{ id: 'sha256:3', digests: [], labels, env: [], sizeBytes: 1, layers: [], createdAt: '' },
});

const MANIFEST = { schemaVersion: 2, of: 'wine' };
const DIGEST = digestOfBytes(JSON.stringify(MANIFEST));
const PINNED = `${IMAGE}@${DIGEST}`;

type Prepare = (repository: ReturnType<ReturnType<typeof createMemoryRegistries>['open']>) => Promise<void> | void;

interface Scene {
  image?: string;
  imagePolicy?: ImagePolicy;
  /** Prepares the repository of the image. */
  prepare?: Prepare;
  keys?: KeyObject[];
}

const tagged: Prepare = (repository) => void repository.tag('3', MANIFEST);

async function resolve(
  spec: object = {},
  labels: Record<string, string> = {},
  { image = IMAGE, imagePolicy = 'any', prepare = tagged, keys = [] }: Scene = {},
) {
  const { engine, images, pulls } = createMemoryEngine();
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  await connections.insert(
    newConnection('docker-ci', {
      ...{ type: 'container-registry', uri: 'registry.example.org/models', username: 'ci', password: 'sealed' },
    }),
  );
  for (const name of [PINNED, 'slipway.local/wine:3']) images.set(name, facts(labels));
  const registries = createMemoryRegistries();
  await prepare(registries.open(IMAGE));
  registries.asked.length = 0;
  const deployment = newDeployment('wine', DeploymentSpec.parse({ image, roleName: 'role-wine', ...spec }));
  const deps = {
    ...{ engine, connections, registryAuth: registryAuthBy((text) => `open ${text}`), imageMirrors: {} },
    ...{ registries, imagePolicy, attestationKeys: async () => keys },
  };
  const revision = await resolveRevision(deps, deployment, new AbortController().signal);
  return { revision, pulls, deployment, asked: registries.asked };
}

test('an image says by its labels how it serves', async () => {
  const { revision, deployment } = await resolve(
    {
      minReplicas: 3,
      readinessProbeInitialDelay: 9,
      livenessProbeInitialDelay: 11,
      feedback: false,
      records: { redact: ['$.a'], retentionDays: 7 },
    },
    {
      ...{ 'dev.slipway.port': '8080', 'dev.slipway.timeout': '7' },
      ...{ 'dev.slipway.model.name': 'Wine', 'dev.slipway.model.version': '3' },
    },
  );
  const { id, uid, generation } = deployment;
  expect(revision).toMatchObject({
    ...{
      ref: { id, uid, generation },
      image: IMAGE,
      imageDigest: DIGEST,
      imageId: 'sha256:3',
      roleName: 'role-wine',
      feedback: false,
    },
    ...{
      replicas: 3,
      readinessDelay: 9,
      livenessDelay: 11,
      port: 8_080,
      timeoutSeconds: 7,
      modelName: 'Wine',
      modelVersion: '3',
    },
    records: { redact: ['$.a'], retentionDays: 7 },
  });
});

test('further roles are those of the spec, and the description is the beginning of its annotation', async () => {
  const spec = { roles: ['shop'], annotations: { description: 'd'.repeat(2_000), other: 'x' } };
  expect((await resolve(spec)).revision).toMatchObject({ roles: ['shop'], description: 'd'.repeat(1_000) });
  expect(Object.keys((await resolve()).revision)).not.toEqual(expect.arrayContaining(['roles', 'description']));
});

test('an image without labels is served with the defaults, and one replica at least', async () => {
  const { revision } = await resolve({ minReplicas: 0 });
  expect(revision).toMatchObject({
    ...{ replicas: 1, port: 5_000, timeoutSeconds: 60, modelName: 'wine', modelVersion: '' },
  });
});

test.each([
  ['the same', 'rest', 'rest', true],
  ['none', undefined, 'rest', true],
  ['another', 'grpc', 'rest', false],
])('an image whose label names %s predictor', async (_, label, predictor, isServed) => {
  const value = label === predictor ? canonical('predictor', predictor) : label;
  const resolved = resolve({ predictor }, value === undefined ? {} : { 'dev.slipway.predictor': value });
  if (isServed) expect((await resolved).revision.imageId).toBe('sha256:3');
  else await expect(resolved).rejects.toMatchObject({ code: 'run_failed', detail: { reason: 'ProbeFailed' } });
});

test('a tensor server has its own port, also without labels', async () => {
  expect((await resolve({ predictor: 'triton' })).revision).toMatchObject({ predictor: 'tensor-server', port: 8_000 });
  expect((await resolve()).revision).not.toHaveProperty('predictor');
});

test('a command line tool is refused with the packager that serves', async () => {
  await expect(resolve({}, { 'dev.slipway.packager': 'container-cli' })).rejects.toMatchObject({
    detail: { reason: 'ProbeFailed' },
    message: expect.stringMatching(/wine.* is a command line tool and serves no requests: .*container-rest/),
  });
});

test('the image is pulled with the connection that the deployment names, and without one otherwise', async () => {
  expect((await resolve()).pulls).toEqual([{ ref: PINNED, auth: undefined }]);
  const { pulls, asked } = await resolve({ imagePullConnID: 'docker-ci' });
  expect(asked).toMatchObject([{ image: IMAGE, auth: { username: 'ci', password: 'open sealed' } }]);
  expect(pulls).toMatchObject([{ ref: PINNED, auth: { username: 'ci', password: 'open sealed' } }]);
  expect((await resolve({ imagePullConnID: 'deleted' })).pulls).toEqual([{ ref: PINNED, auth: undefined }]);
});

test('a repeat resolves the same revision', async () => {
  const [one, two] = [await resolve(), await resolve()];
  expect({ ...two.revision, ref: one.revision.ref }).toEqual(one.revision);
});

test('a reference with a digest is pulled as it is', async () => {
  const { revision, pulls } = await resolve({}, {}, { image: PINNED, prepare: () => {} });
  expect(pulls[0]?.ref).toBe(PINNED);
  expect(revision).toMatchObject({ image: PINNED, imageDigest: DIGEST });
});

test('an image that exists on the engine alone is pinned by its id', async () => {
  const { revision, asked } = await resolve({}, {}, { image: 'slipway.local/wine:3' });
  expect(asked).toEqual([]);
  expect(revision).toMatchObject({ image: 'slipway.local/wine:3', imageId: 'sha256:3' });
  expect(revision.imageDigest).toBeUndefined();
});

test('a registry without an image of that name fails the deployment, whatever the engine has', async () => {
  await expect(resolve({}, {}, { prepare: () => {} })).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'ImagePullFailed' } },
    message: `image "${IMAGE}" cannot be pulled: its registry has no such image`,
  });
});

const UNSIGNED = 'it has no signed statement of its origin';
const sign =
  (signer: Signer): Prepare =>
  async (repository) => {
    const manifest = repository.tag('3', MANIFEST);
    await attestImage({ repository, manifest, origin: ORIGIN, contents: CONTENTS }, { signer, builder: BUILDER });
  };

test.each<ImagePolicy>(['signed', 'warn', 'any'])(
  'a signed image runs with policy "%s", without a warning',
  async (policy) => {
    const signer = newSigner();
    const scene = { imagePolicy: policy, keys: [signer.publicKey], prepare: sign(signer) };
    expect((await resolve({}, {}, scene)).revision.warning).toBeUndefined();
  },
);

test.each([
  ['unsigned', UNSIGNED, tagged],
  ['foreign', 'its statements are not signed with a key of this installation', sign(newSigner())],
])('an image that is %s is refused, warned of, or admitted by policy', async (_, why, prepare) => {
  const keys = [newSigner().publicKey];
  const about = `image "${IMAGE}" is not trusted: ${why}`;
  await expect(resolve({}, {}, { imagePolicy: 'signed', keys, prepare })).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'ImageRefused' }, message: expect.stringContaining(about) },
  });
  expect((await resolve({}, {}, { imagePolicy: 'warn', keys, prepare })).revision.warning).toBe(about);
  expect((await resolve({}, {}, { imagePolicy: 'any', keys, prepare })).revision.warning).toBeUndefined();
});

test("the policy of a deployment counts, unless the installation's is signed", async () => {
  await expect(resolve({ imagePolicy: 'signed' }, {}, { imagePolicy: 'any' })).rejects.toThrow(UNSIGNED);
  expect((await resolve({ imagePolicy: 'any' }, {}, { imagePolicy: 'warn' })).revision.warning).toBeUndefined();
  await expect(resolve({ imagePolicy: 'any' }, {}, { imagePolicy: 'signed' })).rejects.toThrow(UNSIGNED);
});

test('an image of the engine alone has no signature', async () => {
  const scene = { image: 'slipway.local/wine:3', imagePolicy: 'warn' } as const;
  expect((await resolve({}, {}, scene)).revision.warning).toContain('it is in no registry');
  await expect(resolve({}, {}, { ...scene, imagePolicy: 'signed' })).rejects.toThrow('it is in no registry');
});

test.each<[ImagePolicy, string | undefined]>([
  ['signed', undefined],
  ['warn', 'its statements cannot be read: registry says 403'],
])('a registry that lists no statements for good, with policy "%s"', async (imagePolicy, warning) => {
  const prepare: Prepare = (repository) => {
    repository.tag('3', MANIFEST);
    repository.referrers = async () => {
      throw runFailed({ reason: 'ImagePullFailed', message: 'registry says 403' });
    };
  };
  const resolved = resolve({}, {}, { imagePolicy, prepare });
  if (warning === undefined) await expect(resolved).rejects.toMatchObject({ detail: { reason: 'ImageRefused' } });
  else expect((await resolved).revision.warning).toContain(warning);
});

test('a registry that cannot be used for now is waited for', async () => {
  const prepare: Prepare = (repository) => {
    repository.tag('3', MANIFEST);
    repository.referrers = async () => {
      throw outsideFailed({ party: 'x', said: 'x', fault: 'x', reason: 'ImagePullFailed' });
    };
  };
  await expect(resolve({}, {}, { imagePolicy: 'warn', prepare })).rejects.toMatchObject({ code: 'unavailable' });
});
