import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { expect, test } from 'vitest';
import { createBatchActivities, type BatchDeps } from '../../../activities/batch/batch.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { freshInferenceJob, type InferenceJob, InferenceJobSpec } from '../../../lifecycle/kinds/inference-job.js';
import { type InferenceService, InferenceServiceSpec } from '../../../lifecycle/kinds/inference-service.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { logPrefix } from '../../../platform/kinds/ids.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { stored } from '../../lifecycle/kinds/installation.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine, end, type MemoryContainer, print } from '../shared/memory-engine.js';
import { newConnection } from '../shared/resources.js';
import { registryAuthBy } from '../shared/registry-deps.js';

const IMAGE = 'localhost/wine-tool:1';

/** A tar as the engine hands out a folder. */
async function folderOf(files: Record<string, string>): Promise<Buffer> {
  const pack = tar.pack();
  pack.entry({ name: 'output/', type: 'directory' });
  for (const [name, content] of Object.entries(files)) pack.entry({ name: `output/${name}` }, content);
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Names and contents of the files in archives that a container was given. */
async function given({ archives }: MemoryContainer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { bytes } of archives) {
    const extract = tar.extract();
    Readable.from([bytes[0] === 0x1f ? gunzipSync(bytes) : bytes]).pipe(extract);
    for await (const entry of extract) if (entry.header.type === 'file') files[entry.header.name] = await text(entry);
  }
  return files;
}

interface SceneOptions extends Partial<BatchDeps> {
  service?: object;
  job?: object;
  files?: Record<string, string>;
  /** Plays the program; by default it writes a result and ends. */
  program?: (container: MemoryContainer) => void;
}

async function openScene({ service = {}, job = {}, files, program, ...changes }: SceneOptions = {}) {
  const database = createMemoryDatabase();
  const [own, bucket] = [createMemoryObjects(), createMemoryObjects()];
  const result = await folderOf({ 'result.json': '{"prediction":[1]}' });
  const memory = createMemoryEngine({
    outputs: { '/workspace/output': result },
    onStart: program ?? ((container) => end(container, 0)),
  });
  const inferenceJobs = createResources<InferenceJob>({ database, kind: 'InferenceJob' });
  const inferenceServices = createResources<InferenceService>({ database, kind: 'InferenceService' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  await connections.insert(newConnection('files', { type: 'object-store', uri: 'gs://files' }));
  const folders = {
    dataSource: { connection: 'files', path: 'in' },
    outputDestination: { connection: 'files', path: 'out' },
  };
  const serviceSpec = InferenceServiceSpec.parse({
    ...{ image: IMAGE, command: ['python', 'run.py'], args: ['predict'] },
    modelRegistry: { local: { meta: { name: 'wine', version: '1' }, modelPath: '/app/model' } },
    ...service,
  });
  await inferenceServices.insert(stored('InferenceService', 'wine', serviceSpec, {}));
  const jobSpec = InferenceJobSpec.parse({ inferenceServiceId: 'wine', requestId: 'monday', ...folders, ...job });
  const made = await inferenceJobs.insert(stored('InferenceJob', 'job-1', jobSpec, freshInferenceJob(new Date())));
  for (const [name, content] of Object.entries(files ?? { 'a.json': '1', 'b.json': '2', 'more/c.json': '3' }))
    await bucket.put(`in/${name}`, content);
  const logs = createLogs({ objects: own });
  const activities = createBatchActivities({
    ...{ inferenceJobs, inferenceServices, connections, engine: memory.engine, logs, objects: own },
    openStore: async ({ spec }) => within(bucket, spec.uri.replace('gs://files', '').replace(/^\//, '')),
    registryAuth: registryAuthBy(),
    imageMirrors: {},
    registries: { open: () => ({ manifestDigest: async () => undefined }) },
    bucketRules: { ambientBuckets: [], closedFolders: [] },
    renewLease: async () => undefined,
    ...{ limitSeconds: 60, pollMs: 2 },
    ...changes,
  });
  const ref = { id: made.id, uid: made.uid, generation: 1 };
  await newAttempt().run(() => activities.claimBatchJob(ref));
  const list = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of bucket.list('out/')) keys.push(key);
    return keys;
  };
  const prepare = () => newAttempt().run(() => activities.prepareBatchJob(ref));
  const predict = (from = 0, details?: object) =>
    newAttempt({ heartbeatDetails: details }).run(() => activities.predictFiles({ ref, from }));
  const read = async () => (await inferenceJobs.get('job-1'))?.status;
  const logOf = async (): Promise<string> => {
    let all = '';
    for await (const part of logs.read(logPrefix('batchJob', ref), { follow: false })) all += part;
    return all;
  };
  return { ...{ activities, ref, memory, own, bucket, inferenceServices }, list, prepare, predict, read, logOf };
}

/** The part of a bucket below a folder. */
function within(
  bucket: ReturnType<typeof createMemoryObjects>,
  folder: string,
): ReturnType<typeof createMemoryObjects> {
  const inside = (key: string): string => (folder === '' ? key : `${folder}/${key}`);
  return {
    ...bucket,
    put: (key, body, options) => bucket.put(inside(key), body, options),
    open: (key) => bucket.open(inside(key)),
    head: (key) => bucket.head(inside(key)),
    remove: (key) => bucket.remove(inside(key)),
    async *list(prefix) {
      for await (const info of bucket.list(inside(prefix)))
        yield { ...info, key: folder === '' ? info.key : info.key.slice(folder.length + 1) };
    },
  };
}

const OUTPUT = ['a.json', 'b.json', 'more/c.json'].map((name) => `out/job-1/${name}/result.json`);

test('each file is predicted in a strict container of its own, and its output is stored under its name', async () => {
  const specs: MemoryContainer[] = [];
  const program = (container: MemoryContainer): void => {
    specs.push(container);
    // An engine's times rise from one container to the next.
    container.lines = [{ at: new Date(specs.length * 1_000).toISOString(), stream: 'stdout', text: 'result written' }];
    end(container, 0);
  };
  const { prepare, predict, list, read, memory, activities, ref, own, logOf } = await openScene({ program });
  expect(await prepare()).toEqual({ image: IMAGE, files: 3 });
  expect(await predict()).toBe(3);
  expect(await list()).toEqual(OUTPUT);
  expect(await read()).toMatchObject({ state: 'running', files: { done: 3, total: 3 } });
  expect(specs[2]?.spec).toMatchObject({
    ...{ image: IMAGE, entrypoint: ['python', 'run.py'], network: 'none', limits: { cpus: 2, memoryBytes: 2 ** 31 } },
    command: ['predict', '/workspace/input/c.json', '/workspace/output'],
    env: { SLIPWAY_MODEL_PATH: '/app/model', SLIPWAY_REQUEST_ID: 'monday', HOME: '/workspace/tmp' },
  });
  expect(specs[2]?.spec.env).not.toHaveProperty('PYTHONPATH');
  expect(await given(specs[2] as MemoryContainer)).toEqual({ './input/c.json': '3' });
  expect(memory.containers.size).toBe(0);
  await newAttempt().run(() => activities.recordBatchSucceeded(ref));
  await newAttempt().run(() => activities.removeBatchJob(ref));
  expect(await read()).toMatchObject({ state: 'succeeded', exitCode: 0 });
  expect(await logOf()).toContain('more/c.json: result written');
  expect(await own.head(`batch-plans/job-1/${ref.uid}/1/plan.json`)).toBeUndefined();
});

test('an attempt goes on where the one before it was, with the container that it finds', async () => {
  const starts: string[] = [];
  const program = (container: MemoryContainer): void => {
    starts.push(container.spec.name);
    if (starts.length !== 2) end(container, 0);
  };
  const { prepare, predict, list, memory } = await openScene({ program });
  await prepare();
  const first = predict();
  await expect.poll(() => starts.length).toBe(2);
  const second = predict(0, { done: 1 });
  end(memory.container(starts[1] ?? ''), 0);
  expect(await second).toBe(3);
  await first.catch(() => undefined);
  expect(new Set(starts).size).toBe(3);
  expect(await list()).toEqual(OUTPUT);
});

test('what an earlier attempt left of another output is replaced as a whole', async () => {
  const { prepare, predict, list, bucket } = await openScene({ files: { 'a.json': '1' } });
  await bucket.put('out/job-1/a.json/part-1.json', 'half');
  await bucket.put('out/job-0/a.json/result.json', 'of another job');
  await prepare();
  await predict();
  expect(await list()).toEqual(['out/job-0/a.json/result.json', 'out/job-1/a.json/result.json']);
});

test('an attempt that no longer counts stores nothing', async () => {
  const renewLease = async () => Promise.reject(new Error('not found'));
  const { prepare, predict, list } = await openScene({ renewLease });
  await prepare();
  await expect(predict()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await list()).toEqual([]);
});

test('files are predicted in turns, and a plan is not changed by what comes later', async () => {
  const { prepare, predict, bucket, inferenceServices, list, memory } = await openScene({ filesPerTurn: 2 });
  await prepare();
  await bucket.put('in/z.json', 'late');
  await inferenceServices.update('wine', (current) => ({ ...current, spec: { ...current.spec, image: 'other:2' } }));
  expect(await prepare()).toEqual({ image: IMAGE, files: 3 });
  expect(await predict()).toBe(2);
  expect(await predict(2)).toBe(3);
  expect(await list()).toEqual(OUTPUT);
  expect(memory.pulls.map(({ ref: image }) => image)).toEqual([IMAGE, IMAGE]);
});

test.each<[string, (container: MemoryContainer) => void, object]>([
  [
    'a program that fails',
    (container) => {
      print(container, 'slipway: columns must be a list');
      end(container, 1);
    },
    {
      reason: 'PredictionFailed',
      message: 'input "a.json": the program ended with exit code 1: columns must be a list',
      exitCode: 1,
    },
  ],
  [
    'too little memory',
    (container) => end(container, 137, true),
    { reason: 'OutOfMemory', message: 'input "a.json": the program passed its memory limit' },
  ],
  [
    'no output',
    (container) => {
      container.outputs = {};
      end(container, 0);
    },
    { reason: 'PredictionFailed', message: 'input "a.json": the program left no file in /workspace/output' },
  ],
])('%s ends the job and names the file', async (_, program, detail) => {
  const { prepare, predict, list } = await openScene({ program });
  await prepare();
  await expect(predict()).rejects.toMatchObject({ code: 'run_failed', detail });
  expect(await list()).toEqual([]);
});

test('a job has one limit for all of its files', async () => {
  const times = { now: 0 };
  const program = (container: MemoryContainer): void => {
    times.now += 40_000;
    end(container, 0);
  };
  const { prepare, predict } = await openScene({ program, now: () => new Date(times.now) });
  await prepare();
  await expect(predict()).rejects.toMatchObject({
    detail: { reason: 'Timeout', message: 'input "more/c.json": the job took longer than 60 s' },
  });
});

test('a program that takes longer than what is left of the limit is stopped', async () => {
  const { prepare, predict, memory } = await openScene({ program: () => undefined, limitSeconds: 0.02 });
  await prepare();
  await expect(predict()).rejects.toMatchObject({
    detail: { reason: 'Timeout', message: 'input "a.json": the job took longer than 0.02 s' },
  });
  expect([...memory.containers.values()].map(({ stops }) => stops)).toEqual([1]);
});

test('a canceled attempt leaves its container to the undo, which stops it', async () => {
  const { prepare, memory, activities, ref } = await openScene({ program: () => undefined });
  await prepare();
  const attempt = newAttempt();
  const predicted = attempt.run(() => activities.predictFiles({ ref, from: 0 }));
  await expect.poll(() => memory.containers.size).toBe(1);
  await expect.poll(() => [...memory.containers.values()][0]?.state.phase).toBe('running');
  attempt.cancel('CANCELLED');
  await expect(predicted).rejects.toThrow();
  expect(memory.containers.size).toBe(1);
  await newAttempt().run(() => activities.removeBatchJob(ref));
  expect(memory.containers.size).toBe(0);
});

test('the files of a model that is not in the image are put beside the input', async () => {
  const seen: Record<string, string>[] = [];
  const service = { modelRegistry: { remote: { modelConnection: 'files', modelPath: 'model' } } };
  const containers: MemoryContainer[] = [];
  const program = (container: MemoryContainer): void => {
    containers.push(container);
    end(container, 0);
  };
  const { prepare, predict, bucket } = await openScene({ service, program, files: { 'a.json': '1' } });
  await bucket.put('model/weights.bin', 'w');
  await prepare();
  await predict();
  for (const container of containers) seen.push(await given(container));
  expect(seen).toEqual([{ './input/a.json': '1', 'model/weights.bin': 'w' }]);
  expect(containers[0]?.spec.env.SLIPWAY_MODEL_PATH).toBe('/workspace/model');
});

test.each<[string, SceneOptions, object]>([
  ['no files', { files: {} }, { reason: 'DataCopyFailed', message: 'connection "files" has no files at "in"' }],
  [
    'a file that is too large',
    { files: { 'a.json': '12345' }, workspaceBytes: 4 },
    { reason: 'DataCopyFailed', message: expect.stringContaining('input "a.json" has more than') },
  ],
  [
    'a service that was deleted',
    { job: { inferenceServiceId: 'gone' } },
    { reason: 'SpecInvalid', message: expect.stringContaining('inference service "gone" was deleted') },
  ],
  [
    'an image that its registry does not have',
    { service: { image: 'registry.test/wine:1' } },
    { reason: 'ImagePullFailed', message: expect.stringContaining('its registry has no such image') },
  ],
])('a job with %s fails before a program starts', async (_, options, detail) => {
  const { prepare } = await openScene(options);
  await expect(prepare()).rejects.toMatchObject({ code: 'run_failed', detail });
});

test('a job waits for its place, and says so', async () => {
  const { prepare, predict, memory, read } = await openScene({ mostAtOnce: 1, files: { 'a.json': '1' } });
  const limits = { cpus: 1, memoryBytes: 1 };
  const labels = { kind: 'batchJob', id: 'other' };
  const other = { name: 'other', image: 'i', command: [], env: {}, labels, network: 'none', limits } as const;
  const { handle } = await memory.engine.create(other);
  memory.container('other').state = { phase: 'running', startedAt: '', ports: {} };
  await prepare();
  const predicted = predict();
  await expect.poll(read).toMatchObject({ message: 'waiting for other batch jobs: SLIPWAY_MAX_BATCH_JOBS is 1' });
  await memory.engine.remove(handle);
  expect(await predicted).toBe(1);
  expect((await read())?.message).toBeUndefined();
});
