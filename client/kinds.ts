import type { components } from './openapi.js';
import type { ReferenceEntities, ReferenceKind, ReferenceRequest } from './reference-kinds.js';

type Schemas = components['schemas'];

/** Where the entities of the management API live that clients create. */
// prettier-ignore
export const KIND_PATHS = {
  Connection:           '/api/v1/connection',
  ToolchainIntegration: '/api/v1/toolchain/integration',
  PackagingIntegration: '/api/v1/packaging/integration',
  ModelTraining:        '/api/v1/model/training',
  ModelPackaging:       '/api/v1/model/packaging',
  ModelDeployment:      '/api/v1/model/deployment',
  ModelRoute:           '/api/v1/model/route',
  ModelPipeline:        '/api/v1/model/pipeline',
  InferenceService:     '/api/v1/batch/service',
  InferenceJob:         '/api/v1/batch/job',
} as const;
export type LifecycleKind = keyof typeof KIND_PATHS;
export type WritableKind = LifecycleKind | ReferenceKind;
/** Runs of pipelines are made by the server; their id is `<pipeline>-<number>`. */
export type Kind = WritableKind | 'PipelineRun';

type Entities = Pick<Schemas, LifecycleKind | 'PipelineRun'> & ReferenceEntities;
/** A resource as the server shows it. */
export type Entity<K extends Kind = Kind> = Entities[K];
type Requests = { [K in LifecycleKind]: Schemas[`${K}Request`] } & { [K in ReferenceKind]: ReferenceRequest<K> };
/** The body that creates or replaces a resource: `id`, and the fields of `spec` without default. */
export type EntityRequest<K extends WritableKind = WritableKind> = Requests[K];

/** Kinds with a run of their own: they have a log, come to an end, and can be canceled and run again. */
export type RunKind = 'ModelTraining' | 'ModelPackaging' | 'InferenceJob';
const RUNS: readonly Kind[] = ['ModelTraining', 'ModelPackaging', 'InferenceJob'];
export const isRun = (kind: Kind): kind is RunKind => RUNS.includes(kind);
/** Kinds with a log. */
export type LogKind = RunKind | 'ModelDeployment';
