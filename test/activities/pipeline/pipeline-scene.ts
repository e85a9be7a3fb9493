import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPipelineActivities,
  type PipelineActivities,
  type PipelineDeps,
} from '../../../activities/pipeline/pipeline.js';
import type { PackedImage } from '../../../activities/pipeline/pipeline-packaging.js';
import type { TrainedModel } from '../../../activities/pipeline/pipeline-training.js';
import { builtInConnections, builtInPackagers, builtInToolchains } from '../../../lifecycle/kinds/built-in.js';
import type { Connection, ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import { toRef } from '../../../platform/kinds/generation.js';
import type { RunRef } from '../../../platform/kinds/ids.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import type { Packaging, PackagingStatus } from '../../../lifecycle/kinds/packaging.js';
import type { InferenceJob } from '../../../lifecycle/kinds/inference-job.js';
import type { PipelineRun, PipelineRunStatus, PipelineStep } from '../../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import type { Training, TrainingStatus } from '../../../lifecycle/kinds/training.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { limitsOf } from '../../../lifecycle/kinds/quota.js';
import { createQuotas } from '../../../lifecycle/stores/quotas.js';
import { createTriggeredRuns } from '../../../lifecycle/stores/triggered-runs.js';
import { createAudit } from '../../../platform/stores/audit.js';
import { createPipelineRuns, type RunRequest } from '../../../lifecycle/stores/pipeline-runs.js';
import { createReuse } from '../../../lifecycle/stores/reuse.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import { createPipelineSubscriptions } from '../../../notifications/stores/pipeline-subscriptions.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { SETTINGS, stored } from '../../lifecycle/kinds/installation.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { emittedEvents } from '../../platform/stores/emitted-events.js';
import { startMemoryRegistry } from '../../platform/registry/memory-registry.js';
import { platformFolders } from '../../../lifecycle/kinds/object-location.js';
import { newPipeline } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { commitFiles, copyRepository } from '../training/repository.js';
import { registryAuthBy } from '../shared/registry-deps.js';

const BUCKET_RULES = {
  ambientBuckets: ['gs://slipway'],
  ownBucket: 'gs://slipway',
  closedFolders: platformFolders(''),
};

type Name = keyof PipelineActivities;

/** The tag of the base of all images in the platform's registry, and its id in the engine. */
const BASE = 'b'.repeat(32);
const NO_FACTS = { digests: [], labels: {}, env: [], sizeBytes: 1, layers: [], createdAt: '' };

/** The activities of pipelines on memory stores, a git repository and a registry that knows names alone. */
export async function createPipelineScene(changes: Partial<PipelineDeps> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-pipeline-'));
  const code = join(folder, 'code');
  const commit = await copyRepository(code);
  const registry = await startMemoryRegistry();
  const database = createMemoryDatabase();
  const stores = {
    connections: createResources<Connection>({ database, kind: 'Connection' }),
    toolchains: createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    packagingIntegrations: createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
    trainings: createResources<Training>({ database, kind: 'ModelTraining' }),
    packagings: createResources<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createResources<Deployment>({ database, kind: 'ModelDeployment' }),
    pipelines: createResources<Pipeline>({ database, kind: 'ModelPipeline' }),
    pipelineRuns: createResources<PipelineRun>({ database, kind: 'PipelineRun' }),
    inferenceJobs: createResources<InferenceJob>({ database, kind: 'InferenceJob' }),
  };
  const addConnection = (id: string, spec: Partial<ConnectionSpec>) =>
    stores.connections.insert(stored('Connection', id, { type: '', uri: '', vital: false, ...spec }, {}));
  const base = await registry.addImage('models/bases', BASE);
  const settings = { ...SETTINGS, registry: `${registry.host}/models` };
  for (const { id, spec } of builtInConnections(settings)) await addConnection(id, spec);
  for (const { kind, id, spec } of builtInToolchains(settings))
    await stores.toolchains.insert(stored(kind, id, spec, {}));
  for (const { kind, id, spec } of builtInPackagers(settings)) {
    await stores.packagingIntegrations.insert(stored(kind, id, spec, {}));
  }
  await addConnection('code', { type: 'git', uri: code, reference: 'main' });

  const buckets = new Map<string, ReturnType<typeof createMemoryObjects>>();
  /** The bucket behind a uri of a connection. */
  const bucket = (uri: string) => {
    const found = buckets.get(uri) ?? createMemoryObjects();
    buckets.set(uri, found);
    return found;
  };
  const box = createSecretBox({ key: randomBytes(32).toString('base64') });
  const subscriptions = createResources<Subscription>({ database, kind: 'Subscription' });
  const pipelineEvents = createEventStream({ database, stream: 'pipeline' });
  const signals: string[] = [];
  const { engine, images } = createMemoryEngine();
  images.set('slipway.local/python:3', { ...NO_FACTS, id: `sha256:${BASE}` });
  const pipelineRunStore = createPipelineRuns({ ...stores, now: () => new Date(), newId: randomUUID });
  const audit = changes.audit ?? createAudit({ database });
  const quotas = changes.quotas ?? createQuotas({ ...stores, limits: limitsOf({ owner: {}, installation: {} }) });
  const deps: PipelineDeps = {
    ...stores,
    registries: registry.registries,
    ...{ audit, quotas, triggeredRuns: createTriggeredRuns({ ...stores, pipelineRunStore, audit, quotas }) },
    ...{ pipelineRunStore, engine, endpoints: createEndpoints({ database }), objects: bucket('gs://slipway') },
    trainingReuse: createReuse<TrainedModel>(database, 'training'),
    packagingReuse: createReuse<PackedImage>(database, 'packaging'),
    openStore: async ({ spec }) => bucket(spec.uri.replace(/\/$/, '')),
    openSecret: (sealed) => sealed,
    registryAuth: registryAuthBy(),
    bucketRules: BUCKET_RULES,
    localRoots: [folder],
    imageMirrors: {},
    validationContext: {
      lookups: {
        connection: (id) => stores.connections.get(id),
        toolchain: (id) => stores.toolchains.get(id),
        packagingIntegration: (id) => stores.packagingIntegrations.get(id),
      },
      rules: {
        maxDeploymentIdLength: 63,
        outputConnection: 'models-output',
        pullConnection: 'docker-ci',
        nodePools: [],
        ...BUCKET_RULES,
        localRepositories: [folder],
      },
    },
    runs: {
      changed: async (kind, { id, generation }) => void signals.push(`changed ${kind}/${id} ${generation}`),
      cancel: async (kind, { id, generation }) => void signals.push(`cancel ${kind}/${id} ${generation}`),
    },
    pipelineEvents,
    schedules: { remove: async (id) => void signals.push(`unschedule ${id}`) },
    pipelineSubscriptions: createPipelineSubscriptions({
      ...{ subscriptions, pipelines: stores.pipelines, newId: randomUUID },
      endOfStream: () => pipelineEvents.end(),
      box,
    }),
    readySeconds: 5,
    newId: randomUUID,
    pollMs: 5,
    ...changes,
  };
  const activities = createPipelineActivities(deps);

  /** Runs one activity as one attempt. */
  const run = <N extends Name>(
    name: N,
    input: Parameters<PipelineActivities[N]>[0],
    attempt = newAttempt(),
  ): Promise<Awaited<ReturnType<PipelineActivities[N]>>> =>
    attempt.run(activities[name] as (of: typeof input) => Promise<Awaited<ReturnType<PipelineActivities[N]>>>, input);

  /** Stores a pipeline that differs from the usual one, without validation. */
  const createPipeline = (spec: object = {}, id = 'wine') =>
    stores.pipelines.insert(newPipeline(id, { ...PIPELINE, ...spec }));

  /** Opens the next run and claims it. */
  async function openRun(request: Partial<RunRequest> = {}, id = 'wine'): Promise<RunRef> {
    const trigger = { type: 'api', at: '2026-03-01T00:00:00.000Z' } as const;
    const ref = toRef(await pipelineRunStore.open(id, { trigger, ...request }));
    await run('claimPipelineRun', ref);
    return ref;
  }
  const events = async () => (await emittedEvents(database)).map(({ type }) => type);
  const statusOf = async ({ id }: { id: string }): Promise<PipelineRunStatus> => {
    const found = await stores.pipelineRuns.get(id);
    if (found === undefined) throw new Error(`there is no run ${id}`);
    return found.status;
  };
  const stepOf = async (ref: { id: string }, name: PipelineStep['name']): Promise<PipelineStep | undefined> =>
    (await statusOf(ref)).steps.find((step) => step.name === name);

  let ended = 0;
  /** Later than any before, also within one millisecond. */
  const nextTime = (): string => new Date((ended = Math.max(Date.now(), ended + 1))).toISOString();

  /** The training does its work: its artifact is in the bucket. */
  async function finishTraining(id: string, metrics: TrainingStatus['metrics'] = { rmse: 0.5 }): Promise<string> {
    const artifactName = `${id}.zip`;
    await bucket('gs://slipway').put(artifactName, id, { metadata: { sha256: `sha-${id}` } });
    const finishedAt = nextTime();
    await stores.trainings.update(id, (current) => ({
      ...current,
      status: { ...current.status, state: 'succeeded', finishedAt, artifactName, metrics },
    }));
    return artifactName;
  }
  /** The packaging does its work: its image is in the registry. */
  async function finishPackaging(id: string, tag = id): Promise<string> {
    const image = `${registry.host}/models/wine:${tag}`;
    const labels = {
      'org.opencontainers.image.base.name': 'slipway.local/python:3',
      'org.opencontainers.image.base.digest': base.manifest.digest,
    };
    const { manifest } = await registry.addImage('models/wine', tag, { config: { Labels: labels } }, id);
    const { digest } = manifest;
    const results: PackagingStatus['results'] = [
      { name: 'image', value: image },
      { name: 'imageDigest', value: digest },
    ];
    const finishedAt = nextTime();
    await stores.packagings.update(id, (current) => ({
      ...current,
      status: { ...current.status, state: 'succeeded', finishedAt, results },
    }));
    return image;
  }
  /** The base image of all images becomes another one. */
  async function changeBase(): Promise<void> {
    images.set('slipway.local/python:3', { ...NO_FACTS, id: `sha256:${'c'.repeat(32)}` });
  }
  /** The deployment does its work, or fails. */
  const settleDeployment = (id: string, state: 'Ready' | 'Failed', failure: Partial<Deployment['status']> = {}) =>
    stores.deployments.update(id, (current) => ({ ...current, status: { ...current.status, state, ...failure } }));

  /** Everything up to the end of the training. */
  async function train(ref: RunRef, metrics?: TrainingStatus['metrics']): Promise<void> {
    await run('resolvePipelineSource', ref);
    const { child } = await run('preparePipelineTraining', ref);
    if (child) await finishTraining(child.id, metrics);
    await run('concludePipelineTraining', { ref, child });
  }
  /** And the packaging. */
  async function pack(ref: RunRef): Promise<void> {
    const { child } = await run('preparePipelinePackaging', ref);
    if (child) await finishPackaging(child.id);
    await run('concludePipelinePackaging', { ref, child });
  }
  /** A person or the end of a run puts it into its next generation, as the API does. */
  const again = async ({ id }: { id: string }, spec: object = {}): Promise<RunRef> => {
    const next = await stores.pipelineRuns.update(id, (current) => ({
      ...current,
      generation: current.generation + 1,
      spec: { ...current.spec, template: { ...current.spec.template, ...spec } },
      status: { state: 'unknown', transitions: [], steps: [], gates: [] },
    }));
    await run('claimPipelineRun', toRef(next));
    return toRef(next);
  };
  const end = async (ref: RunRef, failed = false): Promise<void> =>
    failed
      ? run('recordPipelineFailed', { ref, failure: { reason: 'Internal', message: 'no' } })
      : run('recordPipelineSucceeded', ref);

  return {
    ...{
      ...stores,
      ...deps,
      ...{ database, box, subscriptions },
      registry,
      images,
      bucket,
      signals,
      commit,
      run,
      createPipeline,
      openRun,
      statusOf,
      stepOf,
      events,
    },
    ...{ finishTraining, finishPackaging, settleDeployment, train, pack, again, end, addConnection, changeBase },
    commitCode: (files: Record<string, string>) => commitFiles(code, files),
    async close(): Promise<void> {
      await registry.stop();
      await rm(folder, { recursive: true });
    },
  };
}
export type PipelineScene = Awaited<ReturnType<typeof createPipelineScene>>;
