import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { startSteadyCalls } from './rollout-load.js';
import { read } from './run-state.js';
import { publishStub } from './stub-model.js';
import { until } from './until.js';

let platform: TestPlatform;
let [good, bad] = ['', ''];
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_GUARD_SECONDS: '60' });
  good = await publishStub(platform);
  bad = await publishStub(platform, 500);
}, 600_000);
afterAll(async () => {
  for (const image of [good, bad]) await platform.engine.removeImage(image).catch(() => undefined);
  await platform.stop();
});

const generationsOf = async (id: string): Promise<string[]> =>
  (await platform.engine.find({ kind: 'deployment', id })).map(({ labels }) => labels.generation ?? '').sort();

test('revisions take over step by step under steady calls, and go back', async () => {
  const { admin } = platform;
  const id = platform.newId('rolled');
  const path = `/api/v1/model/deployment/${id}`;
  const spec = (image: string, weight: number, seconds: number, readinessProbeInitialDelay = 0) => ({
    ...{ image, predictor: 'platform-ml-server', minReplicas: 1, readinessProbeInitialDelay },
    rollout: { steps: [{ weight, seconds }] },
  });
  const put = (wanted: object) => admin.call('PUT', '/api/v1/model/deployment', { id, spec: wanted });
  const now = async () => (await read(platform, '/model/deployment', id)) as unknown as Deployment;
  const untilIs = (what: string, isSo: (deployment: Deployment) => boolean) =>
    until(what, async () => isSo(await now()), { seconds: 90 });
  const untilRolling = () => untilIs('the rollout to begin', ({ status }) => status.rollout?.state === 'baking');

  await admin.create('/model/deployment', id, spec(good, 50, 3));
  await untilIs('the first revision', ({ status }) => status.state === 'Ready');
  const calls = startSteadyCalls(platform, id);

  // The worker that watches is killed: another one goes on, and callers notice nothing.
  await put(spec(good, 50, 3, 1));
  await untilRolling();
  await until('calls at the candidate', async () => calls.of(2).length > 20);
  platform.signal('worker', 'SIGKILL');
  await untilIs('the promotion', ({ status }) => status.rollout?.state === 'promoted');
  expect((await now()).status).toMatchObject({ state: 'Ready', rollout: { weight: 100, stable: 1 } });
  await until('the first revision to be gone', async () => (await generationsOf(id)).join() === '2');
  expect(calls.failed()).toEqual([]);

  // Every call to this one fails: it is taken away again by itself.
  await put(spec(bad, 10, 60));
  await untilIs('the rollback', ({ status }) => status.state === 'Failed');
  await until('the bad revision to be gone', async () => (await generationsOf(id)).join() === '2');
  const harmed = calls.of(3);
  const { status } = await now();
  const afterMinimum = (harmed.at(-1)?.atMs ?? Infinity) - (harmed[19]?.atMs ?? 0);
  console.log(`${harmed.length} calls were harmed, the last one ${afterMinimum} ms after the minimum sample`);
  console.log(status.message);
  expect(afterMinimum).toBeLessThan(10_000);
  expect(status).toMatchObject({ reason: 'RolledBack', rollout: { state: 'rolledBack', weight: 0, stable: 2 } });
  expect(status.rollout).toMatchObject({ requests: harmed.length, failed: harmed.length });
  expect(calls.failed()).toEqual(harmed);

  // A person has the last word.
  await put(spec(good, 50, 600, 2));
  await untilRolling();
  await admin.call('POST', `${path}/rollout/abort`);
  await untilIs('the end', ({ status }) => status.state === 'Failed');
  expect((await now()).status.message).toMatch(/^aborted by .*; 0 of the \d+ requests/);

  const { body } = await admin.call('GET', `${path}/revision`);
  expect(body).toMatchObject([{ generation: 2 }, { generation: 1, image: good }]);
  await admin.call('POST', `${path}/rollback`, { generation: 1 });
  await untilIs('the way back', ({ status, generation }) => generation === 5 && status.state === 'Ready');
  expect((await now()).spec.readinessProbeInitialDelay).toBe(0);

  // Without a plan all calls move at once, and back again when the revision collapses.
  await put({ ...spec(bad, 0, 0), rollout: undefined });
  await untilIs('the collapse', ({ generation, status }) => generation === 6 && status.state === 'Failed');
  expect((await now()).status).toMatchObject({
    reason: 'RolledBack',
    message: expect.stringMatching(/failed within 10 s, the limit is 50 %; generation 5 serves again$/),
  });
  await until('the collapsed revision to be gone', async () => (await generationsOf(id)).join() === '5');
  await sleep(1_500); // a gateway reads the routes each second
  await calls.stop();
  expect(calls.answers.at(-1)?.generation).toBe(5);
  expect(calls.failed()).toEqual([...harmed, ...calls.of(6)]);
}, 300_000);

interface Deployment {
  generation: number;
  spec: { readinessProbeInitialDelay: number };
  status: { state: string; reason?: string; message?: string; rollout?: { state: string } };
}
