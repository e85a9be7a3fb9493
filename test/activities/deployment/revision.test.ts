import { expect, test } from 'vitest';
import { resolveRevision } from '../../../activities/deployment/revision.js';
import { canonical } from '../../../lifecycle/kinds/aliases.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newDeployment } from '../shared/resources.js';

const IMAGE = 'registry.example.org/models/wine:3';
const facts = (labels: Record<string, string>) => ({
  ...{ id: 'sha256:3', digests: [], labels, env: [], sizeBytes: 1, layers: [], createdAt: '' },
});

async function resolve(spec: object = {}, labels: Record<string, string> = {}, mirrors: Record<string, string> = {}) {
  const { engine, images, pulls } = createMemoryEngine();
  const connections = createResources<Connection>({ database: createMemoryDatabase(), kind: 'Connection' });
  await connections.insert(
    newConnection('docker-ci', {
      ...{ type: 'container-registry', uri: 'registry.example.org/models', username: 'ci', password: 'sealed' },
    }),
  );
  images.set(IMAGE, facts(labels));
  const deployment = newDeployment('wine', DeploymentSpec.parse({ image: IMAGE, roleName: 'role-wine', ...spec }));
  const deps = { engine, connections, openSecret: (text: string) => `open ${text}`, imageMirrors: mirrors };
  const revision = await resolveRevision(deps, deployment, new AbortController().signal);
  return { revision, pulls, deployment };
}

test('an image says by its labels how it serves', async () => {
  const { revision, deployment } = await resolve(
    { minReplicas: 3, readinessProbeInitialDelay: 9, feedback: false, records: { redact: ['$.a'], retentionDays: 7 } },
    {
      ...{ 'dev.slipway.port': '8080', 'dev.slipway.timeout': '7' },
      ...{ 'dev.slipway.model.name': 'Wine', 'dev.slipway.model.version': '3' },
    },
  );
  const { id, uid, generation } = deployment;
  expect(revision).toMatchObject({
    ...{ ref: { id, uid, generation }, image: IMAGE, imageId: 'sha256:3', roleName: 'role-wine', feedback: false },
    ...{ replicas: 3, readinessDelay: 9, port: 8_080, timeoutSeconds: 7, modelName: 'Wine', modelVersion: '3' },
    records: { redact: ['$.a'], retentionDays: 7 },
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
  expect((await resolve()).pulls).toEqual([{ ref: IMAGE, auth: undefined }]);
  const { pulls } = await resolve({ imagePullConnID: 'docker-ci' });
  expect(pulls).toMatchObject([{ ref: IMAGE, auth: { username: 'ci', password: 'open sealed' } }]);
  expect((await resolve({ imagePullConnID: 'deleted' })).pulls).toEqual([{ ref: IMAGE, auth: undefined }]);
});

test('a repeat resolves the same revision', async () => {
  const [one, two] = [await resolve(), await resolve()];
  expect({ ...two.revision, ref: one.revision.ref }).toEqual(one.revision);
});
