import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import { createEndpoints } from '../../lifecycle/stores/stored-endpoints.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { killService, signalService, startService } from '../stack/test-stack.js';
import { HELD_MODEL, PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec, type RunView } from './pipeline-projects.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, type RunEntity, untilLog, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
let pipelines: ReturnType<typeof pipelinesOf>;
let code: string;
/** A pipeline that starts each minute. Its turns come while the other tests run, so no test waits for the clock. */
let scheduled: string;
let firstTurn: RunView;
beforeAll(async () => {
  platform = await startTestPlatform();
  pipelines = pipelinesOf(platform);
  code = await createProject(platform, PAUSING_MODEL);
  const held = await createProject(platform, HELD_MODEL);
  scheduled = await createPipeline({ triggers: { schedule: { cron: '* * * * *' } } }, held);
}, 600_000);
afterAll(() => platform.stop());

const ONLY_TRAINING = { packaging: {}, deployment: {} };

async function createPipeline(more: object = {}, connection = code): Promise<string> {
  const id = platform.newId('fault');
  await platform.admin.create('/model/pipeline', id, pipelineSpec(id, connection, { ...ONLY_TRAINING, ...more }));
  return id;
}

/** Lets the program of a held training go on. */
async function release(training: string): Promise<void> {
  const [job] = await platform.engine.find({ kind: 'training', id: training });
  await platform.engine.exec(job ?? { name: '' }, ['touch', '/workspace/go'], { timeoutMs: 60_000 });
}

async function train(): Promise<string> {
  const id = platform.newId('fault');
  const connection = await createProject(platform, SMALL_MODEL);
  await platform.admin.create('/model/training', id, trainingSpec(connection, { name: id, pause: 0 }));
  return id;
}
const ended = (id: string): Promise<RunEntity> =>
  untilState(platform, '/model/training', id, ['succeeded', 'failed'], 240);

async function artifacts(id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of platform.objects.list(`${id}-1-`)) found.push(key);
  return found;
}

test('object storage that is away for 30 s while an artifact is stored only delays it', async () => {
  const id = await train();
  await untilLog(platform, '/model/training', id, 'line 49');
  await killService('storage');
  await sleep(30_000);
  await startService('storage');
  expect((await ended(id)).status.state).toBe('succeeded');
  expect(await artifacts(id)).toHaveLength(1);
}, 600_000);

test('a schedule outlives the kill of everything, and so does the run that it started', async () => {
  await untilLog(platform, '/model/training', `${scheduled}-1`, 'begun');
  await killService('temporal');
  await killService('mongodb');
  platform.signal('worker', 'SIGKILL');
  platform.signal('api', 'SIGKILL');
  await startService('mongodb');
  await startService('temporal');
  await release(`${scheduled}-1`);
  firstTurn = await pipelines.untilOver(scheduled, 1);
  expectTurn(firstTurn);
  expect(await pipelines.artifactsOf(scheduled)).toHaveLength(1);
}, 600_000);

test('a database that is killed loses neither a final status nor a run that waits for its training', async () => {
  const run = await createPipeline({}, await createProject(platform, HELD_MODEL));
  await pipelines.start(run);
  await untilLog(platform, '/model/training', `${run}-1`, 'begun');
  const id = await train();
  await untilLog(platform, '/model/training', id, '=== check');
  await killService('mongodb');
  await sleep(10_000);
  await startService('mongodb');
  await release(`${run}-1`);
  expect((await ended(id)).status).toMatchObject({ state: 'succeeded', metrics: { answer: 42 } });
  expect(await artifacts(id)).toHaveLength(1);
  expect((await pipelines.untilOver(run, 1)).status).toMatchObject({ state: 'succeeded' });
  expect(await pipelines.artifactsOf(run)).toHaveLength(1);
}, 600_000);

test('without the database the gateway serves, also one that is killed and starts again', async () => {
  const model = createServer((req, res) => void req.resume().on('end', () => res.end('{}')));
  await new Promise<void>((done) => model.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  const { MONGODB_URI = '', SLIPWAY_DATABASE = '' } = platform.environment;
  const database = await connectDatabase(MONGODB_URI, SLIPWAY_DATABASE);
  const id = platform.newId('served');
  const endpoints = createEndpoints({ database });
  const route: Endpoint = {
    ...{ id, uid: id, generation: 1, roleName: 'callers', modelName: 'served', modelVersion: '1' },
    ...{ timeoutSeconds: 10, feedback: true, replicas: [{ name: `${id}-r1`, url }], info: {} },
  };
  // Newer than the sweep, which would withdraw a route without a deployment.
  const epoch = 10 ** 14;
  await endpoints.put(route, epoch);
  const call = async (): Promise<number> => {
    const path = `${platform.baseUrl}/model/${id}/api/model/invoke`;
    return (await fetch(path, { method: 'POST', headers: platform.admin.headers, body: '{}' })).status;
  };
  await until('the copy of the route', async () => {
    const copy = await readFile(join(platform.folder, 'gateway', 'routes.json'), 'utf8').catch(() => '');
    return copy.includes(id);
  });
  await killService('mongodb');
  expect(await call()).toBe(200);
  const killed = platform.processes.gateway.pid;
  platform.signal('gateway', 'SIGKILL');
  await until('the next gateway', async () => (await call().catch(() => 0)) === 200, { seconds: 30 });
  expect(platform.processes.gateway.pid).not.toBe(killed);
  for (let count = 0; count < 50; count += 1) expect(await call()).toBe(200);
  await startService('mongodb');
  await endpoints.withdraw(route, epoch);
  await database.close();
  model.close();
}, 600_000);

test('a database that hangs: the management API answers 503 within 10 s, and goes on afterwards', async () => {
  const id = platform.newId('fault');
  const spec = { type: 'git', uri: platform.folder };
  await platform.admin.create('/connection', id, spec);
  await signalService('mongodb', 'SIGSTOP');
  const ask = async (method: string, path: string, body?: object) => {
    const began = performance.now();
    const headers = { ...platform.admin.headers, 'idempotency-key': platform.newId('key') };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(60_000) };
    const { status, headers: answered } = await fetch(`${platform.baseUrl}/api/v1${path}`, init);
    return { status, hasRetryAfter: answered.has('retry-after'), isInTime: performance.now() - began < 10_000 };
  };
  const answers = async () =>
    Promise.all([
      ask('GET', '/model/training'),
      ask('GET', `/connection/${id}`),
      ask('DELETE', `/connection/${id}`),
      ask('POST', '/connection', { id: `${id}-2`, spec }),
      ask('GET', '/audit'),
    ]);
  // At first the calls are under way when the database hangs; then the API knows.
  const found = [...(await answers()), ...(await answers())];
  await signalService('mongodb', 'SIGCONT');
  expect(found).toEqual(found.map(() => ({ status: 503, hasRetryAfter: true, isInTime: true })));
  await until('the connection', async () => platform.admin.call('GET', `/api/v1/connection/${id}`).catch(() => false));
}, 600_000);

test('Temporal that is killed during a run only delays it', async () => {
  const id = await createPipeline();
  await pipelines.start(id, { pause: '5' });
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  await killService('temporal');
  // A run that is requested meanwhile is stored, and starts afterwards.
  const other = await createPipeline();
  await pipelines.start(other);
  await sleep(10_000);
  await startService('temporal');
  expect((await pipelines.untilOver(id, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await pipelines.untilOver(other, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await read(platform, '/model/training', `${id}-1`)).generation).toBe(1);
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
}, 600_000);

test('a schedule goes on after the kills, and a turn with nothing changed trains nothing again', async () => {
  const second = await pipelines.untilOver(scheduled, 2);
  expectTurn(second);
  expect(firstTurn.spec.trigger.at).not.toBe(second.spec.trigger.at);
  expect(second.status.steps.find(({ name }) => name === 'training')?.reusedFrom).toBe(`training/${scheduled}-1`);
  expect(await pipelines.artifactsOf(scheduled)).toHaveLength(1);
  const path = `${PIPELINES}/${scheduled}/schedule`;
  const { body } = await platform.admin.call<{ paused: boolean; next: string[] }>('GET', path);
  expect(body).toMatchObject({ paused: false, next: expect.arrayContaining([expect.any(String)]) });
  await platform.admin.call('DELETE', `${PIPELINES}/${scheduled}`);
}, 600_000);

function expectTurn({ spec, status }: RunView): void {
  expect([spec.trigger.type, status.state, status.message]).toEqual(['schedule', 'succeeded', undefined]);
  expect(spec.trigger.at).toMatch(/:00.000Z$/);
}
