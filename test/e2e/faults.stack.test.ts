import { afterAll, beforeAll, expect, test } from 'vitest';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { startProcess } from '../../workers/compose/supervisor.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, type RunEntity, untilLog, untilState } from './run-state.js';
import { until } from './until.js';
import { startWire, type Wire } from './wire.js';

let platform: TestPlatform;
/** Between the platform and its container engine. */
let wire: Wire;
let connection: Connection;
let temporal: Client;
beforeAll(async () => {
  wire = await startWire(process.env.DOCKER_HOST ?? '');
  platform = await startTestPlatform({ DOCKER_HOST: wire.address });
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  temporal = new Client({ connection, namespace: platform.environment.TEMPORAL_NAMESPACE });
}, 600_000);
afterAll(async () => {
  await platform.stop();
  await connection.close();
  await wire.remove();
});

const TARGETS = [{ name: 'container-push', connectionName: 'docker-ci' }];
const LINES = Array.from({ length: 50 }, (_, number) => `line ${number}`);

async function train(pause: number): Promise<string> {
  const id = platform.newId('fault');
  await platform.admin.create(
    '/model/training',
    id,
    trainingSpec(await createProject(platform, SMALL_MODEL), { name: id, pause }),
  );
  return id;
}
const ended = (id: string, path = '/model/training', seconds = 240): Promise<RunEntity> =>
  untilState(platform, path, id, ['succeeded', 'failed'], seconds);

/** The job containers of a training, without those of its checks. */
async function jobs(id: string): Promise<string[]> {
  const found = await platform.engine.find({ kind: 'training', id });
  return found.filter(({ labels }) => labels.part === undefined).map(({ name }) => name);
}
async function startedAt(name: string): Promise<string> {
  const state = await platform.engine.state({ name });
  return state !== undefined && 'startedAt' in state ? state.startedAt : '';
}
async function artifacts(id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of platform.objects.list(`${id}-1-`)) found.push(key);
  return found;
}

/** The last training that succeeded; a packaging needs an artifact, not a training of its own. */
let trained: RunEntity | undefined;

/** Asserts one job with one artifact, and a whole log, whichever worker copied which part of it. */
async function expectOneRun(id: string): Promise<void> {
  const ending = await ended(id);
  expect(ending.status.state).toBe('succeeded');
  trained = ending;
  expect(await artifacts(id)).toHaveLength(1);
  const log = await platform.admin.text(`/api/v1/model/training/${id}/log`);
  expect(log.match(/line \d+/g)).toEqual(LINES);
}

test.each([
  ['killed', 'SIGKILL'],
  ['asked to stop', 'SIGTERM'],
] as const)(
  'a worker that is %s finds the same container again: one run, one artifact, no line lost or doubled',
  async (_, signal) => {
    const id = await train(0.2);
    await untilLog(platform, '/model/training', id, 'line 3');
    const [name = ''] = await jobs(id);
    const before = await startedAt(name);
    platform.signal('worker', signal);
    await untilLog(platform, '/model/training', id, 'line 49');
    expect(await jobs(id)).toEqual([name]);
    expect(await startedAt(name)).toBe(before);
    await expectOneRun(id);
  },
  600_000,
);

test('a worker that is killed before it hears that the job has begun starts no second one', async () => {
  // The job of a first generation; what prepares its environment has another name.
  const lost = wire.loseAnswerTo('-1/start');
  const id = await train(0.2);
  await lost;
  const [name = ''] = await jobs(id);
  platform.signal('worker', 'SIGKILL');
  const before = await startedAt(name);
  expect(before).not.toBe('');
  await untilLog(platform, '/model/training', id, 'line 49');
  expect(await jobs(id)).toEqual([name]);
  expect(await startedAt(name)).toBe(before);
  await expectOneRun(id);
}, 600_000);

test('a container engine that is away is a pending activity that tries again, and no failure', async () => {
  const id = await train(0.2);
  await untilLog(platform, '/model/training', id, 'line 3');
  const [name] = await jobs(id);
  await wire.cut();
  try {
    const pending = await until('a further attempt', async () => {
      const { pendingActivities } = (await temporal.workflow.getHandle(`training/${id}`).describe()).raw;
      return pendingActivities?.find(({ attempt = 0 }) => (attempt ?? 0) > 1);
    });
    expect([pending.activityType?.name, pending.lastFailure?.message]).toEqual([
      'awaitTraining',
      'the container engine does not answer',
    ]);
    expect((await read(platform, '/model/training', id)).status.state).toBe('running');
  } finally {
    await wire.mend();
  }
  await untilLog(platform, '/model/training', id, 'line 49');
  expect(await jobs(id)).toEqual([name]);
  await expectOneRun(id);
}, 600_000);

test('a worker that is asked to stop in a build goes on with it afterwards: one image', async () => {
  const { artifactName } = (trained ?? (await ended(await train(0)))).status;
  const id = platform.newId('fault');
  await platform.admin.create('/model/packaging', id, {
    artifactName,
    integrationName: 'container-rest',
    targets: TARGETS,
  });
  await untilLog(platform, '/model/packaging', id, '=== build');
  platform.signal('worker', 'SIGTERM');
  const { status } = await ended(id, '/model/packaging');
  expect(status).toMatchObject({ state: 'succeeded' });
  expect(status.results?.filter(({ name }) => name === 'image')).toHaveLength(1);
}, 600_000);

test('an API that is killed between the document and its run loses nothing: the sweep starts it once', async () => {
  // A server that takes connections and never answers: the API waits for it after the document is written.
  const taken: Socket[] = [];
  const silent = createServer((socket) => void taken.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const code = await createProject(platform, SMALL_MODEL);
  const id = platform.newId('fault');
  await platform.processes.api.stop();
  const environment = { ...platform.environment, TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
  const deaf = await startProcess('api', { ...platform.options, environment });
  const post = platform.admin.create('/model/training', id, trainingSpec(code, { name: id })).catch(() => undefined);
  await until(
    'the document',
    () =>
      read(platform, '/model/training', id).then(
        () => true,
        () => false,
      ),
    { pollMs: 20 },
  );
  if (deaf.pid !== undefined) process.kill(deaf.pid, 'SIGKILL');
  await post;
  await deaf.stop();
  taken.forEach((socket) => socket.destroy());
  silent.close();
  platform.processes.api = await startProcess('api', platform.options);
  expect((await ended(id)).status.state).toBe('succeeded');
  expect(await artifacts(id)).toHaveLength(1);
}, 600_000);
