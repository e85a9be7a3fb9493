import { expect, test } from 'vitest';
import { DEPLOYMENT_STATES, type DeploymentState } from '../../../lifecycle/kinds/deployment-state.js';
import { dataOf, emitted, PRIVATE, problemsOf, resource } from './writes.js';

const deployment = (state: DeploymentState, status: object = {}, more: object = {}) =>
  resource(
    'ModelDeployment',
    { state, replicas: 2, availableReplicas: 2, transitions: [], hostHeader: PRIVATE, ...status },
    { image: 'registry.example/wine:3', predictor: 'p', imagePullConnID: PRIVATE, annotations: { key: PRIVATE } },
    { id: 'wine', ...more },
  );

/** The last word of the type for each pair of states of one generation; `-`: no event. */
// prettier-ignore
const WORDS: Record<DeploymentState, readonly string[]> = {
  // to:        Processing  Ready    Failed    Deleting
  Processing: ['-',        'ready', 'failed', '-'],
  Ready:      ['degraded', '-',     'failed', '-'],
  Failed:     ['-',        'ready', '-',      '-'],
  Deleting:   ['-',        'ready', 'failed', '-'],
};

test.each(
  DEPLOYMENT_STATES.flatMap((from) => DEPLOYMENT_STATES.map((to, index) => [from, to, WORDS[from][index]] as const)),
)('a deployment that goes from %s to %s: %s', (from, to, word) => {
  const event = emitted([deployment(from), deployment(to)]);
  expect(event?.type ?? '-').toBe(word === '-' ? '-' : `pipeline.deployment.${word}`);
});

test('a new generation makes a ready deployment process again, which is no loss', () => {
  const changed = deployment('Processing', {}, { generation: 3 });
  expect(emitted([deployment('Ready'), changed])).toBeUndefined();
  expect(emitted([changed, deployment('Ready', {}, { generation: 3 })])?.type).toBe('pipeline.deployment.ready');
});

test('the number of replicas alone is no event', () => {
  expect(emitted([deployment('Ready'), deployment('Ready', { availableReplicas: 1 })])).toBeUndefined();
});

test('the data name the image, the replicas and the model, and nothing of the settings beside them', () => {
  const before = deployment('Processing');
  const served = { modelName: 'wine', modelVersion: '3', imageDigest: 'sha256:abc', imageId: PRIVATE };
  const after = deployment('Ready', { ...served, warning: 'not trusted' });
  const event = emitted([before, after]);
  expect(event).toMatchObject({
    source: '/api/v1/model/deployment',
    subject: 'deployment/wine',
    key: 'pipeline/ModelDeployment/wine/5',
  });
  expect(dataOf(event)).toEqual({
    ...{ kind: 'ModelDeployment', id: 'wine', version: 5, generation: 2, state: 'Ready', created_by: 'ana' },
    ...{ image: 'registry.example/wine:3', replicas: 2, available_replicas: 2 },
    ...{ image_digest: 'sha256:abc', warning: 'not trusted', model_name: 'wine', model_version: '3' },
  });
});

test('a failure says why, and a deployment without replicas has the number 0', () => {
  const failed = deployment('Failed', { replicas: 0, availableReplicas: 0, reason: 'CrashLoop', message: 'código 1' });
  const event = emitted([deployment('Processing'), failed]);
  expect(dataOf(event)).toMatchObject({
    reason: 'CrashLoop',
    message: 'código 1',
    replicas: 0,
    available_replicas: 0,
  });
  expect(problemsOf('pipeline.deployment.failed', dataOf(event))).toEqual([]);
});

test('the event of a deletion has the last state of the deployment', () => {
  const event = emitted([deployment('Deleting', { availableReplicas: 0 }), undefined], 9);
  expect(event).toMatchObject({ type: 'pipeline.deployment.deleted', version: 9 });
  expect(dataOf(event)).toMatchObject({
    version: 9,
    state: 'Deleting',
    available_replicas: 0,
    image: 'registry.example/wine:3',
  });
});

test('a deployment of the same id after a deletion has events of its own', () => {
  const first = emitted([undefined, deployment('Processing')], 1);
  const second = emitted([undefined, deployment('Processing', {}, { generation: 1 })], 8);
  expect([first?.type, second?.type]).toEqual(['pipeline.deployment.created', 'pipeline.deployment.created']);
  expect(second?.key).not.toBe(first?.key);
  expect(second?.version).not.toBe(first?.version);
});
