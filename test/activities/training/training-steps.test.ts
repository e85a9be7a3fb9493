import { expect, test } from 'vitest';
import { createTrainingActivities } from '../../../activities/training/training.js';
import type { StagedArtifact } from '../../../activities/training/training-artifact.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import { type Training, TrainingSpec } from '../../../lifecycle/kinds/training.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { containerName, logPrefix } from '../../../platform/kinds/ids.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newTraining } from '../shared/resources.js';
import { NO_REGISTRIES, registryAuthBy } from '../shared/registry-deps.js';

const AT = '2026-03-01T08:00:00.000Z';
const STAGED: StagedArtifact = {
  key: 'staged',
  digest: 'd1',
  sizeBytes: 1,
  runId: 'r1',
  metrics: { rmse: 0.5 },
  parameters: { alpha: '1' },
};

/** The steps of one stored training, without toolchains. */
async function openTraining(spec: Partial<TrainingSpec> = {}) {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const bucket = createMemoryObjects();
  const memory = createMemoryEngine();
  const trainings = createResources<Training>({ database, kind: 'ModelTraining' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const lineage = createLineageLog({ database });
  const logs = createLogs({ objects });
  const steps = createTrainingActivities({
    registries: NO_REGISTRIES,
    ...{ trainings, connections, objects, lineage, logs, engine: memory.engine },
    openStore: async () => bucket,
    toolchains: createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    openSecret: (sealed) => sealed,
    registryAuth: registryAuthBy(),
    now: () => new Date(AT),
    bucketRules: { ambientBuckets: [], closedFolders: [] },
    localRoots: [],
    recordPrefix: '',
    renewLease: async () => {},
    runner: '',
    builderImage: '',
    limitSeconds: 1,
  });
  const { id, uid, generation } = await trainings.insert(newTraining('wine', spec));
  await objects.put(STAGED.key, 'bytes');
  const run = <Result>(step: () => Promise<Result>): Promise<Result> => newAttempt().run(step);
  const statusOf = async () => (await trainings.get('wine'))?.status;
  return { steps, ref: { id, uid, generation }, trainings, connections, bucket, memory, logs, run, statusOf };
}

const failure = (reason: string) => ({
  code: 'run_failed',
  retryable: false,
  detail: expect.objectContaining({ reason }),
});
const MODEL = {
  name: 'wine',
  version: '1.0',
  artifactNameTemplate: '{{ .Name }}-{{ .CommitID }}-{{ .RandomUUID }}.zip',
};

test('a training whose toolchain is gone fails with a reason, unless it names its image', async () => {
  const { steps, ref, run } = await openTraining({ toolchain: 'gone', workDir: './' });
  const source = { key: 'workspaces/x', commit: '', digest: 'd', dataDigests: {} };
  const ensured = run(() => steps.ensureTrainingEnvironment({ ref, source }));
  await expect(ensured).rejects.toMatchObject(failure('ToolchainFailed'));
  await expect(ensured).rejects.toThrow(/"gone"/);
});

test('a training whose output connection is gone fails with a reason, and stores nothing', async () => {
  const { steps, ref, run, bucket } = await openTraining({ model: MODEL, outputConnection: 'gone' });
  const stored = run(() => steps.storeArtifact({ ref, staged: STAGED, commit: 'c', uuid: 'u' }));
  await expect(stored).rejects.toMatchObject(failure('ArtifactNotFound'));
  const keys: string[] = [];
  for await (const { key } of bucket.list('')) keys.push(key);
  expect(keys).toEqual([]);
});

test('the name of an artifact is rendered of the run, and a repeated step stores the same one', async () => {
  const { steps, ref, run, bucket, connections } = await openTraining({ model: MODEL, outputConnection: 'bucket' });
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket' }));
  const store = () => run(() => steps.storeArtifact({ ref, staged: STAGED, commit: 'abc', uuid: 'u1' }));
  expect([await store(), await store()]).toEqual(['wine-abc-u1.zip', 'wine-abc-u1.zip']);
  expect((await bucket.read('wine-abc-u1.zip')).toString()).toBe('bytes');
});

test('a success is recorded with its artifact, and its log ends after that', async () => {
  const { steps, ref, run, statusOf, logs } = await openTraining(TrainingSpec.parse({ model: MODEL }));
  const outcome = { ref, staged: STAGED, commit: 'abc', artifactName: 'wine.zip' };
  for (const time of [1, 2]) {
    await run(() => steps.recordTrainingSucceeded(outcome));
    expect([time, await statusOf()]).toMatchObject([
      time,
      {
        ...{ state: 'succeeded', exitCode: 0, finishedAt: AT, artifactName: 'wine.zip', artifactDigest: 'd1' },
        artifacts: [{ runId: 'r1', artifactName: 'wine.zip', commitID: 'abc' }],
        ...{ metrics: { rmse: 0.5 }, parameters: { alpha: '1' } },
      },
    ]);
  }
  expect(await logs.end(logPrefix('training', ref))).toMatchObject({ exitCode: 0 });
});

test('a run of an older generation changes nothing of the newer one', async () => {
  const { steps, ref, run, trainings, statusOf } = await openTraining({ model: MODEL });
  await trainings.update('wine', (each) => ({ ...each, generation: 2 }));
  const outcome = { ref, staged: STAGED, commit: 'abc', artifactName: 'wine.zip' };
  await expect(run(() => steps.recordTrainingSucceeded(outcome))).rejects.toMatchObject({ code: 'stale_generation' });
  expect(await statusOf()).toMatchObject({ state: 'unknown', artifacts: [] });
});

test('every container of a run is removed, and nothing there is success', async () => {
  const { steps, ref, run, memory } = await openTraining();
  await run(() => steps.removeTrainingJob(ref));
  const names = [undefined, 'env', 'base', 'check'].map((part) => containerName('training', ref, part));
  const other = containerName('training', { ...ref, generation: ref.generation + 1 });
  for (const name of [...names, other]) {
    await memory.engine.create({ name, image: 'x', labels: {} } as Parameters<typeof memory.engine.create>[0]);
  }
  await run(() => steps.removeTrainingJob(ref));
  expect(names.filter((name) => memory.containers.has(name))).toEqual([]);
  expect(memory.containers.has(other)).toBe(true);
});

test('a container that cannot be removed keeps no other one', async () => {
  const { steps, ref, run, memory } = await openTraining();
  const names = [undefined, 'env', 'check'].map((part) => containerName('training', ref, part));
  const spec = { image: 'x', labels: {}, command: [], env: {}, limits: { cpus: 1, memoryBytes: 1 } };
  for (const name of names) await memory.engine.create({ ...spec, network: 'none', name });
  const remove = memory.engine.remove.bind(memory.engine);
  memory.engine.remove = async (handle) => {
    if (handle.name === names[0]) throw new SlipwayError('unavailable', 'it stays');
    await remove(handle);
  };
  await expect(run(() => steps.removeTrainingJob(ref))).rejects.toThrow('it stays');
  expect(names.filter((name) => memory.containers.has(name))).toEqual([names[0]]);
});
