import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { AnyResource, Resource, Kind } from '../../platform/kinds/resource.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { PlatformEvent, PlatformStream } from '../../platform/kinds/platform-event.js';
import type { ResourceWrite } from '../../platform/stores/stored-resources.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';
import { scheduleStarted, scheduleEventOf } from './schedule-events.js';
import { subscriptionEventOf } from './subscription-events.js';
import { MODEL_PATH, shortened, type EmittedEvent } from './emitted-event.js';
import type { Training } from '../../lifecycle/kinds/training.js';

type EventFactory<E extends AnyResource> = (before: E | undefined, after: E | undefined) => EmittedEvent | undefined;

/** A store holds entities of its kind alone. */
const teller = <E extends AnyResource>(tell: EventFactory<E>): EventFactory<AnyResource> =>
  tell as unknown as EventFactory<AnyResource>;

const TELLERS: Partial<Record<Kind, EventFactory<AnyResource>>> = {
  ModelTraining: teller(tellTraining),
  ModelPackaging: teller(tellPackaging),
  ModelDeployment: teller(tellDeployment),
  PipelineRun: teller(tellRun),
  ModelPipeline: teller(scheduleEventOf),
  Subscription: teller(subscriptionEventOf),
};

/** The stream in which writes of a kind are told. */
export const streamOfWrites = (kind: Kind): PlatformStream => (kind === 'Subscription' ? 'ops' : 'pipeline');

/** The event that a write of an entity is, made of the write alone; `undefined`: nobody is told of it. */
export function eventOfWrite({ kind, before, after, revision, at }: ResourceWrite): PlatformEvent | undefined {
  const { id = '' } = after ?? before ?? {};
  const told = TELLERS[kind]?.(before, after);
  if (told === undefined) return undefined;
  const { version, data, ...where } = told;
  const text = JSON.stringify({ ...data, ...(version === undefined && { version: revision }) });
  return {
    ...where,
    key: `${streamOfWrites(kind)}/${kind}/${id}/${revision}`,
    version: version ?? revision,
    at,
    data: text,
  };
}

function tellTraining(before: Training | undefined, after: Training | undefined): EmittedEvent | undefined {
  const word = endOf(before, after);
  if (word === undefined || after === undefined) return undefined;
  const { spec, status } = after;
  return {
    type: `pipeline.training.${word}`,
    source: `${MODEL_PATH}/training`,
    subject: `training/${after.id}`,
    data: {
      ...runData(after),
      model_name: spec.model.name,
      model_version: spec.model.version,
      artifact_name: status.artifactName,
      commit: status.artifacts[0]?.commitID,
      metrics: someOf(status.metrics),
    },
  };
}

function tellPackaging(before: Packaging | undefined, after: Packaging | undefined): EmittedEvent | undefined {
  const word = endOf(before, after);
  if (word === undefined || after === undefined) return undefined;
  return {
    type: `pipeline.packaging.${word}`,
    source: `${MODEL_PATH}/packaging`,
    subject: `packaging/${after.id}`,
    data: {
      ...runData(after),
      artifact_name: after.spec.artifactName,
      image: after.status.results.find(({ name }) => name === 'image')?.value,
    },
  };
}

function tellRun(before: PipelineRun | undefined, after: PipelineRun | undefined): EmittedEvent | undefined {
  if (after === undefined) return undefined;
  const { id, spec, status } = after;
  if (before === undefined) return spec.trigger.type === 'schedule' ? scheduleStarted(after) : undefined;
  const begunWaiting = isWaiting(after) && !isWaiting(before);
  const word = begunWaiting ? 'waiting' : endOf(before, after);
  if (word === undefined) return undefined;
  return {
    type: `pipeline.run.${word}`,
    source: `${MODEL_PATH}/pipeline`,
    subject: `run/${id}`,
    data: {
      ...runData(after),
      pipeline: spec.pipeline,
      number: spec.number,
      trigger: spec.trigger.type,
      model_name: status.modelName,
      model_version: status.modelVersion,
      commit: status.commit,
      image: status.image,
      metrics: someOf(status.metrics),
    },
  };
}

const isWaiting = ({ status }: PipelineRun): boolean =>
  status.steps.some(({ name, state }) => name === 'approval' && state === 'waiting');

function tellDeployment(before: Deployment | undefined, after: Deployment | undefined): EmittedEvent | undefined {
  const word = deploymentWord(before, after);
  const told = after ?? before;
  if (word === undefined || told === undefined) return undefined;
  const { id, spec, status, createdBy } = told;
  return {
    type: `pipeline.deployment.${word}`,
    source: `${MODEL_PATH}/deployment`,
    subject: `deployment/${id}`,
    data: {
      ...resourceData(told),
      state: status.state,
      reason: status.reason,
      message: shortened(status.message),
      image: spec.image,
      replicas: status.replicas,
      available_replicas: status.availableReplicas,
      model_name: status.modelName,
      model_version: status.modelVersion,
      created_by: createdBy,
    },
  };
}

function deploymentWord(before: Deployment | undefined, after: Deployment | undefined): string | undefined {
  if (after === undefined) return 'deleted';
  if (before === undefined) return 'created';
  const [from, to] = [before.status.state, after.status.state];
  if (from === to) return undefined;
  if (to === 'Ready') return 'ready';
  if (to === 'Failed') return 'failed';
  return from === 'Ready' && to === 'Processing' && before.generation === after.generation ? 'degraded' : undefined;
}

/** How a run went on with a write, if it did. */
function endOf(before: Resource<object, RunStatus> | undefined, after: Resource<object, RunStatus> | undefined) {
  if (after === undefined || before?.status.state === after.status.state) return undefined;
  const { state, reason } = after.status;
  if (state === 'running') return 'started';
  if (state === 'succeeded') return 'succeeded';
  if (state === 'failed') return reason === 'Cancelled' ? 'cancelled' : 'failed';
  return undefined;
}

const resourceData = ({ kind, id, generation }: AnyResource) => ({ kind, id, generation });

function runData(entity: Resource<object, RunStatus>) {
  const { state, reason, message, startedAt, finishedAt } = entity.status;
  return {
    ...resourceData(entity),
    state,
    reason,
    message: shortened(message),
    started_at: startedAt,
    finished_at: finishedAt,
    created_by: entity.createdBy,
  };
}

/** A notice is told to many: a training that logs thousands of metrics is looked up. */
const MOST_METRICS = 200;
const someOf = (metrics: Readonly<Record<string, number>> | undefined) =>
  metrics &&
  Object.fromEntries(
    Object.entries(metrics)
      .filter(([, value]) => Number.isFinite(value)) // JSON has no other numbers
      .slice(0, MOST_METRICS),
  );
