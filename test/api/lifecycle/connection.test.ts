import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';
import { sealBefore } from '../../platform/stores/sealed-before.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATH = '/api/v1/connection';
const SECRET = Buffer.from('hunter2-very-secret').toString('base64');
const registry = (id: string, change: object = {}) => ({
  kind: 'Connection',
  id,
  spec: { type: 'docker', uri: 'registry.example.org/team', username: 'ann', password: SECRET, ...change },
});

test('secrets are sealed in the store and masked in every reply', async () => {
  const created = await api.call('POST', PATH, { body: registry('sealed') });
  expect(created.status).toBe(201);
  const replies = [
    created,
    await api.call('GET', `${PATH}/sealed`),
    await api.call('GET', `${PATH}?type=container-registry`),
    await api.call('GET', '/api/v1/audit'),
  ];
  for (const { text } of replies) {
    expect(text).not.toContain(SECRET);
    expect(text).toContain('"password":"*****"');
  }
  const stored = JSON.stringify(await api.connections.get('sealed'));
  expect(stored).not.toContain(SECRET);
  expect(api.lines.join('')).not.toContain(SECRET);
});

test('the decrypted form is for admins, is audited and is not cached', async () => {
  await api.call('POST', PATH, { body: registry('open') });
  expect((await api.call('GET', `${PATH}/open/decrypted`, { as: ['data_scientist'] })).status).toBe(403);
  const { body, headers } = await api.call('GET', `${PATH}/open/decrypted`);
  expect(body.spec.password).toBe(SECRET);
  expect(headers.get('cache-control')).toBe('no-store');
  const audit = await api.call('GET', '/api/v1/audit?entityId=open&action=decrypt');
  expect(audit.body).toHaveLength(1);
  expect(audit.text).not.toContain(SECRET);
});

test('a masked secret in a PUT keeps the stored one, unless type or host changed', async () => {
  const created = await api.call('POST', PATH, { body: registry('kept') });
  const same = await api.call('PUT', PATH, { body: created.body });
  expect(same.body).toEqual(created.body);
  const renamed = await api.call('PUT', PATH, { body: registry('kept', { password: '*****', description: 'new' }) });
  expect([renamed.status, renamed.body.generation]).toEqual([200, 2]);
  expect((await api.call('GET', `${PATH}/kept/decrypted`)).body.spec.password).toBe(SECRET);
  const moved = await api.call('PUT', PATH, { body: registry('kept', { password: '*****', uri: 'evil.example.org' }) });
  expect([moved.status, moved.body.message]).toEqual([
    400,
    'Validation of connection is failed: password must be sent again because type or uri was changed',
  ]);
  const created2 = await api.call('POST', PATH, { body: registry('masked', { password: '*****' }) });
  expect(created2.body.message).toBe(
    'Validation of connection is failed: password must be base64-encoded, error: illegal base64 data at input byte 0',
  );
});

test('a changed secret shows in the audit log as changed, not as text', async () => {
  await api.call('POST', PATH, { body: registry('rotated') });
  const other = Buffer.from('another').toString('base64');
  await api.call('PUT', PATH, { body: registry('rotated', { password: other }) });
  const { body, text } = await api.call('GET', '/api/v1/audit?entityId=rotated&action=update');
  expect(body[0].changes).toEqual([{ path: 'spec.password', from: '*****', to: '*****' }]);
  expect(text).not.toContain(other);
});

test('a secret of 0.1.0 is sealed again with the next change, which shows no other secret', async () => {
  await api.call('POST', PATH, { body: registry('before') });
  const sealed = sealBefore(api.secretKey, SECRET);
  await api.connections.update('before', (each) => ({ ...each, spec: { ...each.spec, password: sealed } }));
  const password = async () => (await api.connections.get('before'))?.spec.password ?? '';

  const same = await api.call('PUT', PATH, { body: registry('before', { password: '*****' }) });
  expect([same.body.generation, await password()]).toEqual([1, sealed]);
  const other = await api.call('PUT', PATH, { body: registry('before', { password: '*****', description: 'new' }) });
  expect(other.body.generation).toBe(2);
  expect(api.secretBox.isCurrent(await password())).toBe(true);
  expect((await api.call('GET', `${PATH}/before/decrypted`)).body.spec.password).toBe(SECRET);
  const { body } = await api.call('GET', '/api/v1/audit?entityId=before&action=update');
  expect(body[0].changes).toEqual([{ path: 'spec.description', from: null, to: 'new' }]);
});

test('a sealed secret that is copied to another connection does not open there', async () => {
  await api.call('POST', PATH, { body: registry('owner') });
  const { password } = (await api.connections.get('owner'))?.spec ?? {};
  await api.call('POST', PATH, { body: registry('thief', { uri: 'registry.evil.example' }) });
  await api.connections.update('thief', (each) => ({ ...each, spec: { ...each.spec, password } }));
  const reply = await api.call('GET', `${PATH}/thief/decrypted`);
  expect(reply.status).toBe(500);
  expect(reply.text).not.toContain(SECRET);
});

test('the connections of the installation are there and stay', async () => {
  const vital = await api.call('DELETE', `${PATH}/models-output`);
  expect([vital.status, vital.body.code, vital.body.message]).toEqual([
    400,
    'connection_vital',
    'models-output connection is vital, it cannot be deleted',
  ]);
  expect((await api.call('GET', `${PATH}?type=docker&type=git`)).body.map(({ id }: { id: string }) => id)).toContain(
    'docker-ci',
  );
});

test.each([
  ['docker-ci', { type: 'git', uri: 'https://example.org/x.git' }],
  ['models-output', { type: 'container-registry', uri: 'registry.example.org' }],
])('a default connection stays one that the platform can use: %s as %j', async (id, spec) => {
  const before = (await api.call('GET', `${PATH}/${id}`)).body;
  const { status, body } = await api.call('PUT', PATH, { body: { id, spec } });
  expect([status, body.code]).toEqual([403, 'forbidden']);
  expect(body.message).toMatch(new RegExp(`^access forbidden: connection "${id}" is built in: .* must stay a`));
  expect((await api.call('GET', `${PATH}/${id}`)).body).toEqual(before);
});

test('a default connection may lead elsewhere, and stays vital', async () => {
  const { spec } = (await api.call('GET', `${PATH}/docker-ci`)).body;
  const elsewhere = { type: 'docker', uri: 'registry.example.org/team', username: 'u', password: 'cHc=' };
  const changed = await api.call('PUT', PATH, { body: { id: 'docker-ci', spec: elsewhere } });
  expect([changed.status, changed.body.spec]).toEqual([200, { ...elsewhere, password: '*****', vital: true }]);
  expect((await api.call('DELETE', `${PATH}/docker-ci`)).body.code).toBe('connection_vital');
  expect((await api.call('PUT', PATH, { body: { id: 'docker-ci', spec } })).status).toBe(200);
});

test('a connection in use is kept until its users are finished or gone', async () => {
  await api.call('POST', PATH, { body: registry('used') });
  const spec = { image: 'x/y:1', predictor: 'triton', imagePullConnectionID: 'used' };
  const deployed = await api.call('POST', '/api/v1/model/deployment', { body: { id: 'user-one', spec } });
  expect(deployed.body.spec.imagePullConnID).toBe('used');
  await api.call('POST', PATH, { body: { id: 'used-code', spec: { type: 'git', uri: 'https://example.org/x.git' } } });
  const training = {
    id: 'user-two',
    spec: {
      model: { name: 'a', version: '1' },
      toolchain: 'mlflow',
      algorithmSource: { vcs: { connection: 'used-code' } },
    },
  };
  await api.call('POST', '/api/v1/model/training', { body: training });
  const [one, two] = [await api.call('DELETE', `${PATH}/used`), await api.call('DELETE', `${PATH}/used-code`)];
  expect([one.status, one.body.message]).toEqual([409, 'connection used is in use by ModelDeployment user-one']);
  expect(two.body.message).toBe('connection used-code is in use by ModelTraining user-two');
  await api.trainings.update('user-two', (each) => ({ ...each, status: { ...each.status, state: 'succeeded' } }));
  const gone = await api.call('DELETE', `${PATH}/used-code`);
  expect([gone.status, gone.body]).toEqual([200, { message: 'Connection used-code was deleted' }]);
});

test('with delete protection off the users do not count', async () => {
  const lax = await startTestApi({}, { SLIPWAY_DELETE_PROTECTION: 'false' });
  await lax.call('POST', PATH, { body: registry('used') });
  const spec = { image: 'x/y:1', predictor: 'triton', imagePullConnID: 'used' };
  await lax.call('POST', '/api/v1/model/deployment', { body: { id: 'user-one', spec } });
  const { status } = await lax.call('DELETE', `${PATH}/used`);
  await lax.stop();
  expect(status).toBe(200);
});

test('a test says which step fails and why; it is for admins', async () => {
  await api.call('POST', PATH, { body: registry('tested') });
  await api.call('POST', PATH, { body: { id: 'tested-git', spec: { type: 'git', uri: 'https://example.org/x.git' } } });
  const reach = { step: 'reach', passed: true };
  const store = await api.call('POST', `${PATH}/models-output/test?write=true`);
  expect([store.status, store.body.passed]).toEqual([200, true]);
  expect((await api.call('POST', `${PATH}/tested/test`)).body).toEqual({
    id: 'tested',
    passed: false,
    checks: [{ step: 'reach', passed: false, reason: 'registry.example has a private address' }],
  });
  const git = await api.call('POST', `${PATH}/tested-git/test`);
  expect(git.body.checks).toEqual([reach, { step: 'login', passed: false, reason: 'fatal: Authentication failed' }]);
  expect((await api.call('POST', `${PATH}/tested/test`, { as: ['data_scientist'] })).status).toBe(403);
  expect((await api.call('POST', `${PATH}/nothing/test`)).status).toBe(404);
  expect((await api.call('POST', `${PATH}/tested/test?write=perhaps`)).body.message).toBe(
    'the write URL parameter must be true or false, and the only one',
  );
});
