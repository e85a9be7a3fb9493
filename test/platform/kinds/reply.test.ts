import { expect, test } from 'vitest';
import type { DeploymentStatus } from '../../../lifecycle/kinds/deployment.js';
import { DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';
import { toReply } from '../../../lifecycle/kinds/reply.js';
import { defaultRoute } from '../../../lifecycle/kinds/route.js';
import { TrainingSpec } from '../../../lifecycle/kinds/training.js';
import { stored } from '../../lifecycle/kinds/installation.js';

const SPEC = { type: 'docker', uri: 'h', username: 'u', password: 'c2VjcmV0', keyID: 'aWQ=', vital: false };

test('a client sees the envelope in order, and nothing that only the platform needs', () => {
  const entity = {
    ...stored('Connection', 'hub', SPEC, {}),
    deletionMark: false,
    claimedBy: 'run',
    cancelRequestedAt: 'now',
  };
  const reply = toReply(entity);
  expect(Object.keys(reply)).toEqual([
    'kind',
    'id',
    'createdAt',
    'updatedAt',
    'spec',
    'status',
    'generation',
    'createdBy',
    'updatedBy',
  ]);
  expect(reply.spec).toEqual({ ...SPEC, password: '*****', keyID: '*****' });
  expect(JSON.stringify(reply)).not.toContain('c2VjcmV0');
});

test('secrets are shown only on request, and a mask never hides an empty value', () => {
  const { spec } = toReply(stored('Connection', 'hub', { ...SPEC, keyID: '' }, {}), { secrets: 'shown' });
  expect(spec).toMatchObject({ password: 'c2VjcmV0' });
  expect(toReply(stored('Connection', 'hub', { ...SPEC, keyID: '' }, {})).spec).not.toMatchObject({ keyID: '*****' });
});

test('a field called password of another kind is no secret', () => {
  expect(toReply(stored('ModelPackaging', 'p', { arguments: {}, password: 'x' }, {})).spec).toMatchObject({
    password: 'x',
  });
});

test('an algorithm source always carries both keys', () => {
  expect(TrainingSpec.parse({}).algorithmSource).toEqual({ vcs: {}, objectStorage: {} });
});

test('a deployment has its default route from the first moment', () => {
  const status: DeploymentStatus = {
    state: 'Processing',
    replicas: 0,
    availableReplicas: 0,
    deployment: 'x',
    transitions: [],
  };
  const deployment = stored('ModelDeployment', `${'a'.repeat(56)}-bcdef`, DeploymentSpec.parse({}), status);
  const route = defaultRoute(deployment, 'https://host/base/');
  expect(route).toMatchObject({
    kind: 'ModelRoute',
    id: `${'a'.repeat(56)}-0f1e2`,
    default: true,
    spec: { urlPrefix: `/model/${deployment.id}`, modelDeployments: [{ mdName: deployment.id, weight: 100 }] },
    status: { edgeUrl: `https://host/base/model/${deployment.id}`, state: 'Processing' },
  });
  expect(defaultRoute({ ...deployment, status: { ...status, state: 'Ready' } }, 'https://host').status.state).toBe(
    'Ready',
  );
  expect(toReply({ ...route, deletionMark: true })).toMatchObject({ default: true, deletionMark: true });
});
