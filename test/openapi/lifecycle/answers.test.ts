import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { EXAMPLES } from '../../../openapi/lifecycle/examples.js';
import { KIND_ROWS } from '../../../openapi/lifecycle/kinds.js';
import { startTestApi, type TestApi } from '../../api/test-api.js';
import { asRead, type Operation, operationsOf, resolve } from '../operations.js';

const document = asRead(createDocument({ version: '1' }));
const operations = new Map(operationsOf(document).map((each) => [each.id, each]));

let api: TestApi;
/** Operations that answered with a success, by id. */
const answered = new Set<string>();
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

type Options = Parameters<TestApi['call']>[2];
const operationOf = (id: string): Operation => {
  const operation = operations.get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
};

/** Calls an operation by its id; the test API holds every reply against the document. */
async function call(id: string, places: Record<string, string> = {}, options: Options = {}) {
  const { method, path, operation } = operationOf(id);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'none');
  const query = new URLSearchParams(
    Object.entries(places)
      .filter(([name]) => name.startsWith('?'))
      .map(([name, value]): [string, string] => [name.slice(1), value]),
  );
  const reply = await api.call(method, `${filled}?${String(query)}`, options);
  if (reply.status < 300) {
    answered.add(id);
    const { headers = {} } = (operation.responses?.[reply.status] ?? {}) as {
      headers?: Record<string, { $ref: string }>;
    };
    for (const name of Object.keys(headers)) {
      // A page has a link only to a next one, and a reply is a repeat only where it is one.
      if (['Link', 'Idempotency-Replayed'].includes(name)) continue;
      expect([id, name, reply.headers.has(name)]).toEqual([id, name, true]);
    }
  }
  return reply;
}
const succeed = async (id: string, places: Record<string, string> = {}, options: Options = {}) => {
  const reply = await call(id, places, options);
  expect([id, reply.status < 300, reply.status < 300 ? '' : reply.text]).toEqual([id, true, '']);
  return reply;
};

const CONNECTION = { ...EXAMPLES.connection, id: 'wine-code' };
const REGISTRY = { kind: 'Connection', id: 'docker-ci', spec: { type: 'docker', uri: 'registry.example.org/ci' } };
const BODIES: Record<string, { id: string }> = {
  Connection: CONNECTION,
  ToolchainIntegration: EXAMPLES.toolchainIntegration,
  PackagingIntegration: EXAMPLES.packagingIntegration,
  ModelTraining: { ...EXAMPLES.training, spec: { ...EXAMPLES.training.spec } } as { id: string },
  ModelPackaging: EXAMPLES.packaging,
  ModelDeployment: EXAMPLES.deployment,
  ModelRoute: EXAMPLES.route,
  ModelPipeline: EXAMPLES.pipeline,
  InferenceService: EXAMPLES.inferenceService,
  InferenceJob: { ...EXAMPLES.inferenceJob, id: '' },
};
const kinds = KIND_ROWS;

test('what the examples need is created first', async () => {
  await succeed('createConnection', {}, { body: CONNECTION });
  await api.call('POST', '/api/v1/connection', { body: REGISTRY });
  await api.call('POST', '/api/v1/model/deployment', { body: { ...EXAMPLES.deployment, id: 'wine-next' } });
});

test.each(kinds.filter(({ kind }) => kind !== 'Connection').map(({ kind }) => ({ kind })))(
  'the example of $kind is created',
  async ({ kind }) => {
    const { body } = await succeed(`create${kind}`, {}, { body: BODIES[kind] });
    // The server draws the id of a job.
    if (kind === 'InferenceJob') BODIES[kind] = { ...EXAMPLES.inferenceJob, id: body.id };
  },
);

test.each(kinds)('$kind is listed, read and replaced', async ({ kind, drawsId }) => {
  const body = BODIES[kind];
  const id = body?.id ?? '';
  expect((await succeed(`list${kind}s`, { '?size': '1' })).body).toHaveLength(1);
  const { headers } = await succeed(`get${kind}`, { id });
  const etag = headers.get('etag') ?? '';
  const same = await call(`get${kind}`, { id }, { headers: { 'if-none-match': etag } });
  expect([same.status, same.text]).toEqual([304, '']);
  if (!drawsId) await succeed(`replace${kind}`, {}, { body, headers: { 'if-match': etag } });
});

test('a connection is tested', async () => {
  await succeed('testConnection', { id: 'models-output' });
});

test('a route is read off its deployment', async () => {
  const { body } = await succeed('getDefaultRoute', { id: 'wine' });
  await succeed('listModelRoutes');
  await succeed('getModelRoute', { id: body.id });
});

test('a rollout is steered, and a deployment goes back', async () => {
  const { id } = EXAMPLES.deployment;
  const rollout = { state: 'baking', step: 1, steps: 1, weight: 10, stable: 1 } as const;
  const { uid, spec } = await api.deployments.update(id, ({ status, ...each }) => ({
    ...each,
    status: { ...status, rollout },
  }));
  for (const action of ['pause', 'resume', 'promote', 'abort']) await succeed(`${action}Rollout`, { id });
  const about = { image: spec.image, modelName: 'wine', modelVersion: '1', updatedBy: 'ada' };
  await api.revisions.keep(uid, {
    generation: 7,
    at: '2026-11-20T08:00:00.000Z',
    ...about,
    spec: { ...spec, minReplicas: 0 },
  });
  expect((await succeed('listDeploymentRevisions', { id })).body).toHaveLength(1);
  await succeed('rollBackDeployment', { id }, { body: { generation: 7 } });
});

test('runs are canceled and run again, and their logs are read', async () => {
  for (const kind of ['ModelTraining', 'ModelPackaging', 'InferenceJob'] as const) {
    const { id = '' } = BODIES[kind] ?? {};
    await succeed(`cancel${kind}`, { id });
    const fail = <Status extends object>(each: { status: Status }) => ({ status: { ...each.status, state: 'failed' } });
    // A run that is over may run again.
    const ended = {
      ModelTraining: () => api.trainings.update(id, (each) => ({ ...each, ...fail(each) })),
      ModelPackaging: () => api.packagings.update(id, (each) => ({ ...each, ...fail(each) })),
      InferenceJob: () => api.inferenceJobs.update(id, (each) => ({ ...each, ...fail(each) })),
    };
    expect((await ended[kind]()).status.state).toBe('failed');
    // Without a first line there is no log yet.
    expect((await call(`get${kind}Log`, { id, '?tail': '1' })).status).toBe(409);
    await succeed(`rerun${kind}`, { id });
  }
  await call('getModelDeploymentLog', { id: 'wine', '?tail': '1' });
});

test('the metrics of deployments are read', async () => {
  await succeed('getModelDeploymentMetrics', { id: 'wine' });
  expect((await succeed('listModelDeploymentMetrics', { '?size': '1' })).body).toHaveLength(1);
});

test('the platform answers for itself', async () => {
  for (const id of [
    'getHealth',
    'getUserInfo',
    'getQuota',
    'getConfiguration',
    'listDeploymentEvents',
    'listRouteEvents',
  ]) {
    await succeed(id);
  }
  expect((await succeed('listAuditRecords', { '?size': '1' })).body).toHaveLength(1);
  await succeed('getDecryptedConnection', { id: 'wine-code' });
});

test('a run of a pipeline is made, listed and read', async () => {
  const { body } = await succeed('createPipelineRun', { id: 'wine' }, { body: {} });
  const places = { id: 'wine', number: String(body.spec.number) };
  expect((await succeed('listPipelineRuns', places)).body).toHaveLength(1);
  const { headers } = await succeed('getPipelineRun', places);
  const same = await call('getPipelineRun', places, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  expect(same.status).toBe(304);
  await succeed('cancelPipelineRun', places);
  await succeed('getPipelineWebhook', { id: 'wine' });
});

test('a run that is over is retried, and decided on', async () => {
  const places = { id: 'wine', number: '1' };
  await api.pipelineRuns.update('wine-1', (each) => ({ ...each, status: { ...each.status, state: 'failed' } }));
  await succeed('retryPipelineRun', places, { body: {} });
  for (const id of ['approvePipelineRun', 'rejectPipelineRun']) {
    await succeed(id, places, { body: { reason: 'looks good' } });
  }
});

test('lineage of a training is a graph', async () => {
  const reply = await call('getLineage', { kind: 'training', id: 'wine' });
  expect([200, 404]).toContain(reply.status);
});

test.each(kinds.map(({ kind }) => ({ kind })))(
  'of a $kind that is not there every operation says so',
  async ({ kind }) => {
    const of = [...operations.values()].filter(({ id, path }) => path.includes('{id}') && id.endsWith(kind));
    expect(of.length).toBeGreaterThan(1);
    for (const { id, operation } of of) {
      const { status } = await call(id, { id: 'absent', number: '1' });
      expect([id, status, '404' in (operation.responses ?? {})]).toEqual([id, 404, true]);
    }
  },
);

// A body that cannot be read is refused before anything else is looked at.
const writing = [...operations.values()].filter(
  ({ operation, id }) => operation.requestBody !== undefined && id !== 'callPipelineWebhook',
);
test.each(writing.map(({ id }) => ({ id })))('$id refuses a body that is no JSON object', async ({ id }) => {
  for (const raw of ['{', '[]', '"text"', 'null', '{"spec":[]}', '{"id":{}}']) {
    const { status } = await call(
      id,
      { id: 'wine', number: '1' },
      { raw, headers: { 'content-type': 'application/json' } },
    );
    expect([id, raw, status >= 400 || status === 200 || status === 202]).toEqual([id, raw, true]);
    expect(status).toBeLessThan(500);
  }
});

test('everything that was made is deleted again', async () => {
  for (const { kind } of kinds.toReversed()) {
    const { status } = await call(`delete${kind}`, { id: BODIES[kind]?.id ?? '' });
    expect([kind, [200, 409].includes(status)]).toEqual([kind, true]);
  }
});

test('nearly every operation has answered with a success that the document describes', () => {
  // Those need a schedule, a signature, a waiting run, records or a signed image, which tests of their own have.
  const apart = /Schedule$|callPipelineWebhook|getLineage|getRecord|verifyImage|^getAttestation|Log$|^delete/;
  const missing = [...operations.keys()].filter((id) => !answered.has(id) && !apart.test(id));
  expect(missing).toEqual([]);
});

test('each success has a body of a schema that is there', () => {
  for (const { id, operation } of operations.values()) {
    for (const [status, reply] of Object.entries(operation.responses ?? {})) {
      if (!/^2/.test(status)) continue;
      const { content = {} } = reply as { content?: Record<string, { schema?: { $ref?: string } }> };
      for (const { schema } of Object.values(content)) {
        const found = schema?.$ref === undefined ? schema : resolve(document, schema.$ref);
        expect([id, status, found === undefined]).toEqual([id, status, false]);
      }
    }
  }
});
