import { afterEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
afterEach(() => api.stop());

const open = async (environment: Record<string, string>) => {
  api = await startTestApi({}, environment);
  await api.call('POST', '/api/v1/connection', {
    body: { id: 'code', spec: { type: 'git', uri: 'https://git.example.org/a.git', reference: 'main' } },
  });
  return api;
};

const training = (id: string, spec: object = {}) => ({
  id,
  spec: {
    model: { name: 'wine', version: '1' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' } },
    ...spec,
  },
});
const deployment = (id: string, minReplicas: number, limits: object = { cpu: '1', memory: '1Gi' }) => ({
  id,
  spec: { image: 'wine:1', predictor: 'platform-ml-server', minReplicas, resources: { limits } },
});
const post = (path: string, body: object) => api.call('POST', `/api/v1/model/${path}`, { body });
const end = (id: string) =>
  api.trainings.update(id, (current) => ({ ...current, status: { ...current.status, state: 'succeeded' } }));

test('a job beyond the quota is refused before it is stored, and admitted when another has ended', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'jobs=2' });
  expect((await post('training', training('a'))).status).toBe(201);
  expect((await post('training', training('b'))).status).toBe(201);
  const refused = await post('training', training('c'));
  expect([refused.status, refused.body]).toEqual([
    403,
    {
      code: 'quota_exceeded',
      message: expect.stringContaining('the quota of one owner is 2 jobs: 2 in use, 1 more wanted; '),
      requestId: expect.any(String),
    },
  ]);
  expect(await api.trainings.get('c')).toBeUndefined();
  expect(api.signals).not.toContain('changed training/c 1');
  await end('a');
  expect((await post('training', training('c'))).status).toBe(201);
  expect((await post('training/a/rerun', {})).body).toMatchObject({ code: 'quota_exceeded' });
});

test('of requests at the same moment no more are admitted than fit', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'jobs=5' });
  const ids = Array.from({ length: 20 }, (_, at) => `t${at}`);
  const replies = await Promise.all(ids.map((id) => post('training', training(id))));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(403)]);
  expect(await api.trainings.list()).toHaveLength(5);
});

test('what was refused later, or failed to be stored, takes nothing', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'jobs=2' });
  await post('training', training('a'));
  for (let at = 0; at < 3; at += 1) expect((await post('training', training('a'))).status).toBe(409);
  expect((await post('training', training('b'))).status).toBe(201);
});

test('replicas, cpu and memory of deployments count, and a deployment may always shrink', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'replicas=4,memory=8Gi' });
  expect((await post('deployment', deployment('a', 3))).status).toBe(201);
  const text = async (body: object) => (await post('deployment', body)).body.message;
  expect(await text(deployment('b', 2))).toContain('is 4 replicas: 3 in use, 2 more wanted');
  expect(await text(deployment('b', 1, { cpu: '1', memory: '6Gi' }))).toContain('is 8Gi memory: 3Gi in use, 6Gi more');
  const put = (body: object) => api.call('PUT', '/api/v1/model/deployment', { body });
  expect((await put(deployment('a', 5))).status).toBe(403);
  expect((await put(deployment('a', 4))).status).toBe(200);
  await api.deployments.update('a', (current) => ({ ...current, spec: { ...current.spec, minReplicas: 9 } }));
  expect((await put(deployment('a', 8))).status).toBe(200); // the quota was lowered since, perhaps
});

test('another owner has a quota of their own; the installation has one for all', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'jobs=1', SLIPWAY_QUOTA: 'jobs=2' });
  await post('training', training('a'));
  await api.trainings.update('a', (current) => ({ ...current, createdBy: 'owner-2' }));
  expect((await post('training', training('b'))).status).toBe(201);
  await api.trainings.update('b', (current) => ({ ...current, createdBy: 'owner-3' }));
  const refused = await post('training', training('c'));
  expect(refused.body.message).toContain('the quota of the installation is 2 jobs: 2 in use, 1 more wanted');
});

test('the usage is shown', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'jobs=7,cpu=64', SLIPWAY_QUOTA: 'replicas=9' });
  await post('deployment', deployment('a', 3, { cpu: '1500m', memory: '512Mi' }));
  await post('training', training('t', { resources: { limits: { cpu: '2', memory: '2Gi' } } }));
  await post('training', training('done'));
  await end('done');
  await api.deployments.update('a', (current) => ({ ...current, createdBy: 'another' }));
  const { status, body } = await api.call('GET', '/api/v1/quota', { as: ['viewer', 'data_scientist', 'admin'] });
  expect(status).toBe(200);
  expect(body.installation).toEqual({
    replicas: { used: '3', limit: '9' },
    cpu: { used: '6.5', limit: '20000' },
    memory: { used: '3.5Gi', limit: '81920Gi' },
    jobs: { used: '1', limit: '10000' },
    storage: { used: '0Gi', limit: '51200Gi' },
    datasets: { used: '0', limit: '5000' },
    subscriptions: { used: '0', limit: '10000' },
    imports: { used: '0', limit: '500' },
  });
});

test('one resource has ceilings', async () => {
  await open({ SLIPWAY_MAX_REPLICAS: '5', SLIPWAY_MAX_CPU: '8', SLIPWAY_MAX_MEMORY: '16Gi' });
  const text = async (body: object) => (await post('deployment', body)).body.message;
  expect(await text(deployment('a', 6))).toContain(
    'minimum number of replicas parameter must not be more than 5, the most of this installation',
  );
  const large = await post('training', training('a', { resources: { limits: { cpu: '9', memory: '1Ti' } } }));
  expect([large.status, large.body.message]).toEqual([
    400,
    expect.stringContaining('"9": must be less than or equal to 8, the largest cpu limit of this installation'),
  ]);
  expect(large.body.message).toContain('"1Ti": must be less than or equal to 16Gi, the largest memory limit');
  expect((await post('deployment', deployment('a', 5, { cpu: '8', memory: '16Gi' }))).status).toBe(201);
});

test('an owner whose storage is used up starts no training, and gets it back with a training', async () => {
  await open({ SLIPWAY_OWNER_QUOTA: 'storage=1Gi' });
  await post('training', training('a'));
  await api.trainings.update('a', ({ status, ...current }) => ({
    ...current,
    status: { ...status, state: 'succeeded', artifactBytes: 2 ** 30 },
  }));
  const refused = await post('training', training('b'));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining('the quota of one owner is 1Gi storage: 1Gi in use'),
  ]);
  expect(refused.body.message).toContain('remove trainings whose artifacts are not needed');
  expect((await api.call('GET', '/api/v1/quota')).body.owner.storage).toEqual({ used: '1Gi', limit: '1Gi' });
  await api.call('DELETE', '/api/v1/model/training/a');
  expect((await post('training', training('b'))).status).toBe(201);
});
