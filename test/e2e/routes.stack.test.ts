import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
/** One image, served by two deployments. */
const ids = { a: '', b: '' };
beforeAll(async () => {
  platform = await startTestPlatform();
  const { admin, newId } = platform;
  const id = newId('routed');
  await admin.create('/model/training', id, trainingSpec(await createProject(platform, SMALL_MODEL), { name: id }));
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  await admin.create('/model/packaging', id, {
    artifactName: status.artifactName,
    integrationName: 'container-rest',
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
  });
  const packed = await untilState(platform, '/model/packaging', id, ['succeeded', 'failed']);
  ids.a = newId('routed-a');
  ids.b = newId('routed-b');
  const spec = { image: packed.status.results?.[0]?.value, predictor: 'platform-ml-server', minReplicas: 1 };
  for (const each of Object.values(ids)) await admin.create('/model/deployment', each, spec);
  for (const each of Object.values(ids)) await untilState(platform, '/model/deployment', each, ['Ready', 'Failed']);
}, 900_000);
afterAll(() => platform.stop());

const body = JSON.stringify({ columns: ['x'], data: [[10]] });

/** Calls a route without a pause between the calls, and counts which deployment answered. */
function startLoad(url: string) {
  let found: string[] = [];
  let isOn = true;
  const { headers } = platform.admin;
  const call = async (): Promise<void> => {
    const reply = await fetch(url, { method: 'POST', headers, body }).catch((err: unknown) => err);
    if (!(reply instanceof Response)) return void found.push('away');
    const text = await reply.text();
    found.push(reply.ok ? (reply.headers.get('x-slipway-deployment') ?? '') : `${reply.status} ${text}`);
  };
  const callers = Array.from({ length: 4 }, async () => {
    while (isOn) {
      await call();
      await sleep(5);
    }
  });
  return {
    /** @returns what answered since the last call of this */
    async during(until: () => Promise<unknown>): Promise<Map<string, number>> {
      found = [];
      await until();
      const counts = new Map<string, number>();
      for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
      return counts;
    },
    async stop(): Promise<void> {
      isOn = false;
      await Promise.all(callers);
    },
  };
}

test('weights move from one deployment to another under load without a failed call, also over the kill of a gateway', async () => {
  const { admin, baseUrl } = platform;
  const { a, b } = ids;
  const id = platform.newId('split');
  const spec = (share: number) => ({
    urlPrefix: `/custom/${id}`,
    modelDeployments: [
      { mdName: a, weight: share },
      { mdName: b, weight: 100 - share },
    ],
  });
  const ready = () => untilState(platform, '/model/route', id, ['Ready'], 60);
  const put = (share: number) => admin.call('PUT', '/api/v1/model/route', { id, spec: spec(share) });
  await admin.create('/model/route', id, spec(90));
  expect((await ready()).status).toMatchObject({ edgeUrl: `${baseUrl}/custom/${id}`, state: 'Ready' });

  const load = startLoad(`${baseUrl}/custom/${id}/api/model/invoke`);
  const settled = () => sleep(1_500);
  const shareOf = (counts: Map<string, number>) => {
    expect([...counts.keys()].every((name) => name === a || name === b)).toBe(true);
    const [ofA = 0, ofB = 0] = [counts.get(a), counts.get(b)];
    const total = ofA + ofB;
    expect(total).toBeGreaterThan(30);
    return { share: ofA / total, within: 5 * Math.sqrt(0.09 / total) };
  };
  const first = shareOf(await load.during(settled));
  expect(Math.abs(first.share - 0.9)).toBeLessThan(first.within);
  shareOf(await load.during(() => put(10).then(ready)));
  const second = shareOf(await load.during(settled));
  expect(Math.abs(second.share - 0.1)).toBeLessThan(second.within);

  // Calls fail only while no gateway runs; the new one serves the same weights from its first call on.
  const { pid } = platform.processes.gateway;
  const whole = await load.during(async () => {
    platform.signal('gateway', 'SIGKILL');
    await until('a new gateway', async () => platform.processes.gateway.pid !== pid);
    await until('an answer', async () => (await fetch(`${baseUrl}/v2/health`).catch(() => undefined)) !== undefined);
    await settled();
  });
  whole.delete('away');
  const third = shareOf(whole);
  expect(Math.abs(third.share - 0.1)).toBeLessThan(third.within);

  // The state waits a minute for a gateway that was killed; calls do not.
  shareOf(await load.during(() => put(0).then(settled)));
  expect([...(await load.during(settled)).keys()]).toEqual([b]);
  await load.stop();

  expect((await admin.call('DELETE', `/api/v1/model/route/${id}`)).body).toEqual({
    message: `Model route ${id} was deleted`,
  });
  await until('the gateway to know of it', () =>
    admin.call('POST', `/custom/${id}/api/model/invoke`, { columns: ['x'], data: [[10]] }).then(
      () => false,
      ({ message }: Error) => message.includes(': 404 '),
    ),
  );
  expect((await read(platform, '/model/deployment', a)).status.state).toBe('Ready');
}, 300_000);
