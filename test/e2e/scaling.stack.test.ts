import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { read, untilState } from './run-state.js';
import { publishStub } from './stub-model.js';
import { until } from './until.js';

const TIMES = { SLIPWAY_SCALE_SECONDS: '8', SLIPWAY_PAUSE_SECONDS: '2', SLIPWAY_STOP_SECONDS: '4' };
const DEPLOYMENT = '/model/deployment';

let platform: TestPlatform;
let image: string;
beforeAll(async () => {
  platform = await startTestPlatform(TIMES);
  image = await publishStub(platform);
}, 600_000);
afterAll(async () => {
  await platform.stop();
  await platform.engine.removeImage(image).catch(() => undefined);
});

async function deploy(word: string, spec: object): Promise<string> {
  const id = platform.newId(word);
  await platform.admin.create(DEPLOYMENT, id, { image, predictor: 'platform-ml-server', ...spec });
  await untilState(platform, DEPLOYMENT, id, ['Ready']);
  return id;
}

/** Calls a model. @returns status, cold start header and message */
async function call(id: string, seconds = 0) {
  const headers = { ...platform.admin.headers, 'x-stub-seconds': String(seconds) };
  const url = `${platform.baseUrl}/model/${id}/api/model/invoke`;
  const reply = await fetch(url, { method: 'POST', headers, body: '{"data":[[1]]}' });
  const { message = '' } = (await reply.json()) as { message?: string };
  return { status: reply.status, coldStart: reply.headers.get('x-slipway-cold-start'), message };
}

async function phases(id: string): Promise<string[]> {
  const found = await platform.engine.find({ kind: 'deployment', id });
  const states = await Promise.all(found.map((handle) => platform.engine.state(handle)));
  return states.map((state) => state?.phase ?? 'gone');
}

const untilPhases = (id: string, ...wanted: string[]) =>
  until(`${id} to have replicas ${wanted.join(', ')}`, async () => String(await phases(id)) === String(wanted), {
    seconds: 120,
    pollMs: 50,
  });

test.concurrent(
  'replicas follow the calls from one to three and back, and no call fails',
  async () => {
    const id = await deploy('busy', { minReplicas: 1, maxReplicas: 3 });
    const statuses = new Map<number, number>();
    let callers = 20;
    const load = Array.from({ length: callers }, async (_, number) => {
      while (number < callers) {
        const { status } = await call(id, 0.2);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await untilPhases(id, 'running', 'running', 'running');
    await until(
      'three replicas to be ready',
      async () => (await read(platform, DEPLOYMENT, id)).status.availableReplicas === 3,
    );
    callers = 2; // fewer calls go on while replicas leave
    await untilPhases(id, 'running');
    callers = 0;
    await Promise.all(load);
    expect([...statuses.keys()]).toEqual([200]);
    expect((await read(platform, DEPLOYMENT, id)).status).toMatchObject({
      state: 'Ready',
      replicas: 1,
      availableReplicas: 1,
    });
  },
  300_000,
);

test.concurrent(
  'without calls the replica is paused, then stopped; a call wakes it from both',
  async () => {
    const id = await deploy('quiet', {});
    await untilPhases(id, 'paused');
    expect((await read(platform, DEPLOYMENT, id)).status).toMatchObject({
      state: 'Ready',
      replicas: 0,
      availableReplicas: 0,
    });
    const paused = await Promise.all([call(id), call(id)]);
    expect(paused).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(Number(paused[0]?.coldStart)).toBeGreaterThan(0);
    expect(await call(id)).toMatchObject({ status: 200, coldStart: null });
    await untilPhases(id);
    await sleep(1_000);
    const stopped = await call(id);
    expect(stopped.status).toBe(200);
    expect(Number(stopped.coldStart)).toBeGreaterThan(0);
  },
  300_000,
);

test.concurrent(
  'a suspended deployment has no replica and refuses calls until it is resumed',
  async () => {
    const id = await deploy('held', { minReplicas: 1 });
    const change = async (suspended: boolean) => {
      const { spec } = await read(platform, DEPLOYMENT, id);
      await platform.admin.call('PUT', `/api/v1${DEPLOYMENT}`, { id, spec: { ...spec, suspended } });
      await untilState(platform, DEPLOYMENT, id, ['Ready']);
    };
    await change(true);
    await untilPhases(id);
    expect(await call(id)).toMatchObject({ status: 503, message: expect.stringContaining('is suspended') });
    await change(false);
    await until('the deployment to take calls again', async () => (await call(id)).status === 200);
  },
  300_000,
);
