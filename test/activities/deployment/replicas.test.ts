import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { awaitReplicas } from '../../../activities/deployment/readiness.js';
import { readInfo, startReplica } from '../../../activities/deployment/replica.js';
import { superviseReplicas, type Supervisor } from '../../../activities/deployment/supervisor.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { containerName } from '../../../platform/kinds/ids.js';
import type { Replica } from '../../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../../lifecycle/kinds/revision.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { PATIENT } from '../../patient-server.js';
import { createMemoryEngine, end, type MemoryContainer, print } from '../shared/memory-engine.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const REF = { id: 'wine', uid: '0d5b2a5e-7f2c-4a31-9f3e-0d2a5b7c9e11', generation: 3 };
const REVISION: Revision = {
  ref: REF,
  image: 'wine:3',
  roleName: 'r',
  feedback: true,
  replicas: 1,
  limits: { cpus: 1, memoryBytes: 1 },
  readinessDelay: 0,
  port: 5_000,
  timeoutSeconds: 60,
  modelName: 'wine',
  modelVersion: '1',
};

/** A model server that a test makes ill. */
async function startModel() {
  const model = { status: 200, hangs: false, body: '{"info":{"title":"wine"}}', probes: 0 };
  const server = createServer(PATIENT, (request, response) => {
    if (request.url === '/healthz/ready') model.probes += 1;
    if (!model.hangs) response.writeHead(model.status).end(model.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { model, address };
}

async function startScene({ replicas = 1, ...options }: Partial<Supervisor> & { replicas?: number } = {}) {
  const { model, address } = await startModel();
  const started: MemoryContainer[] = [];
  const onStart = (container: MemoryContainer): void => {
    container.state = { phase: 'running', startedAt: new Date().toISOString(), ports: { 5_000: address } };
    started.push(container);
  };
  const memory = createMemoryEngine({ onStart });
  const revision = { ...REVISION, replicas };
  for (let index = 0; index < replicas; index += 1) await startReplica(memory.engine, revision, index);
  const logs = createLogs({ objects: createMemoryObjects(), flushMs: 5, pollMs: 5 });
  const stopping = new AbortController();
  const changes: Replica[][] = [];
  const supervisor = {
    engine: memory.engine,
    logs,
    revision,
    readySeconds: 60,
    pollMs: 5,
    backoffMs: 1,
    signal: stopping.signal,
    beat: () => {},
    onChange: async (ready: Replica[]) => void changes.push(ready),
    holdRoute: async () => {},
    mayRestart: async () => {},
    ...options,
  };
  const replica = (index = 0) => memory.container(containerName('deployment', REF, `r${index}`));
  /** Supervises until `until` holds, then as a worker that shuts down. */
  const supervise = async (until: () => boolean) => {
    const supervised = superviseReplicas(supervisor).catch((err: unknown) => err);
    const over = supervised.then(() => true);
    for (const deadline = Date.now() + 120_000; !until();) {
      if (Date.now() > deadline) throw new Error('waited in vain');
      if ((await Promise.race([over, sleep(2)])) === true) break;
    }
    stopping.abort(new Error('shutdown'));
    return supervised;
  };
  return { ...memory, model, logs, supervise, replica, started, changes, revision, stopping, address };
}
const readyCounts = (changes: Replica[][]) => changes.map((ready) => ready.length);

test('the ready replicas are reported once, and again only when they change', async () => {
  const scene = await startScene({ replicas: 2 });
  await scene.supervise(() => scene.model.probes > 20);
  expect(readyCounts(scene.changes)).toEqual([2]);
});

test('the end of the supervisor leaves the replicas running and does not report them as gone', async () => {
  const scene = await startScene();
  await scene.supervise(() => scene.changes.length === 1);
  // A probe is under way when the worker shuts down.
  const second = await startScene();
  second.model.hangs = true;
  second.model.probes = 0;
  await second.supervise(() => second.model.probes > 0);
  for (const { replica, changes } of [scene, second]) {
    expect(replica().state.phase).toBe('running');
    expect(readyCounts(changes)).not.toContain(0);
  }
});

test('a replica that ended is started again, and its requests go elsewhere meanwhile', async () => {
  const scene = await startScene({ replicas: 2 });
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(2);
  end(scene.replica(1), 1);
  await ending;
  expect(readyCounts(scene.changes)).toEqual([2, 1, 2]);
  expect(scene.started.length).toBe(3);
});

test('a replica that was removed from outside is created again', async () => {
  const scene = await startScene();
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(2);
  await scene.engine.remove({ name: scene.replica().spec.name });
  await ending;
  expect(readyCounts(scene.changes)).toEqual([1, 0, 1]);
});

test('restarts come further and further apart', async () => {
  const scene = await startScene({ backoffMs: 40 });
  const times: number[] = [];
  const ending = scene.supervise(() => scene.started.length === 4);
  for (let count = 1; count <= 3; count += 1) {
    while (scene.started.length < count) await sleep(1);
    times.push(Date.now());
    end(scene.replica(), 1);
  }
  while (scene.started.length < 4) await sleep(1);
  times.push(Date.now());
  await ending;
  const [first = 0, second = 0, third = 0] = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(first).toBeGreaterThanOrEqual(40);
  expect(second).toBeGreaterThanOrEqual(80);
  expect(third).toBeGreaterThanOrEqual(160);
});

test('five ends within five minutes are a crash loop, reported with the last line', async () => {
  const scene = await startScene();
  const supervised = scene.supervise(() => false);
  let ended = 0;
  while (ended < 5) {
    if (scene.started.length > ended) {
      print(scene.replica(), 'ValueError: no model');
      end(scene.replica(), 1);
      ended += 1;
    }
    await sleep(1);
  }
  expect(await supervised).toMatchObject({
    code: 'run_failed',
    detail: expect.objectContaining({ reason: 'CrashLoop', logTail: 'ValueError: no model' }),
    message: 'replica r0 ended 5 times within 5 minutes: ValueError: no model',
  });
  expect(scene.started.length).toBe(5);
});

test('one late answer changes nothing; a replica that stays silent gets no requests and is replaced', async () => {
  const scene = await startScene({ silenceMs: 1_500 });
  const ending = scene.supervise(() => scene.changes.length === 3);
  while (scene.changes.length === 0) await sleep(1);
  scene.model.status = 503;
  const before = scene.model.probes;
  while (scene.model.probes < before + 1) await sleep(1);
  scene.model.status = 200;
  await sleep(30);
  expect(readyCounts(scene.changes)).toEqual([1]);
  scene.model.status = 503;
  while (scene.started.length < 2) await sleep(1);
  scene.model.status = 200;
  await ending;
  expect(readyCounts(scene.changes)).toEqual([1, 0, 1]);
});

test('a replica that still loads its model is not taken for one that hangs', async () => {
  const scene = await startScene({ silenceMs: 10, readySeconds: 60 });
  scene.model.status = 503;
  const ending = scene.supervise(() => scene.changes.length === 2);
  await sleep(100);
  expect(scene.replica().stops).toBe(0);
  scene.model.status = 200;
  await ending;
  expect(readyCounts(scene.changes)).toEqual([0, 1]);
});

test('a replica that never gets ready is replaced after the time it has for that', async () => {
  const scene = await startScene({ readySeconds: 0.05 });
  scene.model.status = 503;
  await scene.supervise(() => scene.started.length === 2);
  expect(scene.started.length).toBe(2);
});

test('logs are copied, and go on behind what the last supervisor stored', async () => {
  const scene = await startScene();
  const objects = createMemoryObjects();
  const logs = createLogs({ objects, flushMs: 5, pollMs: 5 });
  const text = async () => {
    let all = '';
    for await (const part of logs.read(`logs/deployment/wine/${REF.uid}/3/r0/`, { follow: false })) all += part;
    return all;
  };
  for (const line of ['one', 'two']) {
    print(scene.replica(), line);
    const stopping = new AbortController();
    const supervisor = {
      ...{ engine: scene.engine, logs, revision: REVISION, readySeconds: 60, pollMs: 5, beat: () => {} },
      ...{ signal: stopping.signal, onChange: async () => {}, holdRoute: async () => {}, mayRestart: async () => {} },
    };
    const supervised = superviseReplicas(supervisor).catch(() => undefined);
    for (const deadline = Date.now() + 120_000; !(await text()).includes(line); await sleep(5))
      if (Date.now() > deadline) throw new Error('the line did not come');
    stopping.abort();
    await supervised;
  }
  expect(await text()).toBe('one\ntwo\n');
});

test('the route is checked every few seconds, and nothing is reported while nothing changes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const held: Replica[][] = [];
  const holdRoute = async (ready: Replica[]) => void held.push(ready);
  const scene = await startScene({ holdRoute, beat: () => vi.setSystemTime(Date.now() + 2_000) });
  await scene.supervise(() => held.length === 3).finally(() => vi.useRealTimers());
  expect(held.every(([replica]) => replica?.url === `http://${scene.address}`)).toBe(true);
  expect(scene.changes).toHaveLength(1);
});

test('an attempt that another one has replaced starts nothing again', async () => {
  const replaced = new SlipwayError('conflict', 'a newer attempt has the route');
  const scene = await startScene({ mayRestart: () => Promise.reject(replaced) });
  end(scene.replica(), 0);
  expect(await scene.supervise(() => false)).toBe(replaced);
  expect(scene.started).toHaveLength(1);
});

test('an answer that cannot be reported ends the attempt, so that the next one reports it', async () => {
  const scene = await startScene({ onChange: async () => Promise.reject(new Error('the database is away')) });
  expect(await scene.supervise(() => false)).toMatchObject({ message: 'the database is away' });
});

const waitFor = (scene: Awaited<ReturnType<typeof startScene>>, readySeconds = 60) =>
  awaitReplicas(scene.engine, scene.revision, { readySeconds, signal: scene.stopping.signal, beat: () => {} });

test('replicas are waited for until each of them is ready', async () => {
  const scene = await startScene({ replicas: 2 });
  scene.model.status = 503;
  const waiting = waitFor(scene);
  await sleep(50);
  scene.model.status = 200;
  expect((await waiting).map(({ url }) => url)).toEqual([`http://${scene.address}`, `http://${scene.address}`]);
});

test('a replica that ends before it is ready is reported with its exit code and last line', async () => {
  const scene = await startScene();
  print(scene.replica(), 'Traceback', 'ImportError: numpy', '');
  end(scene.replica(), 3);
  await expect(waitFor(scene)).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'CrashLoop', exitCode: 3 }),
    message: expect.stringMatching(/exit code 3 .*ImportError: numpy$/),
  });
});

test('a replica that is not ready in time is reported with its last line', async () => {
  const scene = await startScene();
  scene.model.status = 503;
  print(scene.replica(), 'loading');
  await expect(waitFor(scene, 0.01)).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'ProbeFailed', logTail: 'loading' }),
  });
});

test('a wait that is aborted ends', async () => {
  const scene = await startScene();
  scene.model.status = 503;
  const waiting = waitFor(scene);
  scene.stopping.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow();
});

test.each([
  [200, 'hello'],
  [200, '"text"'],
  [404, '{}'],
])('an image that answers %s with %s does not describe its model', async (status, body) => {
  const { model, address } = await startModel();
  Object.assign(model, { status, body });
  const replica = { name: 'r0', url: `http://${address}` };
  await expect(readInfo(replica, new AbortController().signal)).rejects.toMatchObject({
    retryable: false,
    detail: expect.objectContaining({ reason: 'ProbeFailed' }),
  });
});
