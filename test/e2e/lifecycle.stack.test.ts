import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLoad } from './route-load.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { knockAtServices } from './services-of-platform.js';
import type { DeploymentMetrics } from '../../lifecycle/kinds/measurement.js';
import { read, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
/** The image that the first test makes. */
let image = '';
beforeAll(async () => {
  platform = await startTestPlatform();
}, 600_000);
afterAll(() => platform.stop());

const TARGETS = [{ name: 'container-push', connectionName: 'docker-ci' }];
/** Counts the lines of a log as they come. */
async function followLog({ baseUrl, admin }: TestPlatform, path: string) {
  const stopping = new AbortController();
  const reply = await fetch(`${baseUrl}${path}`, { headers: admin.headers, signal: stopping.signal });
  let text = '';
  const reading = async (): Promise<void> => {
    for await (const bytes of reply.body ?? []) text += Buffer.from(bytes).toString();
  };
  void reading().catch(() => undefined);
  return { lines: () => text.split('\n').length - 1, stop: () => stopping.abort() };
}

const SAMPLE = { columns: ['x'], data: [[10], [20]] };

test('gateway and API keep a connection for longer than proxies do', async () => {
  const { SLIPWAY_API_PORT } = platform.environment;
  for (const url of [platform.baseUrl, `http://127.0.0.1:${SLIPWAY_API_PORT}`]) {
    expect((await fetch(`${url}/v2/health`)).headers.get('keep-alive')).toBe('timeout=65');
  }
});

test('a commit becomes answered predictions, and every step leaves its trace', async () => {
  const { admin, objects } = platform;
  const connection = await createProject(platform, SMALL_MODEL);
  const id = platform.newId('small');

  await admin.create('/model/training', id, trainingSpec(connection, { name: id }));
  const trained = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(trained.status).toMatchObject({ state: 'succeeded', exitCode: 0, metrics: { answer: 42 } });
  expect(trained.status.transitions?.map(({ state }) => state)).toEqual([
    'unknown',
    'scheduling',
    'running',
    'succeeded',
  ]);
  expect(trained.status.artifacts?.[0]).toMatchObject({
    artifactName: trained.status.artifactName,
    commitID: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(await objects.head(trained.status.artifactName ?? '')).toBeDefined();
  const log = await admin.text(`/api/v1/model/training/${id}/log`);
  expect(log.match(/line \d+/g)).toEqual(Array.from({ length: 50 }, (_, number) => `line ${number}`));

  const packing = { artifactName: trained.status.artifactName, integrationName: 'container-rest', targets: TARGETS };
  await admin.create('/model/packaging', id, packing);
  const packed = await untilState(platform, '/model/packaging', id, ['succeeded', 'failed'], 240);
  expect(packed.status).toMatchObject({ state: 'succeeded' });
  expect(packed.status.results?.[0]).toEqual({ name: 'image', value: expect.stringContaining(`/${id}-1:`) });

  image = packed.status.results?.[0]?.value ?? '';
  await admin.create('/model/deployment', id, {
    image,
    predictor: 'platform-ml-server',
    minReplicas: 2,
    maxReplicas: 2,
  });
  const ready = await untilState(platform, '/model/deployment', id, ['Ready', 'Failed']);
  expect(ready.status).toMatchObject({
    state: 'Ready',
    replicas: 2,
    availableReplicas: 2,
    modelName: id,
    modelVersion: '1',
  });

  // A read-only container cannot keep bytecode, so without that of its image each start would compile all it imports.
  const [replica] = await platform.engine.find({ kind: 'deployment', id });
  const compiled =
    'import granian, os, slipway_server; print([os.path.exists(m.__cached__) for m in (granian, slipway_server)])';
  const { output } = await platform.engine.exec(replica ?? { name: '' }, ['python', '-c', compiled], {
    timeoutMs: 30_000,
  });
  expect(output.trim()).toBe('[True, True]');

  // The model is a user's code: of the platform's services and of metadata it reaches nothing.
  const { command, targets } = knockAtServices(platform);
  expect(targets).toBeGreaterThan(10);
  const knocked = await platform.engine.exec(replica ?? { name: '' }, command, { timeoutMs: 60_000 });
  expect(knocked.output.trim()).toMatch(/^tried \d+$/);

  const { body, headers } = await admin.call('POST', `/model/${id}/api/model/invoke`, SAMPLE);
  expect(body).toEqual({ prediction: [expect.closeTo(21, 6), expect.closeTo(41, 6)], columns: expect.anything() });
  const requestId = headers.get('request-id') ?? '';
  const about = { 'x-model-name': id, 'x-model-version': '1', 'Request-ID': requestId };
  expect((await admin.call('POST', '/feedback/model/', { right: true }, about)).body).toMatchObject({
    error: false,
    registered: true,
  });
  for (const tag of ['request_response', 'response_body', 'feedback']) {
    const record = await until(`a record under ${tag}`, async () => {
      for await (const { key } of objects.list(`${tag}/${id}/1/`)) return (await objects.read(key)).toString('utf8');
      return undefined;
    });
    expect(record).toContain(requestId);
  }

  // The other protocols give the same numbers.
  const predictions = [expect.closeTo(21, 6), expect.closeTo(41, 6)];
  const tensor = { name: 'x', shape: [2], datatype: 'FP64', data: [10, 20] };
  const inferred = await admin.call('POST', `/model/${id}/v2/models/${id}/infer`, { inputs: [tensor] });
  expect(inferred.body).toMatchObject({ model_name: id, outputs: [{ shape: [2], data: predictions }] });
  const scored = await admin.call('POST', `/model/${id}/invocations`, { dataframe_split: SAMPLE });
  expect(scored.body).toEqual({ predictions });
  expect((await admin.call('GET', `/model/${id}/ping`)).body).toMatchObject({ ready: true });

  // A replica that dies is invisible to callers, and comes back.
  const [first] = await platform.engine.find({ kind: 'deployment', id, part: 'r0' });
  const followed = await followLog(
    platform,
    `/api/v1/model/deployment/${id}/log?follow=true&heartbeat=false&replica=r0`,
  );
  await until('the log so far', async () => followed.lines() > 0);
  const before = followed.lines();
  if (first) await platform.engine.stop(first, 0);
  for (let count = 0; count < 20; count += 1) await admin.call('POST', `/model/${id}/api/model/invoke`, SAMPLE);
  await until(
    'two replicas',
    async () => (await read(platform, '/model/deployment', id)).status.availableReplicas === 2,
    { seconds: 60 },
  );
  await until('the follow to go on with the new replica', async () => followed.lines() > before);
  followed.stop();
  const metrics = await until(
    'the metrics',
    async () => {
      const { body } = await admin.call<DeploymentMetrics>('GET', `/api/v1/model/deployment/${id}/metrics`);
      return body.requests > 20 && (body.memoryBytes ?? 0) > 0 && body.restarts === 1 ? body : undefined;
    },
    { seconds: 60 },
  );
  expect(metrics).toMatchObject({ availability: 1, replicas: 2, latencySeconds: { p50: expect.any(Number) } });

  expect((await admin.call('DELETE', `/api/v1/model/deployment/${id}`)).body).toMatchObject({
    message: `Model deployment ${id} was deleted`,
  });
  await until('the deployment to be gone', () =>
    read(platform, '/model/deployment', id).then(
      () => false,
      () => true,
    ),
  );
  expect(await platform.engine.find({ kind: 'deployment', id })).toEqual([]);
  // A gateway looks at the routes each second: until then it knows of replicas that are gone.
  await until('the gateway to know of it', () =>
    admin.call('POST', `/model/${id}/api/model/invoke`, SAMPLE).then(
      () => false,
      ({ message }: Error) => message.includes(': 404 '),
    ),
  );
}, 600_000);

test('weights move from one deployment to another under load without a failed call, also over the kill of a gateway', async () => {
  const { admin, baseUrl } = platform;
  const [a, b] = [platform.newId('routed-a'), platform.newId('routed-b')];
  const serving = { image, predictor: 'platform-ml-server', minReplicas: 1 };
  for (const each of [a, b]) await admin.create('/model/deployment', each, serving);
  for (const each of [a, b]) await untilState(platform, '/model/deployment', each, ['Ready']);
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

  const load = startLoad(platform, `${baseUrl}/custom/${id}/api/model/invoke`);
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
