import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../platform/engines/harness.js';
import { startLoad } from './route-load.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, createRepository, SMALL_MODEL, trainingSpec } from './projects.js';
import { OWN_TRAINING, TENSOR_PROJECT } from './packagers.js';
import { knockAtServices } from './services-of-platform.js';
import type { DeploymentMetrics } from '../../lifecycle/kinds/measurement.js';
import { read, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
/** The image that the first test makes, and the artifact that it makes it of. */
let image = '';
let artifactName = '';
/** The command line tool of that artifact. */
let toolImage = '';
beforeAll(async () => {
  platform = await startTestPlatform();
}, 600_000);
afterAll(() => platform.stop());

const TARGETS = [{ name: 'container-push', connectionName: 'docker-ci' }];
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

  artifactName = trained.status.artifactName ?? '';
  const packing = { artifactName, integrationName: 'container-rest', targets: TARGETS };
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
  const [first] = await platform.engine.find({ kind: 'deployment', id });
  if (first) await platform.engine.stop(first, 0);
  for (let count = 0; count < 20; count += 1) await admin.call('POST', `/model/${id}/api/model/invoke`, SAMPLE);
  await until(
    'two replicas',
    async () => (await read(platform, '/model/deployment', id)).status.availableReplicas === 2,
    { seconds: 60 },
  );
  const metrics = await until(
    'the metrics',
    async () => {
      const { body } = await admin.call<DeploymentMetrics>('GET', `/api/v1/model/deployment/${id}/metrics`);
      return body.requests > 20 && (body.memoryBytes ?? 0) > 0 && (body.restarts ?? 0) > 0 ? body : undefined;
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

/** Packages an artifact. @returns its image */
async function pack(integrationName: string, more: object): Promise<{ id: string; image: string }> {
  const id = platform.newId('pack');
  await platform.admin.create('/model/packaging', id, { integrationName, targets: TARGETS, ...more });
  const { status } = await untilState(platform, '/model/packaging', id, ['succeeded', 'failed'], 240);
  expect(status).toMatchObject({ state: 'succeeded' });
  return { id, image: status.results?.[0]?.value ?? '' };
}

test('the same artifact becomes a command line tool, which is checked and cannot be deployed', async () => {
  const { admin } = platform;
  const tool = await pack('container-cli', { artifactName });
  toolImage = tool.image;
  expect(await admin.text(`/api/v1/model/packaging/${tool.id}/log`)).toContain('predicts its sample');
  const id = platform.newId('tool');
  await admin.create('/model/deployment', id, { image: tool.image, predictor: 'platform-ml-server' });
  const { status } = await untilState(platform, '/model/deployment', id, ['Ready', 'Failed']);
  expect(status).toMatchObject({ state: 'Failed', message: expect.stringContaining('is a command line tool') });
  await admin.call('DELETE', `/api/v1/model/deployment/${id}`);
}, 300_000);

test('a batch job predicts each file once, through the death of its worker, and is canceled by its deletion', async () => {
  const { admin, objects, engine } = platform;
  const id = platform.newId('batch');
  const uri = `gs://${platform.environment.SLIPWAY_BUCKET}/${id}`;
  await admin.create('/connection', id, { type: 'object-store', uri });
  const inputs = ['a.json', 'b.json', 'c.json', 'more/d.json'];
  for (const [at, name] of inputs.entries())
    await objects.put(`${id}/in/${name}`, JSON.stringify({ columns: ['x'], data: [[at]] }));
  await objects.put(`${id}/bad/no.json`, '{"columns": 1}');
  await admin.create('/batch/service', id, {
    ...{ image: toolImage, command: ['python', '-m', 'slipway_server.command_line'], args: ['predict'] },
    modelRegistry: { local: { meta: { name: 'small', version: '1' } } },
    dataSource: { connection: id, path: 'in' },
    outputDestination: { connection: id, path: 'out' },
  });
  const spec = { inferenceServiceId: id };
  const post = async (more: object, key: string): Promise<string> =>
    (
      await admin.call<{ id: string }>(
        'POST',
        '/api/v1/batch/job',
        { spec: { ...spec, ...more } },
        { 'Idempotency-Key': key },
      )
    ).body.id;

  const job = await post({}, `${id}-first`);
  expect(job).toMatch(new RegExp(`^job-${id}-[0-9a-f]{5}$`));
  expect(await post({}, `${id}-first`)).toBe(job);
  await until('a second file to be predicted', async () => {
    for await (const { key } of objects.list(`${id}/out/`)) return key;
    return undefined;
  });
  platform.signal('worker', 'SIGKILL');
  const ended = await untilState(platform, '/batch/job', job, ['succeeded', 'failed']);
  expect(ended.status).toMatchObject({ state: 'succeeded', files: { done: 4, total: 4 } });
  const stored: string[] = [];
  for await (const { key } of objects.list(`${id}/out/`)) stored.push(key);
  expect(stored).toEqual(inputs.map((name) => `${id}/out/${job}/${name}/result.json`));
  for (const [at, key] of stored.entries()) {
    const { prediction } = JSON.parse((await objects.read(key)).toString('utf8')) as { prediction: number[] };
    expect(prediction).toEqual([expect.closeTo(2 * at + 1, 6)]);
  }
  expect(await admin.text(`/api/v1/batch/job/${job}/log`)).toMatch(/more\/d.json: .*result.json written/);
  expect(await engine.find({ kind: 'batchJob', id: job })).toEqual([]);

  const bad = await post({ dataSource: { path: 'bad' } }, `${id}-bad`);
  expect((await untilState(platform, '/batch/job', bad, ['succeeded', 'failed'])).status).toMatchObject({
    ...{ state: 'failed', reason: 'PredictionFailed' },
    message: expect.stringMatching(/^input "no.json": the program ended with exit code 1: .*columns/),
  });

  const canceled = await post({}, `${id}-canceled`);
  await until('its container', async () => (await engine.find({ kind: 'batchJob', id: canceled })).length > 0);
  await admin.call('DELETE', `/api/v1/batch/job/${canceled}`);
  await until('its end', async () => (await engine.find({ kind: 'batchJob', id: canceled })).length === 0);
  await expect(admin.call('DELETE', `/api/v1/batch/service/${id}`)).rejects.toThrow('there are child jobs');
}, 300_000);

test('a project that writes files becomes an answer of the tensor server', async () => {
  const { admin } = platform;
  const id = platform.newId('twice');
  const connection = await createRepository(platform, TENSOR_PROJECT);
  const spec = { ...trainingSpec(connection, { name: id }), toolchain: 'mlflow-project', hyperParameters: {} };
  await admin.create('/model/training', id, spec);
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({ state: 'succeeded' });
  const tensors = { artifactName: status.artifactName, arguments: { server_base_image_tag: 'onnx' } };
  const packed = await pack('container-tensor', tensors);
  await admin.create('/model/deployment', id, { image: packed.image, predictor: 'tensor-server', minReplicas: 1 });
  expect((await untilState(platform, '/model/deployment', id, ['Ready', 'Failed'])).status).toMatchObject({
    ...{ state: 'Ready', modelName: id, modelVersion: '1' },
  });
  const x = { name: 'x', shape: [2, 2], datatype: 'FP32', data: [1, 2, 3, 4] };
  const { body } = await admin.call('POST', `/model/${id}/v2/models/${id}/infer`, { inputs: [x] });
  expect(body).toMatchObject({ outputs: [{ name: 'y', shape: [2, 2], data: [2, 4, 6, 8] }] });
  await admin.call('DELETE', `/api/v1/model/deployment/${id}`);
}, 300_000);

test('a registered toolchain and a registered packager run their own programs', async () => {
  const { admin, engine } = platform;
  const id = platform.newId('own');
  const defaultImage = process.env.SLIPWAY_TOOLCHAIN_IMAGE ?? '';
  await admin.create('/toolchain/integration', id, { entrypoint: 'sh /workspace/src/train.sh', defaultImage });
  const flavor = { name: 'flavor', parameters: [{ name: 'type', value: 'string' }] };
  const push = { name: 'container-push', connectionTypes: ['container-registry'], required: true };
  await admin.create('/packaging/integration', id, {
    ...{ entrypoint: 'python3 /workspace/artifact/pack.py', defaultImage },
    schema: { targets: [push], arguments: { properties: [flavor], required: ['flavor'] } },
  });
  const connection = await createRepository(platform, OWN_TRAINING);
  await admin.create('/model/training', id, { ...trainingSpec(connection, { name: id }), toolchain: id });
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({ state: 'succeeded' });
  const { image: made } = await pack(id, { artifactName: status.artifactName, arguments: { flavor: 'sweet' } });
  await engine.ensureImage(made);
  const { lines } = await run({ engine, image: made }, '', { command: [] });
  expect(lines).toEqual(['"entrypoint":"main"', 'sweet']);
}, 300_000);

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
