import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTrainingActivities } from '../../../activities/training/training.js';
import type { PreparedSource } from '../../../activities/training/training-source.js';
import { unpackFile } from '../../../activities/shared/unpack.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import type { Frame } from '../../../gateway/frame.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { logPrefix, type RunRef } from '../../../platform/kinds/ids.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import { type Training, TrainingSpec } from '../../../lifecycle/kinds/training.js';
import { below } from '../../../lifecycle/stores/connection-objects.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { call, feedback, recordFrames } from '../../gateway/recording.js';
import { newConnection, newTraining } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { NO_REGISTRIES, registryAuthBy } from '../shared/registry-deps.js';

const START = Date.UTC(2026, 10, 20, 12);
const at = START - 3_600_000;
const BINDING = { model: 'wine', last: 'P1D', format: 'ndjson' };

/** A training whose data is feedback; its activities run one by one, as the workflow calls them. */
async function scene(binding: object = BINDING, localPath = 'data/feedback.txt') {
  const clock = { ms: START };
  const now = () => new Date(clock.ms);
  const database = createMemoryDatabase();
  const memory = createMemoryObjects();
  const faults = { put: [] as string[] };
  const objects: ObjectStore = {
    ...memory,
    put: async (key, body, options) => {
      const result = await memory.put(key, body, options);
      const fault = faults.put.findIndex((prefix) => key.startsWith(prefix));
      if (fault >= 0) faults.put.splice(fault, 1);
      if (fault >= 0) throw new SlipwayError('unavailable', 'object storage does not answer');
      return result;
    },
  };
  const trainings = createResources<Training>({ database, kind: 'ModelTraining' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  await connections.insert(newConnection('code', { type: 'object-store', uri: 'gs://bucket/code' }));
  await memory.put('code/train.py', 'print()');
  const spec = TrainingSpec.parse({
    algorithmSource: { objectStorage: { connection: 'code' } },
    data: [
      { connection: 'code', localPath: 'copy' },
      { localPath, feedback: binding },
    ],
  });
  const { uid, generation } = await trainings.insert(newTraining('retrain', spec));
  const ref: RunRef = { id: 'retrain', uid, generation };
  const logs = createLogs({ objects: memory, flushMs: 5, pollMs: 5 });
  const activities = createTrainingActivities({
    registries: NO_REGISTRIES,
    ...{ trainings, connections, objects, logs, now, engine: createMemoryEngine().engine },
    lineage: createLineageLog({ database }),
    toolchains: createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    openStore: async ({ spec: { uri } }) => (uri === 'gs://bucket/' ? memory : below(memory, 'code')),
    ...{
      openSecret: () => '',
      registryAuth: registryAuthBy(),
      bucketRules: { ambientBuckets: [], closedFolders: [] },
      localRoots: [],
      runner: '',
      builderImage: '',
      limitSeconds: 1,
      recordPrefix: '',
    },
    renewLease: async () => {},
  });
  return {
    clock,
    faults,
    memory,
    ref,
    trainings,
    status: async () => (await trainings.get('retrain'))?.status,
    record: (...frames: Frame[]) => recordFrames(memory, frames),
    claim: (of = ref) => newAttempt().run(() => activities.claimTraining(of)),
    prepare: (of = ref): Promise<PreparedSource> => newAttempt().run(() => activities.prepareWorkspace(of)),
    log: async () => {
      const lines: Buffer[] = [];
      for await (const { key } of memory.list(logPrefix('training', ref))) lines.push(await memory.read(key));
      return Buffer.concat(lines).toString();
    },
    keys: async (prefix: string) => {
      const keys: string[] = [];
      for await (const { key } of memory.list(prefix)) keys.push(key);
      return keys;
    },
    /** A file of a workspace. */
    file: (key: string, path: string) =>
      withScratchFolder(async (folder) => {
        await writeFile(join(folder, 'tar'), await memory.read(key));
        await unpackFile(join(folder, 'tar'), join(folder, 'out'));
        return readFile(join(folder, 'out', path), 'utf8');
      }),
  };
}

const pair = (id: string, label = 1): Frame[] => [
  call({ at, requestId: id, request: '{"columns":["x"],"data":[[1]]}', response: '{"prediction":[1]}' }),
  feedback({ at: at + 60_000, requestId: id, json: JSON.stringify({ label }) }),
];

test('the rows of the window are a file of the workspace; the status says what they are', async () => {
  const { record, claim, prepare, file, status, log, memory } = await scene();
  await record(...pair('a'), ...pair('b'), call({ at, requestId: 'c' }), feedback({ at, requestId: 'x', json: '0' }));
  await claim();
  const { key, dataDigests } = await prepare();
  const rows = (await file(key, 'src/data/feedback.txt')).trimEnd().split('\n');
  expect(rows.map((row) => JSON.parse(row).request_id).sort()).toEqual(['a', 'b']);
  const [copy, data] = (await status())?.data ?? [];
  expect(copy).toEqual({ localPath: 'copy', digest: dataDigests.copy });
  expect(data).toEqual({
    localPath: 'data/feedback.txt',
    digest: dataDigests['data/feedback.txt'],
    feedback: {
      ...{ from: '2026-11-19T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z', asOf: '2026-11-20T12:00:00.000Z' },
      key: `feedback-data/sha256/${data?.digest}.ndjson`,
      sizeBytes: Buffer.byteLength(`${rows.join('\n')}\n`),
      counts: { joined: 2, orphaned: 1, unanswered: 1, late: 0, replaced: 0, dropped: 0 },
    },
  });
  expect((await memory.read(data?.feedback?.key ?? '')).toString().split('\n')).toHaveLength(3);
  expect(await log()).toContain('2 rows; 1 calls without feedback; feedback without a call 1,');
});

test('a retry sees the same rows, whatever came meanwhile; a rerun sees the new ones', async () => {
  const { clock, record, claim, prepare, keys, status, trainings, ref } = await scene();
  await record(...pair('a'));
  await claim();
  clock.ms += 60_000;
  await claim(); // the first activity may be repeated too
  const first = await prepare();
  await record(...pair('b')); // an upload that was late
  expect(await prepare()).toEqual(first);
  expect((await status())?.data?.[1]?.feedback).toMatchObject({
    to: '2026-11-20T12:00:00.000Z',
    counts: { joined: 1 },
  });
  const { generation } = await trainings.update('retrain', (current) => ({
    ...current,
    generation: 2,
    status: { state: 'unknown', transitions: [], artifacts: [] },
  }));
  await claim({ ...ref, generation });
  const second = await prepare({ ...ref, generation });
  expect(second.dataDigests['data/feedback.txt']).not.toBe(first.dataDigests['data/feedback.txt']);
  expect((await status())?.data?.[1]?.feedback).toMatchObject({
    to: '2026-11-20T12:01:00.000Z',
    counts: { joined: 2 },
  });
  expect(await keys('feedback-data/')).toHaveLength(2);
});

test.each(['feedback-data/', 'workspaces/'])(
  'an attempt that dies behind %s leaves nothing doubled',
  async (prefix) => {
    const { faults, record, claim, prepare, keys, file, status } = await scene();
    await record(...pair('a'), ...pair('b'));
    await claim();
    faults.put.push(prefix);
    await expect(prepare()).rejects.toThrow('object storage does not answer');
    const { key } = await prepare();
    expect((await file(key, 'src/data/feedback.txt')).trimEnd().split('\n')).toHaveLength(2);
    expect(await keys('feedback-data/')).toHaveLength(1);
    expect(await keys('workspaces/')).toHaveLength(1);
    expect((await status())?.data?.[1]?.feedback?.counts).toMatchObject({ joined: 2 });
  },
);

test('an attempt that goes on beside a newer one does not change what that one noted', async () => {
  const { record, claim, prepare, status, memory } = await scene();
  await record(...pair('a'));
  await claim();
  const [first, second] = await Promise.all([prepare(), prepare()]);
  expect(second).toEqual(first);
  expect(await memory.head((await status())?.data?.[1]?.feedback?.key ?? '')).toBeDefined();
});

test('a window without rows fails in a sentence, unless that is allowed', async () => {
  const refused = await scene();
  await refused.record(call({ at, requestId: 'a' }));
  await refused.claim();
  await expect(refused.prepare()).rejects.toMatchObject({
    code: 'run_failed',
    detail: { reason: 'DataCopyFailed' },
    message:
      'no call of model "wine" from 2026-11-19T12:00:00.000Z to 2026-11-20T12:00:00.000Z has feedback: 0 rows; ' +
      '1 calls without feedback; feedback without a call 0, too late 0, replaced 0; records dropped 0',
  });
  const allowed = await scene({ ...BINDING, allowEmpty: true });
  await allowed.claim();
  expect(await allowed.file((await allowed.prepare()).key, 'src/data/feedback.txt')).toBe('');
});

test('CSV has a header, one version may be wanted alone, and a folder gets a file of a name', async () => {
  const binding = { ...BINDING, version: '1', format: 'csv', last: undefined, from: '2026-11-20T00:00:00Z' };
  const { record, claim, prepare, file } = await scene(binding, 'data/');
  await record(...pair('a', 5), call({ at, requestId: 'b', modelVersion: '2' }));
  await record(feedback({ at, requestId: 'b', json: '1', modelVersion: '2' }));
  await claim();
  const rows = (await file((await prepare()).key, 'src/data/feedback.csv')).split('\n');
  expect(rows).toEqual([
    'request_id,time,model_name,model_version,response_status,feedback_time,feedback.label,request.data.x,response.prediction',
    'a,2026-11-20T11:00:00Z,wine,1,200,2026-11-20T11:01:00Z,5,1,[1]',
    '',
  ]);
});

test('rows that were deleted before they were used fail the training for good', async () => {
  const { record, claim, prepare, memory, keys } = await scene();
  await record(...pair('a'));
  await claim();
  await prepare();
  for (const key of await keys('feedback-data/')) await memory.remove(key);
  await expect(prepare()).rejects.toMatchObject({ code: 'run_failed', detail: { reason: 'DataCopyFailed' } });
});
