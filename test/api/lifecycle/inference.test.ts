import { afterAll, beforeAll, expect, test } from 'vitest';
import { advance } from '../../../activities/shared/status.js';
import { createIdempotency, type IdempotencyStore } from '../../../platform/stores/idempotency.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

/** The replies to calls with a key; a test loses them as a crash does. */
const replies = { kept: createIdempotency({ database: createMemoryDatabase() }), laterMs: 0 };
let api: TestApi;
beforeAll(async () => {
  const idempotency: IdempotencyStore = {
    begin: (call, signal) => replies.kept.begin(call, signal),
    purge: async () => 0,
  };
  api = await startTestApi(
    { idempotency, now: () => new Date(Date.now() + replies.laterMs) },
    { SLIPWAY_OWNER_QUOTA: 'jobs=12' },
  );
  await connect('files', 'gs://slipway/files');
  await connect('code', 'https://example.org/code.git', 'git');
});
afterAll(() => api.stop());

const connect = (id: string, uri: string, type = 'object-store') =>
  api.call('POST', '/api/v1/connection', { body: { id, spec: { type, uri } } });

const SERVICE = '/api/v1/batch/service';
const JOB = '/api/v1/batch/job';
const SPEC = {
  image: 'example.org/wine-tool:1',
  command: ['predict'],
  modelRegistry: { local: { meta: { name: 'wine', version: 1 } } },
  dataSource: { connection: 'files', path: 'in' },
  outputDestination: { connection: 'files', path: 'out' },
};
const createService = (id: string, more: object = {}) =>
  api.call('POST', SERVICE, { body: { id, spec: { ...SPEC, ...more } } });
const createJob = (spec: object, headers: Record<string, string> = {}) =>
  api.call('POST', JOB, { body: { spec }, headers });

test('a service is created, replaced, listed and deleted', async () => {
  const created = await createService('wine');
  expect([created.status, created.body.kind]).toEqual([201, 'InferenceService']);
  expect(created.body.spec).toMatchObject({
    triggers: { webhook: { enabled: true } },
    modelRegistry: { local: { meta: { name: 'wine', version: '1' } } },
    resources: { limits: { cpu: '2', memory: '2Gi' } },
  });
  const spec = { ...SPEC, args: ['--fast'] };
  expect((await api.call('PUT', SERVICE, { body: { id: 'wine', spec } })).body).toMatchObject({ generation: 2 });
  expect((await api.call('GET', SERVICE)).body.map(({ id }: { id: string }) => id)).toEqual(['wine']);
  expect((await api.call('DELETE', `${SERVICE}/wine`)).body).toEqual({ message: 'Inference Service wine was deleted' });
  expect((await api.call('GET', `${SERVICE}/wine`)).status).toBe(404);
});

test.each<[string, object, string]>([
  [
    'nothing',
    { id: '', spec: null },
    'entity "" is invalid; errors: ID is not valid, empty "ID", image must be non-empty, command must be non-empty, ' +
      'whether modelRegistry.local.meta.name or modelRegistry.local.meta.version must be defined for embedded models, ' +
      'whether modelRegistry.local or modelRegistry.remote must be defined',
  ],
  [
    'a long id and half of a local model',
    { id: 'a'.repeat(54), spec: { ...SPEC, modelRegistry: { local: { meta: { name: 'wine' } } } } },
    `entity "${'a'.repeat(54)}" is invalid; errors: ID length must be less or equal to 53, modelRegistry.local.meta.version must be non-empty`,
  ],
  [
    'a remote model without connection',
    { id: 'x', spec: { ...SPEC, modelRegistry: { remote: { modelPath: 'm' } } } },
    'entity "x" is invalid; errors: modelRegistry.remote.modelConnection must be non-empty',
  ],
  [
    'two models',
    { id: 'x', spec: { ...SPEC, modelRegistry: { ...SPEC.modelRegistry, remote: { modelConnection: 'files' } } } },
    'entity "x" is invalid; errors: both modelRegistry.remote and modelRegistry.local are specified, must be only one',
  ],
  [
    'connections that cannot be used',
    { id: 'x', spec: { ...SPEC, dataSource: { connection: 'gone' }, outputDestination: { connection: 'code' } } },
    'entity "x" is invalid; errors: connection from "dataSource" with name "gone" is not found, ' +
      'connection from "outputDestination" with name "code" has type git: name one of type object-store',
  ],
  [
    'a path out of the connection, and a text for a list',
    { id: 'x', spec: { ...SPEC, command: 'predict', outputDestination: { connection: 'files', path: '../logs' } } },
    'entity "x" is invalid; errors: spec.command must be a list, connection from "outputDestination" with name "files": ' +
      'the path "../logs" leads out of the path of the connection',
  ],
])('a service with %s is refused with the whole list', async (_, body, message) => {
  const reply = await api.call('POST', SERVICE, { body });
  expect([reply.status, reply.body.code, reply.body.message]).toEqual([400, 'validation_failed', message]);
});

test('no output goes to the folders that the platform keeps for itself', async () => {
  await connect('own', 'gs://slipway');
  const { status, body } = await createService('x', { outputDestination: { connection: 'own', path: 'artifacts' } });
  expect([status, body.message]).toEqual([400, expect.stringContaining('which the platform keeps for itself')]);
});

test('a job takes from its service what it leaves out, and starts one run', async () => {
  await createService('inherited');
  const { status, body } = await createJob({ inferenceServiceId: 'inherited', dataSource: { path: 'in/monday' } });
  expect([status, body.kind, body.status.state]).toEqual([201, 'InferenceJob', 'unknown']);
  expect(body.id).toMatch(/^job-inherited-[0-9a-f]{5}$/);
  expect(body.spec).toMatchObject({
    dataSource: { connection: 'files', path: 'in/monday' },
    outputDestination: { connection: 'files', path: 'out' },
    resources: { limits: { cpu: '2', memory: '2Gi' } },
    requestId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  });
  expect(api.signals.filter((line) => line.includes(body.id))).toEqual([`changed batchJob/${body.id} 1`]);
  expect((await api.call('GET', `${JOB}?inferenceServiceId=inherited`)).body).toHaveLength(1);
  expect((await api.call('PUT', JOB, { body: { spec: {} } })).status).toBe(405);

  const kept = await api.call('DELETE', `${SERVICE}/inherited`);
  expect([kept.status, kept.body.message]).toEqual([
    400,
    'Unable to delete service: "inherited". Cause: there are child jobs',
  ]);
  const used = await api.call('DELETE', '/api/v1/connection/files');
  expect([used.status, used.body.message]).toEqual([409, expect.stringContaining(`InferenceJob ${body.id}`)]);

  const deleted = await api.call('DELETE', `${JOB}/${body.id}`);
  expect(deleted.body).toEqual({ message: `Inference Service ${body.id} was deleted` });
  expect(api.signals).toContain(`cancel batchJob/${body.id} 1`);
  expect((await api.call('DELETE', `${SERVICE}/inherited`)).status).toBe(200);
});

test.each<[object, string]>([
  [{}, 'service must be non-empty'],
  [{ inferenceServiceId: 'gone' }, 'unable to fetch corresponding service: entity "gone" is not found'],
  [{ inferenceServiceId: 'closed' }, 'InferenceService: closed webhook trigger is disabled'],
  [
    { inferenceServiceId: 'bare', dataSource: { connection: 'gone' } },
    'connection from "dataSource" with name "gone" is not found, connection from "outputDestination" must be non-empty: name it in the job or in its service',
  ],
  [
    {
      inferenceServiceId: 'bare',
      dataSource: { connection: 'files' },
      outputDestination: { connection: 'files', path: 'out' },
    },
    'outputDestination lies within dataSource, so that the next job would predict it: give another path',
  ],
])('a job %o is refused: %s', async (spec, why) => {
  await createService('closed', { triggers: { webhook: { enabled: false } } });
  await createService('bare', { dataSource: {}, outputDestination: {} });
  const { status, body } = await createJob(spec);
  expect([status, body.message]).toEqual([400, `entity "job" is invalid; errors: ${why}`]);
});

test('a repeat with the same key makes no second job, also when the first reply was lost in a crash', async () => {
  await createService('keyed');
  const spec = { inferenceServiceId: 'keyed' };
  const headers = { 'Idempotency-Key': 'monday' };
  const first = await createJob(spec, headers);
  expect((await createJob(spec, headers)).body).toEqual(first.body);
  expect((await createJob({ ...spec, requestId: 'other' }, headers)).status).toBe(422);

  // The record of the first reply is lost; the job that it was about is there.
  replies.kept = createIdempotency({ database: createMemoryDatabase() });
  expect((await createJob(spec, headers)).body.id).toBe(first.body.id);
  // A day later the key is free again.
  replies.kept = createIdempotency({ database: createMemoryDatabase() });
  replies.laterMs = 25 * 3_600_000;
  expect((await createJob(spec, headers)).body.id).not.toBe(first.body.id);
  replies.laterMs = 0;
  expect((await createJob(spec, { 'Idempotency-Key': 'tuesday' })).body.id).not.toBe(first.body.id);
  expect((await api.call('GET', `${JOB}?inferenceServiceId=keyed`)).body).toHaveLength(3);
});

test('a job has a log, is canceled once, and runs again after its end', async () => {
  await createService('again');
  const { body: job } = await createJob({ inferenceServiceId: 'again' });
  const log = await api.call('GET', `${JOB}/${job.id}/log`);
  expect([log.status, log.body.message]).toEqual([409, `inference job ${job.id} has not started yet`]);
  expect((await api.call('POST', `${JOB}/${job.id}/cancel`)).status).toBe(202);
  const stored = await api.inferenceJobs.get(job.id);
  const ref = { id: job.id, uid: stored?.uid ?? '', generation: 1 };
  await advance(api.inferenceJobs, ref, 'failed', {}, () => new Date());
  expect((await api.call('POST', `${JOB}/${job.id}/cancel`)).body.code).toBe('already_finished');
  expect((await api.call('POST', `${JOB}/${job.id}/rerun`)).body).toMatchObject({ generation: 2 });
});

test('a job counts toward the quota of its owner until it has ended', async () => {
  await createService('counted');
  const before = await api.call('GET', '/api/v1/quota');
  const left = 12 - Number(before.body.owner.jobs.used);
  for (let made = 0; made < left; made += 1)
    expect((await createJob({ inferenceServiceId: 'counted' })).status).toBe(201);
  const { status, body } = await createJob({ inferenceServiceId: 'counted' });
  expect([status, body.code]).toEqual([403, 'quota_exceeded']);
});
