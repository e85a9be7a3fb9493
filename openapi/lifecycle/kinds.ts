import type { z } from 'zod';
import { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import { InferenceJobSpec } from '../../lifecycle/kinds/inference-job.js';
import { InferenceServiceSpec } from '../../lifecycle/kinds/inference-service.js';
import type { Kind } from '../../platform/kinds/resource.js';
import { PackagingIntegrationSpec } from '../../lifecycle/kinds/packaging-integration.js';
import { PackagingSpec } from '../../lifecycle/kinds/packaging.js';
import { PipelineSpec } from '../../lifecycle/kinds/pipeline.js';
import { RouteSpec } from '../../lifecycle/kinds/route.js';
import { ToolchainIntegrationSpec } from '../../lifecycle/kinds/toolchain-integration.js';
import { TrainingSpec } from '../../lifecycle/kinds/training.js';
import { EXAMPLES } from './examples.js';
import { PipelineStatus } from './pipeline-status.js';
import {
  DeploymentStatus,
  InferenceJobStatus,
  NoStatus,
  PackagingStatus,
  RouteStatus,
  TrainingStatus,
} from './status.js';

/** One row of the management API: where a kind lives, what it is made of and how its lists are filtered. */
export interface KindRow {
  kind: Kind;
  /** Below `/api/v1`. */
  path: string;
  /** The name in sentences. */
  noun: string;
  /** A short description. */
  about: string;
  spec: z.ZodType;
  status: z.ZodType;
  /** Fields of `spec` without which a request is refused. */
  required: readonly string[];
  filters: readonly string[];
  example: object;
  /** The server draws the id of each new one, and none is replaced. */
  drawsId?: true;
}

// prettier-ignore
export const KIND_ROWS: readonly KindRow[] = [
  { kind: 'Connection',           path: '/connection',            noun: 'connection',            about: 'how to reach a repository, a bucket or a registry',         spec: ConnectionSpec,           status: NoStatus,         required: ['type', 'uri'],                           filters: ['type'], example: EXAMPLES.connection },
  { kind: 'ToolchainIntegration', path: '/toolchain/integration', noun: 'toolchain integration', about: 'a program that trains projects of one form',                spec: ToolchainIntegrationSpec, status: NoStatus,         required: ['entrypoint', 'defaultImage'],            filters: [], example: EXAMPLES.toolchainIntegration },
  { kind: 'PackagingIntegration', path: '/packaging/integration', noun: 'packaging integration', about: 'a program that makes images of artifacts',                  spec: PackagingIntegrationSpec, status: NoStatus,         required: ['entrypoint', 'defaultImage'],            filters: [], example: EXAMPLES.packagingIntegration },
  { kind: 'ModelTraining',        path: '/model/training',        noun: 'training',              about: 'code, data and parameters become an artifact with metrics', spec: TrainingSpec,             status: TrainingStatus,   required: ['model', 'toolchain', 'algorithmSource'], filters: ['toolchain', 'model_name', 'model_version', 'state'], example: EXAMPLES.training },
  { kind: 'ModelPackaging',       path: '/model/packaging',       noun: 'packaging',             about: 'an artifact becomes an image',                              spec: PackagingSpec,            status: PackagingStatus,  required: ['artifactName', 'integrationName'],       filters: ['type', 'integrationName', 'artifactName', 'state'], example: EXAMPLES.packaging },
  { kind: 'ModelDeployment',      path: '/model/deployment',      noun: 'deployment',            about: 'an image answers requests',                                 spec: DeploymentSpec,           status: DeploymentStatus, required: ['image', 'predictor'],                    filters: ['roleName', 'state'], example: EXAMPLES.deployment },
  { kind: 'ModelRoute',           path: '/model/route',           noun: 'route',                 about: 'an address and the deployments that answer there',          spec: RouteSpec,                status: RouteStatus,      required: ['urlPrefix', 'modelDeployments'],         filters: [], example: EXAMPLES.route },
  { kind: 'ModelPipeline',        path: '/model/pipeline',        noun: 'pipeline',              about: 'from a commit to traffic: steps, gates and what starts a run', spec: PipelineSpec,          status: PipelineStatus,   required: ['training'],                              filters: ['model_name'], example: EXAMPLES.pipeline },
  { kind: 'InferenceService',     path: '/batch/service',         noun: 'inference service',     about: 'a program that predicts files, and where they are',         spec: InferenceServiceSpec,     status: NoStatus,         required: ['image', 'command', 'modelRegistry'],     filters: [], example: EXAMPLES.inferenceService },
  { kind: 'InferenceJob',         path: '/batch/job',             noun: 'inference job',         about: 'a run of an inference service over files',                  spec: InferenceJobSpec,         status: InferenceJobStatus, required: ['inferenceServiceId'],                  filters: ['inferenceServiceId', 'state'], example: EXAMPLES.inferenceJob, drawsId: true },
];
