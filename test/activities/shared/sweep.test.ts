import { expect, test } from 'vitest';
import { createSweepActivities } from '../../../activities/shared/sweep.js';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import type { Endpoint } from '../../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../../lifecycle/kinds/revision.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createNotificationStores } from '../../../workers/compose/notification-deps.js';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { containerName, type RunKind } from '../../../platform/kinds/ids.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import type { InferenceJob } from '../../../lifecycle/kinds/inference-job.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createImports } from '../../../reference/stores/imports.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { newDeployment, newInferenceJob, newPackaging, newPipeline, newTraining } from './resources.js';
import { newAttempt } from './environment.js';
import { createMemoryEngine } from './memory-engine.js';

function createScene({ heal = async () => 0 } = {}) {
  const database = createMemoryDatabase();
  const stores = {
    trainings: createResources<Training>({ database, kind: 'ModelTraining' }),
    packagings: createResources<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createResources<Deployment>({ database, kind: 'ModelDeployment' }),
    pipelines: createResources<Pipeline>({ database, kind: 'ModelPipeline' }),
    pipelineRuns: createResources<PipelineRun>({ database, kind: 'PipelineRun' }),
    inferenceJobs: createResources<InferenceJob>({ database, kind: 'InferenceJob' }),
  };
  const endpoints = createEndpoints({ database });
  const { engine, removed } = createMemoryEngine();
  const open = new Set<string>();
  const signals: string[] = [];
  const counted: Record<string, number>[] = [];
  const activities = createSweepActivities({
    ...stores,
    endpoints,
    engine,
    runs: {
      changed: async (kind, { id, generation }) => {
        if (id === 'broken') throw new SlipwayError('validation_failed', 'no such workflow type');
        signals.push(`start ${kind}/${id} ${generation}`);
      },
      cancel: async (kind, { id }) => void signals.push(`cancel ${kind}/${id}`),
    },
    schedules: {
      outdated: async (pipelines) => pipelines.filter(({ id }) => id !== 'current'),
      reconcile: async ({ id, revision }) => signals.push(`schedule ${id} ${revision}`) > 0,
    },
    pipelineSubscriptions: { repairs: () => none(), removals: () => none() },
    ...createNotificationStores(database),
    wakeSubscription: async (id) => void signals.push(`wake ${id}`),
    listNotified: () => none(),
    listEnded: () => none(),
    isOpen: async (kind, id) => open.has(`${kind}/${id}`),
    imports: createImports({ database, objects: createMemoryObjects() }),
    importRuns: { start: async ({ id }) => void signals.push(`start import/${id}`) },
    isImportOpen: async (id) => open.has(`import/${id}`),
    heals: new Map([['ModelTraining', heal]]),
    metrics: { onDone: (done) => void counted.push(done) },
    graceMs: 30_000,
    // A minute after the entities of the tests were made.
    now: () => new Date('2026-01-01T00:01:00Z'),
  });
  const container = async (kind: RunKind, { id, uid, generation }: AnyResource) => {
    const name = containerName(kind, { id, uid, generation });
    const limits = { cpus: 1, memoryBytes: 1 };
    const labels = { kind, id, uid, generation: String(generation) };
    await engine.create({ name, image: 'i', command: [], env: {}, labels, network: 'none', limits });
    return name;
  };
  return {
    ...stores,
    endpoints,
    open,
    signals,
    counted,
    engine,
    removed,
    container,
    sweep: () => newAttempt().run(() => activities.sweep()),
  };
}
async function* none(): AsyncGenerator<never> {}
const ended = (training: Training): Training => ({ ...training, status: { ...training.status, state: 'succeeded' } });

test('where everything runs, nothing is done', async () => {
  const { trainings, deployments, open, signals, counted, removed, container, sweep } = createScene();
  const training = await trainings.insert(newTraining('wine'));
  const deployment = await deployments.insert(newDeployment('wine'));
  open.add('training/wine').add('deployment/wine');
  await container('training', training);
  await container('deployment', deployment);
  await trainings.insert(ended(newTraining('done')));
  expect(await sweep()).toEqual({ done: {}, skipped: [] });
  expect([...signals, ...removed, ...counted.flatMap((done) => Object.keys(done))]).toEqual([]);
});

test('what has no run gets one, with its generation', async () => {
  const { trainings, packagings, inferenceJobs, deployments, signals, sweep } = createScene();
  await trainings.insert({ ...newTraining('wine'), generation: 3 });
  await inferenceJobs.insert(newInferenceJob('job-wine-1a2b3'));
  await packagings.insert(newPackaging('wine'));
  await deployments.insert(newDeployment('wine'));
  await deployments.insert({ ...newDeployment('old'), deletionMark: true });
  expect(await sweep()).toEqual({ done: { runs_started: 5 }, skipped: [] });
  expect(signals).toEqual([
    'start training/wine 3',
    'start packaging/wine 1',
    'start batchJob/job-wine-1a2b3 1',
    'start deployment/old 1',
    'start deployment/wine 1',
  ]);
});

test('what was just created is left to whoever created it', async () => {
  const { trainings, signals, sweep } = createScene();
  await trainings.insert({ ...newTraining('wine'), updatedAt: '2026-01-01T00:00:45.000Z' });
  await sweep();
  expect(signals).toEqual([]);
});

test('a cancellation that did not arrive is sent again', async () => {
  const { trainings, open, signals, sweep } = createScene();
  await trainings.insert({ ...newTraining('wine'), cancelRequestedAt: '2026-01-01T00:00:00.000Z' });
  open.add('training/wine');
  expect(await sweep()).toEqual({ done: { runs_canceled: 1 }, skipped: [] });
  expect(signals).toEqual(['cancel training/wine']);
});

test('containers of entities that are gone are removed, those of others are not', async () => {
  const { trainings, deployments, removed, container, open, sweep } = createScene();
  const kept = await deployments.insert(newDeployment('kept'));
  await container('deployment', kept);
  await container('deployment', { ...kept, generation: 2 });
  const running = await trainings.insert(newTraining('running'));
  open.add('training/running').add('deployment/kept');
  await container('training', running);
  const gone = [await container('training', newTraining('gone')), await container('deployment', newDeployment('gone'))];
  expect(await sweep()).toEqual({ done: { containers_removed: 2 }, skipped: [] });
  expect(removed).toEqual(gone.sort());
});

test('containers that the undo of a run did not get to are removed', async () => {
  const { trainings, removed, container, sweep } = createScene();
  const left = await container('training', await trainings.insert(ended(newTraining('done'))));
  expect(await sweep()).toMatchObject({ done: { containers_removed: 1 } });
  expect(removed).toEqual([left]);
});

test('what a run of an earlier generation left is removed while the newer one goes on', async () => {
  const { trainings, open, removed, container, sweep } = createScene();
  const training = await trainings.insert(newTraining('wine'));
  const left = await container('training', training);
  open.add('training/wine');
  await trainings.update('wine', (current) => ({ ...current, generation: 2 }));
  const own = await container('training', { ...training, generation: 2 });
  expect(await sweep()).toMatchObject({ done: { containers_removed: 1 } });
  expect(removed).toEqual([left]);
  expect(own).not.toBe(left);
});

test('a run whose resource is gone gets a signal to end, and cleans up itself', async () => {
  const { open, signals, removed, container, sweep } = createScene();
  await container('training', newTraining('gone'));
  await container('deployment', newDeployment('gone'));
  open.add('training/gone').add('deployment/gone');
  expect(await sweep()).toEqual({ done: { runs_canceled: 2 }, skipped: [] });
  expect(signals.sort()).toEqual(['cancel training/gone', 'start deployment/gone 1']);
  expect(removed).toEqual([]);
});

test('the run of a resource that was created again is not disturbed by what the old one left', async () => {
  const { trainings, open, signals, removed, container, sweep } = createScene();
  await container('training', newTraining('again'));
  await trainings.insert(newTraining('again'));
  open.add('training/again');
  await sweep();
  expect([...signals, ...removed]).toEqual([]);
});

test('containers that are not of this platform stay', async () => {
  const { removed, container, sweep } = createScene();
  await container('other' as RunKind, newTraining('x'));
  await sweep();
  expect(removed).toEqual([]);
});

test('a document that breaks the sweep of itself is named, and the others get their runs', async () => {
  const { trainings, packagings, signals, sweep } = createScene();
  for (const id of ['a', 'broken', 'c']) await trainings.insert(newTraining(id));
  await packagings.insert(newPackaging('wine'));
  expect(await sweep()).toEqual({
    done: { runs_started: 3, skipped: 1 },
    skipped: ['training broken: no such workflow type'],
  });
  expect(signals).toEqual(['start training/a 1', 'start training/c 1', 'start packaging/wine 1']);
});

test('an engine that shows no containers keeps no run from starting, and fails the round', async () => {
  const { trainings, signals, engine, sweep } = createScene();
  await trainings.insert(newTraining('wine'));
  engine.find = () => Promise.reject(new SlipwayError('run_failed', 'container not known'));
  expect(await sweep()).toEqual({
    done: { runs_started: 1 },
    skipped: [],
    failed: ['container: container not known'],
  });
  expect(signals).toEqual(['start training/wine 1']);
});

test('a container that cannot be removed keeps no other container', async () => {
  const { engine, removed, container, sweep } = createScene();
  const names = [await container('training', newTraining('a')), await container('training', newTraining('b'))];
  const remove = engine.remove.bind(engine);
  engine.remove = async (handle) => {
    if (handle.name === names[0]) throw new SlipwayError('run_failed', 'it is busy');
    return remove(handle);
  };
  expect(await sweep()).toMatchObject({ done: { containers_removed: 1, skipped: 1 } });
  expect(removed).toEqual([names[1]]);
});

test('an outdated schedule follows the pipeline as it is then, and none comes back after its removal', async () => {
  const { pipelines, trainings, signals, sweep, open } = createScene();
  for (const id of ['beer', 'current', 'wine']) await pipelines.insert(newPipeline(id));
  // The pipelines change while the sweep is under way: after it has read the list, before it acts on them.
  const list = pipelines.list.bind(pipelines);
  pipelines.list = async () => {
    const read = await list();
    await pipelines.remove('beer');
    await pipelines.update('wine', (current) => ({ ...current, status: { ...current.status } }));
    return read;
  };
  await trainings.insert(newTraining('x'));
  open.add('training/x');
  await sweep();
  const revision = (await pipelines.get('wine'))?.revision;
  expect(signals).toEqual([`schedule wine ${revision}`]);
});

test('what dead writers committed comes into the lists, and is counted', async () => {
  const { counted, sweep } = createScene({ heal: async () => 2 });
  expect(await sweep()).toEqual({ done: { resources_healed: 2 }, skipped: [] });
  expect(counted).toContainEqual({ resources_healed: 2 });
});

const routeOf = ({ id, uid, generation }: AnyResource): Endpoint => ({
  ...{ id, uid, generation, roleName: 'r', modelName: 'wine', modelVersion: '1', timeoutSeconds: 1 },
  ...{ feedback: false, replicas: [], info: {} },
});

test('routes of deployments that are gone are withdrawn, those of others are not', async () => {
  const { deployments, endpoints, open, sweep } = createScene();
  const kept = await deployments.insert(newDeployment('kept'));
  const recreated = await deployments.insert(newDeployment('recreated'));
  open.add('deployment/kept').add('deployment/recreated').add('deployment/leaving');
  await endpoints.put(routeOf(kept), 1);
  await endpoints.put(routeOf({ ...recreated, uid: 'an earlier one' }), 1);
  await endpoints.put(routeOf(newDeployment('gone')), 1);
  await endpoints.put(routeOf(newDeployment('leaving')), 1);
  expect(await sweep()).toEqual({ done: { routes_removed: 2 }, skipped: [] });
  expect((await endpoints.list()).map(({ id }) => id)).toEqual(['kept', 'leaving']);
});

test('replicas that neither serve nor start are removed once their retirement was given up', async () => {
  const { deployments, open, container, removed, sweep } = createScene();
  const serving = { ref: { generation: 2 } } as Revision;
  const updatedAt = '2025-12-31T23:46:00.000Z';
  const old = await deployments.insert({ ...newDeployment('old'), generation: 4, serving, updatedAt });
  const fresh = { ...newDeployment('fresh'), generation: 4, serving, updatedAt: '2025-12-31T23:46:30.000Z' };
  await deployments.insert(fresh);
  open.add('deployment/old').add('deployment/fresh');
  const replicas = [1, 2, 3, 4].map((generation) => container('deployment', { ...old, generation }));
  for (const generation of [1, 2, 3, 4]) await container('deployment', { ...fresh, generation });
  const [first, , third] = await Promise.all(replicas);
  expect(await sweep()).toEqual({ done: { containers_removed: 2 }, skipped: [] });
  expect(removed).toEqual([first, third]);
});

test('a round reads the runs that are open, however many have ended', async () => {
  const { trainings, signals, sweep } = createScene();
  for (let n = 0; n < 3; n += 1) await trainings.insert(ended(newTraining(`done${n}`)));
  await trainings.insert(newTraining('wine'));
  trainings.list = () => Promise.reject(new Error('this reads all of them'));
  expect(await sweep()).toEqual({ done: { runs_started: 1 }, skipped: [] });
  expect(signals).toEqual(['start training/wine 1']);
});

test('a round starts all that wait, page by page', async () => {
  const { trainings, sweep } = createScene();
  for (let n = 0; n < 501; n += 1) await trainings.insert(newTraining(`wine${n}`));
  expect(await sweep()).toEqual({ done: { runs_started: 501 }, skipped: [] });
});
