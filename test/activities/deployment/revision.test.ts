import { expect, test } from 'vitest';
import type { FindDigest } from '../../../activities/deployment/image-pin.js';
import { resolveRevision } from '../../../activities/deployment/revision.js';
import { canonical } from '../../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { outsideReason } from '../../../platform/kinds/outside-failure.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newDeployment } from '../shared/resources.js';

const IMAGE = 'registry.example.org/models/wine:3';
const facts = (labels: Record<string, string>) => ({
  ...{ id: 'sha256:3', digests: [], labels, env: [], sizeBytes: 1, layers: [], createdAt: '' },
});

const DIGEST = `sha256:${'a'.repeat(64)}`;
const PINNED = `${IMAGE}@${DIGEST}`;

async function resolve(
  spec: object = {},
  labels: Record<string, string> = {},
  { findDigest = async () => DIGEST, image = IMAGE }: { findDigest?: FindDigest; image?: string } = {},
) {
  const { engine, images, pulls } = createMemoryEngine();
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  await connections.insert(
    newConnection('docker-ci', {
      ...{ type: 'container-registry', uri: 'registry.example.org/models', username: 'ci', password: 'sealed' },
    }),
  );
  images.set(PINNED, facts(labels));
  images.set('slipway.local/wine:3', facts(labels));
  const asked: unknown[] = [];
  const deployment = newDeployment('wine', DeploymentSpec.parse({ image, roleName: 'role-wine', ...spec }));
  const deps = {
    ...{ engine, connections, openSecret: (text: string) => `open ${text}`, imageMirrors: {} },
    findDigest: async (manifest: Parameters<FindDigest>[0]) => {
      asked.push(manifest);
      return findDigest(manifest);
    },
  };
  const revision = await resolveRevision(deps, deployment, new AbortController().signal);
  return { revision, pulls, deployment, asked };
}

test('an image says by its labels how it serves', async () => {
  const { revision, deployment } = await resolve(
    { minReplicas: 3, readinessProbeInitialDelay: 9, feedback: false },
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
    ...{ replicas: 3, readinessDelay: 9, port: 8_080, timeoutSeconds: 7, modelName: 'Wine', modelVersion: '3' },
  });
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

test('a reference with a digest is asked of no registry', async () => {
  const { revision, asked, pulls } = await resolve({}, {}, { image: PINNED });
  expect(asked).toEqual([]);
  expect(pulls[0]?.ref).toBe(PINNED);
  expect(revision).toMatchObject({ image: PINNED, imageDigest: DIGEST });
});

test('an image that exists on the engine alone is pinned by its id', async () => {
  const { revision, asked } = await resolve({}, {}, { image: 'slipway.local/wine:3' });
  expect(asked).toEqual([]);
  expect(revision).toMatchObject({ image: 'slipway.local/wine:3', imageId: 'sha256:3' });
  expect(revision.imageDigest).toBeUndefined();
});

test.each([
  ['none', undefined, 'its registry has no such image'],
  ['no digest', '', 'its registry tells no digest of it'],
])('a registry with %s of that name fails the deployment, whatever the engine has', async (_, digest, why) => {
  await expect(resolve({}, {}, { findDigest: async () => digest })).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'ImagePullFailed' } },
    message: `image "${IMAGE}" cannot be pulled: ${why}`,
  });
});

test('a registry that does not answer is waited for', async () => {
  const findDigest = async () => {
    const publicMessage = 'the registry answered 503';
    throw new SlipwayError('unavailable', 'registry.example.org answered 503', { publicMessage });
  };
  const resolved = resolve({}, {}, { findDigest });
  await expect(resolved).rejects.toSatisfy((err) => outsideReason(err) === 'ImagePullFailed');
});
