import { stateOf, type Entity, type Kind } from '../../client/index.js';
import { periodOf, scopeOf } from './watch-words.js';
import type { Column } from './table.js';
import { age, duration } from './time.js';

type Columns<K extends Kind> = readonly Column<Entity<K>>[];
interface Run {
  startedAt?: string;
  finishedAt?: string;
  reason?: string;
}

const id = { header: 'ID', value: ({ id }: Entity) => id };
const state = { header: 'STATE', value: stateOf };
const ageColumn = {
  header: 'AGE',
  value: ({ createdAt }: Entity, now: number) => age(createdAt, now),
};
const generation = { header: 'GENERATION', wide: true, value: ({ generation }: Entity) => String(generation) };
const by = { header: 'BY', wide: true, value: ({ updatedBy }: Entity) => updatedBy };
const tail = [ageColumn, generation, by];
const reason = { header: 'REASON', wide: true, value: ({ status }: { status: Run }) => status.reason ?? '' };
const took = {
  header: 'TOOK',
  value: ({ status: { startedAt, finishedAt } }: { status: Run }, now: number) =>
    startedAt === undefined
      ? ''
      : duration((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt)),
};

const metrics = (values: Readonly<Record<string, number>> = {}): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${Number(value.toPrecision(4))}`)
    .join(' ');

const pairs = (values: Readonly<Record<string, string>> = {}): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** The step that a run has come to; of one that waits, that it does. */
function stepOf(steps: Entity<'PipelineRun'>['status']['steps']): string {
  const { name, state } = steps.at(-1) ?? {};
  return state === 'waiting' ? `${name} (waiting)` : (name ?? '');
}

const nameColumn = { header: 'NAME', value: ({ spec }: { spec: { name: string } }) => spec.name };

/** The columns of a list, by kind. */
// prettier-ignore
const COLUMNS: { [K in Kind]: Columns<K> } = {
  Connection: [
    id,
    { header: 'TYPE', value: ({ spec }) => spec.type },
    { header: 'URI', value: ({ spec }) => spec.uri },
    { header: 'REFERENCE', wide: true, value: ({ spec }) => spec.reference ?? '' },
    { header: 'DESCRIPTION', wide: true, value: ({ spec }) => spec.description ?? '' },
    ...tail,
  ],
  ToolchainIntegration: [
    id,
    { header: 'ENTRYPOINT', value: ({ spec }) => spec.entrypoint },
    { header: 'IMAGE', value: ({ spec }) => spec.defaultImage },
    ...tail,
  ],
  PackagingIntegration: [
    id,
    { header: 'ENTRYPOINT', value: ({ spec }) => spec.entrypoint },
    { header: 'TARGETS', value: ({ spec }) => spec.schema.targets.map(({ name }) => name).join(',') },
    { header: 'IMAGE', wide: true, value: ({ spec }) => spec.defaultImage },
    ...tail,
  ],
  ModelTraining: [
    id,
    state,
    { header: 'MODEL', value: ({ spec }) => `${spec.model.name}:${spec.model.version}` },
    { header: 'METRICS', value: ({ status }) => metrics(status.metrics) },
    took,
    reason,
    { header: 'PARAMETERS', wide: true, value: ({ spec }) => pairs(spec.hyperParameters) },
    { header: 'TOOLCHAIN', wide: true, value: ({ spec }) => spec.toolchain },
    { header: 'ARTIFACT', wide: true, value: ({ status }) => status.artifactName ?? '' },
    ...tail,
  ],
  ModelPackaging: [
    id,
    state,
    { header: 'IMAGE', value: ({ status }) => status.results[0]?.value ?? '' },
    took,
    reason,
    { header: 'PACKAGER', wide: true, value: ({ spec }) => spec.integrationName },
    { header: 'ARTIFACT', wide: true, value: ({ spec }) => spec.artifactName },
    ...tail,
  ],
  ModelDeployment: [
    id,
    state,
    { header: 'READY', value: ({ status }) => `${status.availableReplicas}/${status.replicas}` },
    { header: 'MODEL', value: ({ status }) => (status.modelName === undefined ? '' : `${status.modelName}:${status.modelVersion}`) },
    reason,
    { header: 'ROLE', wide: true, value: ({ spec }) => spec.roleName },
    { header: 'IMAGE', wide: true, value: ({ spec }) => spec.image },
    ...tail,
  ],
  ModelRoute: [
    id,
    state,
    { header: 'PREFIX', value: ({ spec }) => spec.urlPrefix },
    { header: 'TARGETS', value: ({ spec }) => spec.modelDeployments.map(({ mdName, weight }) => `${mdName}=${weight}`).join(',') },
    { header: 'URL', wide: true, value: ({ status }) => status.edgeUrl },
    ...tail,
  ],
  ModelPipeline: [
    id,
    { header: 'MODEL', value: ({ spec }) => spec.training.model.name },
    { header: 'RUNS', value: ({ status }) => String(status.lastRun) },
    { header: 'SCHEDULE', value: ({ spec: { triggers }, status }) => `${triggers.schedule.cron ?? ''}${status.paused ? ' (paused)' : ''}` },
    { header: 'DEPLOYMENT', value: ({ spec }) => spec.deployment.id },
    { header: 'TIMEZONE', wide: true, value: ({ spec: { triggers } }) => (triggers.schedule.cron === undefined ? '' : triggers.schedule.timeZone) },
    ...tail,
  ],
  Dataset: [
    id,
    { header: 'ROWS', value: ({ status }) => String(status.rows) },
    { header: 'VERSION', value: ({ status }) => `${status.version}${status.pinned ? ' (pinned)' : ''}` },
    { header: 'FIELDS', value: ({ spec }) => Object.keys(spec.fields ?? {}).join(',') },
    { header: 'CHANGED', value: ({ updatedAt }, now) => age(updatedAt, now) },
    { header: 'TITLE', wide: true, value: ({ spec }) => spec.title ?? '' },
    generation,
    by,
  ],
  ApiKey: [
    id,
    nameColumn,
    { header: 'SCOPES', value: ({ spec }) => spec.scopes.join(',') },
    { header: 'EXPIRES', value: ({ spec }) => spec.expires_at ?? '' },
    { header: 'USED', value: ({ status }, now) => age(status.last_used_at ?? undefined, now) },
    ageColumn,
    { header: 'ORIGINS', wide: true, value: ({ spec }) => (spec.origins ?? []).join(',') },
    by,
  ],
  Subscription: [
    id,
    nameColumn,
    state,
    { header: 'LEVEL', value: ({ status }) => status.level.proven ?? '' },
    { header: 'FAILED', value: ({ status }) => String(status.counts.failed ?? 0) },
    { header: 'TO', value: ({ spec }) => spec.url ?? spec.mode },
    { header: 'TYPES', wide: true, value: ({ spec }) => spec.types.join(',') },
    ...tail,
  ],
  Watch: [
    id,
    nameColumn,
    state,
    { header: 'SCOPE', value: ({ spec }) => scopeOf(spec) },
    { header: 'PERIOD', value: ({ spec }) => periodOf(spec) },
    { header: 'DUE', value: ({ status }) => status.evaluation?.next_due_at ?? '' },
    ...tail,
  ],
  InferenceService: [
    id,
    { header: 'IMAGE', value: ({ spec }) => spec.image },
    { header: 'INPUT', wide: true, value: ({ spec }) => spec.dataSource.connection ?? '' },
    { header: 'OUTPUT', wide: true, value: ({ spec }) => spec.outputDestination.connection ?? '' },
    ...tail,
  ],
  InferenceJob: [
    id,
    state,
    { header: 'SERVICE', value: ({ spec }) => spec.inferenceServiceId },
    { header: 'FILES', value: ({ status: { files } }) => (files === undefined ? '' : `${files.done}/${files.total}`) },
    took,
    reason,
    ...tail,
  ],
  PipelineRun: [
    id,
    state,
    { header: 'STEP', value: ({ status }) => stepOf(status.steps) },
    { header: 'MODEL', value: ({ status }) => (status.modelName === undefined ? '' : `${status.modelName}:${status.modelVersion}`) },
    { header: 'TRIGGER', value: ({ spec }) => spec.trigger.type },
    took,
    reason,
    { header: 'METRICS', wide: true, value: ({ status }) => metrics(status.metrics) },
    { header: 'IMAGE', wide: true, value: ({ status }) => status.image ?? '' },
    ...tail,
  ],
};

/** The columns of a kind's table. */
export function columnsOf<K extends Kind>(kind: K, { wide }: { wide: boolean }): Columns<K> {
  return COLUMNS[kind].filter((column) => wide || column.wide !== true);
}
