import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { RenewLease } from '../../../activities/shared/lease.js';
import { createTrainingActivities } from '../../../activities/training/training.js';
import type { TrainingJob } from '../../../activities/training/training-program.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newAttempt } from '../shared/environment.js';
import { stored } from '../../lifecycle/kinds/installation.js';
import { createMemoryEngine, end, print } from '../shared/memory-engine.js';
import { newTraining } from '../shared/resources.js';
import { NO_REGISTRIES, registryAuthBy } from '../shared/registry-deps.js';

async function openScene({ renewLease = async () => {} }: { renewLease?: RenewLease } = {}) {
  const memory = createMemoryEngine({
    onStart: (container) => (container.state = { phase: 'running', startedAt: '', ports: {} }),
  });
  const [database, objects] = [createMemoryDatabase(), createMemoryObjects()];
  const trainings = createResources<Training>({ database, kind: 'ModelTraining' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const toolchains = createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' });
  const activities = createTrainingActivities({
    registries: NO_REGISTRIES,
    ...{
      trainings,
      objects,
      engine: memory.engine,
      openStore: async () => objects,
      mostAtOnce: 1,
      pollMs: 2,
      renewLease,
    },
    connections,
    toolchains,
    logs: createLogs({ objects }),
    lineage: createLineageLog({ database }),
    openSecret: (sealed) => sealed,
    registryAuth: registryAuthBy(),
    bucketRules: { ambientBuckets: [], closedFolders: [] },
    localRoots: [],
    recordPrefix: '',
    runner: fileURLToPath(new URL('../../../runtime/slipway_runner', import.meta.url)),
    builderImage: '',
    limitSeconds: 1,
  });
  await objects.put('workspace', 'x');
  const source = { key: 'workspace', digest: 'd', commit: 'c0ffee', dataDigests: {} };
  const spec = { toolchain: 'ml', resources: { limits: {}, requests: {} }, envs: [] };
  const insert = async (name: string, more: object = {}): Promise<TrainingJob> => {
    const { id, uid, generation } = await trainings.insert(newTraining(name, { ...spec, ...more }));
    return { ref: { id, uid, generation }, source, image: 'environment' };
  };
  const submit = async (name: string): Promise<void> => {
    const job = await insert(name);
    await newAttempt().run(() => activities.submitTraining(job));
  };
  return { memory, objects, connections, trainings, toolchains, activities, insert, submit };
}

test('a training that waits for a place says so in its status, and runs when another one has ended', async () => {
  const { memory, trainings, submit } = await openScene();
  const statusOf = async (name: string) => (await trainings.get(name))?.status;

  await submit('first');
  const second = submit('second');
  await expect
    .poll(() => statusOf('second'))
    .toMatchObject({ message: 'waiting for other trainings: SLIPWAY_MAX_TRAININGS is 1' });
  const [running] = await memory.engine.find({ kind: 'training', id: 'first' });
  end(memory.container(running?.name ?? ''), 0);
  await second;
  const status = await statusOf('second');
  expect([status?.state, status?.message]).toEqual(['running', undefined]);
});

const JOB = '/workspace/job.json';
test.each([
  ['python3 -m slipway_runner', ['python3', '-m', 'slipway_runner', 'train', '--job', JOB]],
  [
    'python3 -m slipway_runner --collect files',
    ['python3', '-m', 'slipway_runner', '--collect', 'files', 'train', '--job', JOB],
  ],
  [' sh  train.sh', ['sh', 'train.sh', JOB]],
])('a toolchain with the entry point %j runs it', async (entrypoint, command) => {
  const { memory, toolchains, submit } = await openScene();
  const spec = { entrypoint, defaultImage: 'i', additionalEnvironments: { LEVEL: '3' } };
  await toolchains.insert(stored('ToolchainIntegration', 'ml', spec, {}));
  await submit('wine');
  const [made] = await memory.engine.find({ kind: 'training', id: 'wine' });
  expect(memory.container(made?.name ?? '').spec).toMatchObject({ command, env: { LEVEL: '3' } });
});

test('the program of a toolchain of its own runs in its own image, and its artifact is not asked for a sample', async () => {
  const { memory, toolchains, activities, insert } = await openScene();
  const spec = { entrypoint: 'train', defaultImage: 'mine:1', additionalEnvironments: {} };
  await toolchains.insert(stored('ToolchainIntegration', 'ml', spec, {}));
  const { ref, source } = await insert('wine', { workDir: '' });
  expect(await newAttempt().run(() => activities.ensureTrainingEnvironment({ ref, source }))).toBe('mine:1');
  const staged = { key: 'none', digest: 'd', sizeBytes: 1, runId: '', metrics: {}, parameters: {} };
  await newAttempt().run(() => activities.checkArtifact({ ref, staged, image: 'mine:1' }));
  expect([memory.containers.size, memory.pulls.map(({ ref: image }) => image)]).toEqual([0, ['mine:1']]);
});

test('an attempt that counts no longer starts no program: a later one may have removed its container', async () => {
  const { memory, submit } = await openScene({ renewLease: async () => Promise.reject(new Error('not found')) });
  await expect(submit('wine')).rejects.toMatchObject({ code: 'unavailable' });
  const [made] = await memory.engine.find({ kind: 'training', id: 'wine' });
  expect(memory.container(made?.name ?? '').starts).toBe(0);
});

test('an attempt that counts no longer runs no program again whose container a later one has removed', async () => {
  const { memory, activities, insert } = await openScene({
    renewLease: async () => Promise.reject(new Error('not found')),
  });
  const job = await insert('wine');
  const awaited = newAttempt().run(() => activities.awaitTraining(job));
  await expect(awaited).rejects.toMatchObject({ code: 'unavailable' });
  expect(await memory.engine.find({ kind: 'training', id: 'wine' })).toEqual([]);
});

test('a secret that a program prints is neither in its log nor in the message of its failure', async () => {
  const { memory, objects, connections, activities, insert } = await openScene();
  const hub = { type: 'docker', uri: 'hub', vital: false, password: 'hunter2', usableIn: ['training' as const] };
  await connections.insert(stored('Connection', 'hub', hub, {}));
  const envs = [{ name: 'TOKEN', value: '', valueFrom: { connection: 'hub', field: 'password' } }];
  const job = await insert('wine', { envs });
  await newAttempt().run(() => activities.submitTraining(job));
  const [made] = await memory.engine.find({ kind: 'training', id: 'wine' });
  const container = memory.container(made?.name ?? '');
  expect(container.archives.at(-1)?.bytes.toString()).toContain('hunter2');
  print(container, 'connecting with hunter2', 'error: hunter2 is refused');
  end(container, 1);
  const awaited = newAttempt().run(() => activities.awaitTraining(job));
  await expect(awaited).rejects.toMatchObject({
    message: 'the program ended with exit code 1: error: ***** is refused',
  });
  for await (const { key } of objects.list('')) expect((await objects.read(key)).toString()).not.toContain('hunter2');
});
