import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/deployment';
const SCIENTIST = { as: ['data_scientist'] };
const manifest = (id: string, change: object = {}) => ({
  id,
  spec: { image: 'registry.example.org/wine:1', predictor: 'platform-ml-server', ...change },
});
const PROTECTED = { protected: true, pipeline: 'release' };
const protect = async (id: string) => {
  const { status } = await api.call('POST', PATH, { body: manifest(id, PROTECTED) });
  expect(status).toBe(201);
};
const auditOf = async (id: string) => (await api.call('GET', `/api/v1/audit?entityId=${id}`)).body;

test('a data scientist neither changes, scales nor deletes a protected deployment', async () => {
  await protect('wine');
  for (const change of [
    { ...PROTECTED, minReplicas: 3, maxReplicas: 3 },
    { image: 'other:2' },
    { ...PROTECTED, roleName: 'x' },
  ]) {
    const reply = await api.call('PUT', PATH, { ...SCIENTIST, body: manifest('wine', change) });
    expect([reply.status, reply.body.code, reply.body.message]).toEqual([
      403,
      'forbidden',
      'deployment "wine" is protected: runs of pipeline "release" change it, or an admin does',
    ]);
  }
  const removed = await api.call('DELETE', `${PATH}/wine`, {
    ...SCIENTIST,
    headers: { 'Override-Protection': 'wine' },
  });
  expect([removed.status, removed.body.code]).toEqual([403, 'forbidden']);
  expect(await api.deployments.get('wine')).toMatchObject({ generation: 1 });
  expect((await auditOf('wine')).map((record: { action: string }) => record.action)).toContain('denied');
});

test('an admin is asked, and the override is in the audit log', async () => {
  await protect('asked');
  const body = manifest('asked', { ...PROTECTED, minReplicas: 2, maxReplicas: 2 });
  const asked = await api.call('PUT', PATH, { body });
  expect([asked.status, asked.body.code]).toEqual([409, 'protected']);
  expect(asked.body.message).toContain('Override-Protection: asked');
  const wrong = await api.call('PUT', PATH, { body, headers: { 'Override-Protection': 'wine' } });
  expect(wrong.status).toBe(409);
  const headers = { 'Override-Protection': 'asked' };
  expect((await api.call('PUT', PATH, { body, headers })).body.generation).toBe(2);
  expect((await auditOf('asked'))[0].changes).toContainEqual({
    path: 'protection',
    from: 'protected',
    to: 'overridden',
  });
  const dropped = await api.call('PUT', PATH, { body: manifest('asked') });
  expect(dropped.body.message).toContain('ends its protection');
  expect((await api.call('DELETE', `${PATH}/asked`)).status).toBe(409);
  expect((await api.call('DELETE', `${PATH}/asked`, { headers })).status).toBe(200);
  expect((await api.call('DELETE', `${PATH}/asked`)).status).toBe(200); // a repeat, which changes nothing
});

test('the same spec again needs no override', async () => {
  await protect('same');
  for (const caller of [{}, SCIENTIST]) {
    const { status, body } = await api.call('PUT', PATH, { ...caller, body: manifest('same', PROTECTED) });
    expect([status, body.generation]).toEqual([200, 1]);
  }
});

test('only an admin protects a deployment', async () => {
  const made = await api.call('POST', PATH, { ...SCIENTIST, body: manifest('mine', { protected: true }) });
  expect([made.status, made.body.message]).toEqual([
    403,
    'only an admin protects a deployment: leave "protected" out, or ask an admin',
  ]);
  await api.call('POST', PATH, { ...SCIENTIST, body: manifest('mine') });
  const put = await api.call('PUT', PATH, { ...SCIENTIST, body: manifest('mine', { protected: true }) });
  expect(put.status).toBe(403);
  expect((await api.call('PUT', PATH, { body: manifest('mine', { protected: true }) })).status).toBe(200);
  const unprotected = await api.call('POST', PATH, { body: manifest('open', { pipeline: 'release' }) });
  expect(unprotected.body.message).toContain('set protected to true, or leave pipeline out');
});

const pipeline = (id: string, deployment: object) => ({
  id,
  spec: {
    training: {
      model: { name: 'wine', version: '1' },
      toolchain: 'ml-toolchain',
      algorithmSource: { objectStorage: { connection: 'models-output', path: 'code' } },
    },
    packaging: { integrationName: 'container-rest' },
    deployment,
  },
});

test('only an admin writes the template that changes a protected deployment', async () => {
  await protect('guarded');
  const path = '/api/v1/model/pipeline';
  const body = pipeline('release', { id: 'guarded', spec: { predictor: 'platform-ml-server' } });
  const refused = await api.call('POST', path, { ...SCIENTIST, body });
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'deployment "guarded" is protected: only an admin writes the template that changes it',
  ]);
  expect((await api.call('POST', path, { body })).status).toBe(201);
  const changed = pipeline('release', { id: 'guarded', spec: { predictor: 'platform-ml-server', roleName: 'all' } });
  expect((await api.call('PUT', path, { ...SCIENTIST, body: changed })).status).toBe(403);
  const protecting = pipeline('other', { id: 'free', spec: { predictor: 'platform-ml-server', protected: true } });
  expect((await api.call('POST', path, { ...SCIENTIST, body: protecting })).status).toBe(403);
});

test('a retry with another template of a protected deployment is for admins', async () => {
  await protect('retried');
  const template = pipeline('again', { id: 'retried', spec: { predictor: 'platform-ml-server' } });
  await api.call('POST', '/api/v1/model/pipeline', { body: template });
  const { body: run } = await api.call('POST', '/api/v1/model/pipeline/again/run', SCIENTIST);
  await api.pipelineRuns.update(run.id, (each) => ({ ...each, status: { ...each.status, state: 'failed' } }));
  const retry = (as: string[], more: object) =>
    api.call('POST', '/api/v1/model/pipeline/again/run/1/retry', { as, body: more });
  expect((await retry(['data_scientist'], { spec: template.spec })).status).toBe(403);
  expect((await retry(['data_scientist'], {})).status).toBe(202);
});
