import { afterAll, beforeAll, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import request from 'supertest';
import { createRouter } from '../../../api/app.js';
import { createInternalApi } from '../../../api/http/internal.js';
import { ensureBuiltIns } from '../../../api/lifecycle/built-ins.js';
import { Settings } from '../../../config.js';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { API_GROUPS, groupsOf } from '../../../lifecycle/kinds/api-groups.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

// Recognizable, so that a leak of any of them is seen.
const SECRETS = {
  MONGODB_URI: 'mongodb://user:LEAK-1@127.0.0.1:1',
  TEMPORAL_API_KEY: 'LEAK-2',
  SLIPWAY_SECRET_KEY: 'LEAK-3',
  SLIPWAY_OLD_SECRET_KEYS: 'LEAK-4,LEAK-5',
  SLIPWAY_AZURE_KEY: 'LEAK-6',
};

const metrics = new Registry();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ metrics }, SECRETS);
});
afterAll(() => api.stop());

test('the configuration shows no secret setting', async () => {
  const secret = Object.entries(Settings.shape).filter(([, schema]) => schema.meta()?.secret === true);
  expect(secret.map(([name]) => name).sort()).toEqual(Object.keys(SECRETS).sort());
  const { status, text, body } = await api.call('GET', '/api/v1/configuration', { as: ['viewer'] });
  expect(status).toBe(200);
  expect(text).not.toContain('LEAK');
  expect(body.training).toMatchObject({ enabled: true, outputConnectionID: 'models-output', timeout: 14_400e9 });
  expect(body.deployment.security.jwks).toMatchObject({ enabled: true, url: `${api.testIssuer.url}/jwks` });
  expect(body.common.oauthOidcTokenEndpoint).toBe(`${api.testIssuer.url}/token`);
});

test('built-in connections and integrations are stored once, and not over what an admin changed', async () => {
  await api.packagingIntegrations.update('container-rest', (each) => ({ ...each, generation: 77 }));
  const connections = await api.connections.list();
  const making = { now: () => new Date(), newId: () => crypto.randomUUID() };
  await Promise.all([ensureBuiltIns({ ...api, ...making }), ensureBuiltIns({ ...api, ...making })]);
  expect((await api.packagingIntegrations.get('container-rest'))?.generation).toBe(77);
  expect(await api.connections.list()).toEqual(connections);
  expect(connections.map(({ id }) => id)).toEqual(expect.arrayContaining(['docker-ci', 'models-output']));
  expect((await api.toolchainIntegrations.list()).map(({ id }) => id)).toContain('ml-toolchain');
});

test('an alias answers the built-in integration in its own words, until an entity of that id exists', async () => {
  const alias = await api.call('GET', '/api/v1/packaging/integration/docker-rest');
  expect(alias.body.id).toBe('docker-rest');
  expect(alias.body.spec.schema.targets.map(({ name }: { name: string }) => name)).toEqual([
    'docker-push',
    'docker-pull',
  ]);
  expect((await api.call('GET', '/api/v1/toolchain/integration/mlflow')).body.id).toBe('mlflow');
  const own = { id: 'mlflow', spec: { entrypoint: 'mine', defaultImage: 'x/y' } };
  expect((await api.call('POST', '/api/v1/toolchain/integration', { body: own })).status).toBe(201);
  expect((await api.call('GET', '/api/v1/toolchain/integration/mlflow')).body.spec.entrypoint).toBe('mine');
  const gone = await api.call('DELETE', '/api/v1/toolchain/integration/mlflow');
  expect(gone.body).toEqual({ message: 'ToolchainIntegration mlflow was deleted' });
});

test('a PUT to an alias stores an entity of that id', async () => {
  const { body } = await api.call('GET', '/api/v1/packaging/integration/docker-rest');
  const own = { ...body, spec: { ...body.spec, defaultImage: 'mine:1' } };
  expect((await api.call('PUT', '/api/v1/packaging/integration', { body: own })).status).toBe(200);
  expect((await api.call('GET', '/api/v1/packaging/integration/docker-rest')).body.spec.defaultImage).toBe('mine:1');
  expect((await api.call('GET', '/api/v1/packaging/integration/container-rest')).body.spec.defaultImage).not.toBe(
    'mine:1',
  );
  const absent = { id: 'absent', spec: { entrypoint: 'x', defaultImage: 'y' } };
  expect((await api.call('PUT', '/api/v1/packaging/integration', { body: absent })).status).toBe(404);
});

test('a built-in packager keeps what its program reads, whatever else is changed', async () => {
  const path = '/api/v1/packaging/integration';
  const { body: before } = await api.call('GET', `${path}/container-rest`);
  const { targets, arguments: args } = before.spec.schema;
  const put = (schema: object, changes = {}) =>
    api.call('PUT', path, { body: { id: 'container-rest', spec: { ...before.spec, ...changes, schema } } });
  const port = (parameters: object[]) => [
    ...args.properties.filter(({ name }: { name: string }) => name !== 'port'),
    { name: 'port', parameters },
  ];
  const type = { name: 'type', value: 'integer' };
  const refused = [
    await put({ targets }),
    await put({ targets: targets.slice(1), arguments: args }),
    await put({ targets, arguments: { properties: port([{ name: 'type', value: 'string' }]) } }),
    await put({ targets, arguments: { properties: port([type]) } }),
  ];
  const prefix = 'access forbidden: packaging integration "container-rest" is built in: it must keep the ';
  expect(refused.map(({ status, body }) => `${status} ${body.message}`)).toEqual([
    `403 ${prefix}argument imageName of type string, with a default or required`,
    `403 ${prefix}target container-push for a registry`,
    `403 ${prefix}argument port of type integer, with a default or required`,
    `403 ${prefix}argument port of type integer, with a default or required`,
  ]);
  const own = { targets, arguments: { properties: port([type, { name: 'default', value: 7000 }]) } };
  const changed = await put(own, { defaultImage: 'mine:1' });
  expect([changed.status, changed.body.spec.defaultImage]).toEqual([200, 'mine:1']);
  expect((await put(before.spec.schema)).status).toBe(200);
});

test('packagings are filtered by the packager in any of its words', async () => {
  const spec = { artifactName: 'a.zip', integrationName: 'docker-rest' };
  const created = await api.call('POST', '/api/v1/model/packaging', { body: { id: '1st', spec } });
  expect([created.status, created.body.spec.targets]).toEqual([
    201,
    [{ name: 'docker-push', connectionName: 'docker-ci' }],
  ]);
  for (const query of ['type=container-rest', 'integrationName=docker-rest&state=unknown', 'artifactName=a.zip']) {
    expect((await api.call('GET', `/api/v1/model/packaging?${query}`)).body).toHaveLength(1);
  }
  expect((await api.call('GET', '/api/v1/model/packaging?type=container-cli')).body).toEqual([]);
});

test('a group that is switched off can be read, and takes no changes', async () => {
  const off = await startTestApi({}, { SLIPWAY_DISABLED_GROUPS: 'training,deployment' });
  const refused = [
    await off.call('POST', '/api/v1/model/training', { body: {} }),
    await off.call('DELETE', '/api/v1/model/training/absent'),
    await off.call('POST', '/api/v1/model/training/absent/cancel'),
    await off.call('PUT', '/api/v1/toolchain/integration', { raw: 'no json' }),
    await off.call('PUT', '/api/v1/model/deployment', { body: {} }),
    await off.call('POST', '/api/v1/model/pipeline', { body: {} }),
  ];
  for (const { status, body } of refused) {
    expect([status, body.code, body.message]).toEqual([400, 'api_disabled', 'This API is disabled']);
  }
  expect((await off.call('POST', '/api/v1/model/training', { as: ['viewer'], body: {} })).status).toBe(403);
  expect((await off.call('GET', '/api/v1/model/training')).status).toBe(200);
  expect((await off.call('GET', '/api/v1/model/training/absent')).status).toBe(404);
  expect((await off.call('POST', '/api/v1/model/packaging', { body: {} })).body.code).toBe('validation_failed');
  const { training, packaging, deployment } = (await off.call('GET', '/api/v1/configuration')).body;
  expect([training, packaging, deployment].map(({ enabled }) => enabled)).toEqual([false, true, false]);
  await off.stop();
});

test('every group names paths that the API has', async () => {
  const paths = Object.keys(createDocument({ version: '1' }).paths ?? {});
  for (const group of API_GROUPS) expect(paths.some((path) => groupsOf(path).includes(group))).toBe(true);
  expect(groupsOf('/api/v1/model/training-events')).toEqual([]);
});

test('the audit log pages backwards in time', async () => {
  for (const id of ['audit-a', 'audit-b', 'audit-c']) {
    const body = { id, spec: { type: 'git', uri: 'https://example.org/x.git' } };
    await api.call('POST', '/api/v1/connection', { body });
  }
  const ids: string[] = [];
  for (let query = '?kind=Connection&action=create&size=1'; query !== '';) {
    const { body, headers } = await api.call('GET', `/api/v1/audit${query}`);
    ids.push(...body.map(({ entityId }: { entityId: string }) => entityId));
    query = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
  }
  expect(ids).toEqual(['audit-c', 'audit-b', 'audit-a']);
  expect((await api.call('GET', '/api/v1/audit?from=yesterday')).status).toBe(400);
  expect((await api.call('GET', '/api/v1/audit?after=x')).status).toBe(400);
  expect((await api.call('GET', '/api/v1/audit?colour=red')).body.message).toBe('cannot find colour url parameter');
});

test('the internal listener tells life, readiness and metrics; the public one has none of them', async () => {
  for (const path of ['/livez', '/readyz', '/metrics']) expect((await api.call('GET', path)).status).toBe(404);
  await api.call('GET', '/api/v1/configuration');
  const problems: Error[] = [];
  const checkReady = async () => {
    for (const problem of problems) throw problem;
  };
  const internal = createInternalApi({ metrics, checkReady }).callback();
  await request(internal).get('/livez').expect(200, {});
  await request(internal).get('/readyz').expect(200, {});
  problems.push(new Error('the database does not answer'));
  await request(internal).get('/readyz').expect(503, { message: 'the database does not answer' });
  const { text } = await request(internal).get('/metrics').expect(200);
  expect(text).toContain('slipway_api_request_duration_seconds_count{route="GET /api/v1/configuration",status="200"}');
});

test('a store that breaks is a 500 that tells nothing, and the log tells why', async () => {
  const page = api.trainings.page.bind(api.trainings);
  api.trainings.page = async () => {
    throw new Error('connection to 10.1.2.3 lost');
  };
  const { status, text, body } = await api.call('GET', '/api/v1/model/training');
  api.trainings.page = page;
  expect([status, body.code, body.message]).toEqual([500, 'internal', 'Internal Server Error']);
  expect(text).not.toContain('10.1.2.3');
  expect(api.lines.join('')).toContain('10.1.2.3');
});

test('the page and its definition are open, and describe every route', async () => {
  const page = await api.call('GET', '/swagger/index.html', { as: null });
  expect(page.text).toContain('"./data.json"');
  expect((await api.call('GET', '/', { as: null })).headers.get('location')).toBe('/swagger/index.html');
  const { body } = await api.call('GET', '/swagger/data.json', { as: null });
  const described = Object.entries<object>(body.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  const router = createRouter({ ...api, now: () => new Date(), newId: () => 'id' });
  const routes = router.stack.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
  const pages = /^GET \/($|swagger)/;
  expect(described.sort()).toEqual(routes.filter((route) => !pages.test(route)).sort());
});
