import { afterAll, beforeAll, expect, test } from 'vitest';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connectDocker } from '../../platform/engines/docker/connect.js';
import { startProcess } from '../../workers/compose/supervisor.js';
import { PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec, type RunView } from './pipeline-projects.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject } from './projects.js';
import { read, untilLog, untilState } from './run-state.js';
import { until } from './until.js';
import { deliveryOf } from './webhook-body.js';
import { startWire } from './wire.js';

let platform: TestPlatform;
let pipelines: ReturnType<typeof pipelinesOf>;
let code: string;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_WEBHOOK_PRIVATE: 'true' });
  pipelines = pipelinesOf(platform);
  code = await createProject(platform, PAUSING_MODEL);
}, 600_000);
const closing: (() => unknown)[] = [];
afterAll(async () => {
  await platform.stop();
  closing.forEach((close) => close());
});

const ONLY_TRAINING = { packaging: {}, deployment: {} };

async function createPipeline(more: object = {}, model?: string): Promise<string> {
  const id = platform.newId('fault');
  await platform.admin.create('/model/pipeline', id, pipelineSpec(id, code, more, model));
  return id;
}

/** The pipeline of the first test. Its model serves, and runs whose training is not under test reuse it. */
let first: string;
const FIRST = { parameters: { pause: '3', memory: '512Mi' } };
const reuseFirst = (more: object = {}) => createPipeline({ ...ONLY_TRAINING, ...FIRST, ...more }, first);
/** Version 2 of that model, trained with another parameter. */
const SECOND = { version: '2.{{ run }}', parameters: { pause: '1', memory: '512Mi' } };

/** A run that reused the training of the first test: no child of its own, no second artifact. */
async function expectReused(run: RunView): Promise<void> {
  expect(run.status).toMatchObject({ state: 'succeeded' });
  expect(run.status.steps.find(({ name }) => name === 'training')?.reusedFrom).toBe(`training/${first}-1`);
  await expect(read(platform, '/model/training', run.id)).rejects.toThrow('404');
  expect(await pipelines.artifactsOf(first)).toHaveLength(1);
}

/** Opens an address that takes every delivery; `onDelivery` is called with all of them before each is answered. */
async function receive(onDelivery: (received: readonly Received[]) => void = () => undefined) {
  const received: Received[] = [];
  const server = createHttpServer((req, res) => {
    void text(req).then((body) => {
      const delivery = deliveryOf(body);
      if (delivery !== undefined) {
        received.push({ id: req.headers['webhook-id'], ...delivery });
        onDelivery(received);
      }
      res.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
interface Received {
  id: unknown;
  type: string;
  reason?: string;
}

const jobsOf = (kind: string, id: string) => platform.engine.find({ kind, id });

test('a run whose worker is killed again and again ends with the same children, one artifact and one image', async () => {
  const id = await createPipeline(FIRST);
  first = id;
  await pipelines.start(id);
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  const before = (await jobsOf('training', `${id}-1`)).map(({ name }) => name);
  platform.signal('worker', 'SIGKILL');
  await pipelines.untilIn(id, 1, 'packaging');
  platform.signal('worker', 'SIGKILL');
  await pipelines.untilIn(id, 1, 'deployment');
  platform.signal('worker', 'SIGKILL');
  const run = await pipelines.untilOver(id, 1, 400);
  expect(run.status).toMatchObject({ state: 'succeeded' });
  expect(run.status.steps.map(({ name, state }) => [name, state])).toEqual(
    ['resolve', 'training', 'packaging', 'deployment'].map((name) => [name, 'succeeded']),
  );
  expect(before).toHaveLength(1);
  for (const kind of ['training', 'packaging']) {
    const child = await read(platform, `/model/${kind}`, `${id}-1`);
    expect([child.generation, child.status.state]).toEqual([1, 'succeeded']);
  }
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
  expect(run.status.deployed?.generation).toBe(1);
  expect(await pipelines.imageOf(id)).toBe(`${run.status.image}@${run.status.imageDigest}`);
}, 1_200_000);

test('an API that is killed between a run and its start loses nothing, and its repeat makes no second run', async () => {
  const id = await reuseFirst();
  // A server that takes connections and never answers: the API waits for it after the document is written.
  const taken: Socket[] = [];
  const silent = createServer((socket) => void taken.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await platform.processes.api.stop();
  const environment = { ...platform.environment, TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
  const deaf = await startProcess('api', { ...platform.options, environment });
  const headers = { 'Idempotency-Key': 'once' };
  const post = () => platform.admin.call<{ id: string }>('POST', `${PIPELINES}/${id}/run`, {}, headers);
  const first = post().catch(() => undefined);
  await until('the document', () => pipelines.read(id, 1).then(Boolean, () => false), { pollMs: 20 });
  if (deaf.pid !== undefined) process.kill(deaf.pid, 'SIGKILL');
  await first;
  await deaf.stop();
  taken.forEach((socket) => socket.destroy());
  silent.close();
  platform.processes.api = await startProcess('api', platform.options);
  // Answered once the dead call is taken for dead, if not before: the same run.
  expect((await post()).body.id).toBe(`${id}-1`);
  await expectReused(await pipelines.untilOver(id, 1));
  await expect(pipelines.read(id, 2)).rejects.toThrow(/has no run 2/);
}, 600_000);

test('the same POST twice is one run; the same key with another body is a mistake', async () => {
  const id = await reuseFirst();
  const post = (body: object) =>
    platform.admin.call<{ id: string }>('POST', `${PIPELINES}/${id}/run`, body, { 'Idempotency-Key': 'twice' });
  const [one, other] = await Promise.all([post({}), post({})]);
  expect([one.body.id, other.body.id]).toEqual([`${id}-1`, `${id}-1`]);
  await expect(post({ version: '9' })).rejects.toThrow(/used with another body/);
  await expectReused(await pipelines.untilOver(id, 1));
  await expect(pipelines.read(id, 2)).rejects.toThrow(/has no run 2/);
}, 600_000);

test('a container that is removed from outside is made again, twice; then the run ends with a reason', async () => {
  const id = await createPipeline(ONLY_TRAINING);
  await pipelines.start(id, { pause: '600' });
  const docker = connectDocker(process.env.DOCKER_HOST ?? '');
  for (let times = 1; times <= 3; times += 1) {
    const log = () => platform.admin.text(`/api/v1/model/training/${id}-1/log`).catch(() => '');
    await until(`start ${times}`, async () => (await log()).split('begun').length > times, { seconds: 240 });
    const [job] = await jobsOf('training', `${id}-1`);
    // As a person does it: our own removal would take the network of the next container along.
    await docker.getContainer(job?.name ?? '').remove({ force: true, v: true });
  }
  const { status } = await pipelines.untilOver(id, 1);
  expect(status).toMatchObject({ state: 'failed', reason: 'Evicted' });
  expect(status.message).toMatch(new RegExp(`^training ${id}-1 failed: `));
}, 600_000);

test.each(['training', 'packaging'] as const)(
  'a run that is canceled in its %s ends it, and leaves nothing running',
  async (kind) => {
    const { url, received } = await receive();
    // The artifact of the second case is what the last test deploys.
    const [model, own] = kind === 'training' ? [undefined, {}] : [first, SECOND];
    const id = await createPipeline({ ...own, notify: [{ url }] }, model);
    await pipelines.start(id, { pause: kind === 'training' ? '600' : '1' });
    await untilLog(platform, `/model/${kind}`, `${id}-1`, kind === 'training' ? 'begun' : '=== build');
    await pipelines.cancel(id, 1);
    await pipelines.cancel(id, 1).catch(() => undefined);
    const run = await pipelines.untilOver(id, 1);
    expect(run.status).toMatchObject({ state: 'failed', reason: 'Cancelled' });
    expect(run.status.steps.at(-1)).toMatchObject({ name: kind, state: 'failed', reason: 'Cancelled' });
    expect((await read(platform, `/model/${kind}`, `${id}-1`)).status).toMatchObject({
      state: 'failed',
      reason: 'Cancelled',
    });
    await until('the containers to be gone', async () => (await jobsOf(kind, `${id}-1`)).length === 0);
    expect(await pipelines.artifactsOf(id)).toHaveLength(0);
    expect(await pipelines.artifactsOf(first, 2)).toHaveLength(kind === 'training' ? 0 : 1);
    await expect(pipelines.imageOf(id)).rejects.toThrow(/not found/);
    await until('the delivery', async () => received.length > 0, { seconds: 240 });
    await expect(pipelines.cancel(id, 1)).rejects.toThrow(/has finished already/);
    // One delivery, although a busy machine may make its sender attempt it twice.
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    expect(received[0]).toMatchObject({ type: 'pipeline.run.cancelled', reason: 'Cancelled' });
  },
  600_000,
);

test('a worker that dies before it has stored the response to a delivery sends it again, under the same id', async () => {
  const { url, received } = await receive(({ length }) => {
    if (length === 1) platform.signal('worker', 'SIGKILL');
  });
  const id = await reuseFirst({ notify: [{ url }] });
  await pipelines.start(id);
  await until('the repeat', async () => received.length > 1, { seconds: 240 });
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  expect(received[0]).toMatchObject({ type: 'pipeline.run.succeeded' });
  await expectReused(await pipelines.untilOver(id, 1));
}, 600_000);

test('a run whose start arrives, but whose answer is lost, is one run', async () => {
  const wire = await startWire(process.env.TEMPORAL_ADDRESS ?? '');
  const id = await reuseFirst({ triggers: { schedule: { cron: '0 0 1 1 *' } } });
  const environment = { ...platform.environment, TEMPORAL_ADDRESS: wire.address };
  await platform.processes.api.stop();
  const deaf = await startProcess('api', { ...platform.options, environment });
  try {
    // Connects; from then on requests pass the wire at once.
    await platform.admin.call('GET', `${PIPELINES}/${id}/schedule`);
    const lost = wire.loseAnswerTo(`run/${id}-1`);
    expect((await pipelines.start(id)).id).toBe(`${id}-1`);
    await lost;
  } finally {
    await deaf.stop();
    platform.processes.api = await startProcess('api', platform.options);
    await wire.remove();
  }
  const run = await pipelines.untilOver(id, 1);
  expect(run.generation).toBe(1);
  await expectReused(run);
}, 600_000);

const SAMPLE = { columns: ['x'], data: [[10]] };
const servedVersion = async (id: string): Promise<string | null> => {
  const { headers } = await platform.admin.call('POST', `/model/${id}/api/model/invoke`, SAMPLE);
  return headers.get('model-version');
};

test('a deployment that fails half-way, or is canceled there, leaves the previous version serving', async () => {
  const id = first;
  const image = await pipelines.imageOf(id);
  expect(await servedVersion(id)).toBe('1.1');

  // Too little memory for the server: its replicas end before they are ready.
  await pipelines.start(id, { pause: '1', memory: '24Mi' });
  await pipelines.untilIn(id, 2, 'deployment');
  const { image: other } = (await pipelines.read(id, 2)).status;
  expect(other).not.toBe(image);
  expect(await servedVersion(id)).toBe('1.1');
  const failed = await pipelines.untilOver(id, 2, 400);
  expect(failed.status).toMatchObject({ state: 'failed', message: expect.stringContaining(`deployment ${id} failed`) });
  const restored = await untilState(platform, '/model/deployment', id, ['Ready', 'Failed']);
  expect([restored.status.state, await pipelines.imageOf(id)]).toEqual(['Ready', image]);
  expect(await servedVersion(id)).toBe('1.1');

  // With so little of a processor its start takes about a minute: time to cancel.
  const slow = pipelineSpec(id, code, SECOND) as { deployment: { spec: object } };
  const resources = { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '20m', memory: '512Mi' } };
  slow.deployment.spec = { ...slow.deployment.spec, readinessProbeInitialDelay: 600, resources };
  await platform.admin.call('PUT', PIPELINES, { id, spec: slow });
  await pipelines.start(id);
  await pipelines.untilIn(id, 3, 'deployment');
  await pipelines.cancel(id, 3);
  const canceled = await pipelines.untilOver(id, 3, 400);
  expect(canceled.status).toMatchObject({ state: 'failed', reason: 'Cancelled' });
  await until('the former spec to serve', async () => {
    const { status } = await read(platform, '/model/deployment', id);
    return status.state === 'Ready' && (await pipelines.imageOf(id)) === image;
  });
  expect(await servedVersion(id)).toBe('1.1');
}, 900_000);
