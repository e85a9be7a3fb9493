import { randomUUID } from 'node:crypto';
import type { Kind } from '../../../platform/kinds/resource.js';
import type { Packaging, PackagingSpec } from '../../../lifecycle/kinds/packaging.js';
import { type PackagingIntegration, PackagingIntegrationSpec } from '../../../lifecycle/kinds/packaging-integration.js';
import { type InferenceJob, InferenceJobSpec } from '../../../lifecycle/kinds/inference-job.js';
import type { RunStatus } from '../../../platform/kinds/run-status.js';
import type { Training, TrainingSpec } from '../../../lifecycle/kinds/training.js';
import { type Pipeline, PipelineSpec } from '../../../lifecycle/kinds/pipeline.js';
import type { Connection, ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import type { Deployment, DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';

const AT = '2026-01-01T00:00:00.000Z';

function envelope<K extends Kind>(kind: K, id: string) {
  const by = { createdBy: 'ada', updatedBy: 'ada', createdAt: AT, updatedAt: AT };
  return { kind, id, uid: randomUUID(), generation: 1, revision: 1, ...by };
}
const status = (state: RunStatus['state']) => ({ state, transitions: [{ state, at: AT }] });

/** Entities with nothing in their spec but what a test needs. */
export function newTraining(id: string, spec: Partial<TrainingSpec> = {}): Training {
  return {
    ...envelope('ModelTraining', id),
    spec: { model: { name: 'wine', version: '1', artifactNameTemplate: '' }, ...spec } as TrainingSpec,
    status: { ...status('unknown'), artifacts: [] },
  };
}
export function newPackaging(id: string, spec: Partial<PackagingSpec> = {}): Packaging {
  return {
    ...envelope('ModelPackaging', id),
    spec: spec as PackagingSpec,
    status: { ...status('unknown'), results: [] },
  };
}
export function newInferenceJob(id: string, spec: object = {}): InferenceJob {
  return { ...envelope('InferenceJob', id), spec: InferenceJobSpec.parse(spec), status: status('unknown') };
}
export function newDeployment(id: string, spec: Partial<DeploymentSpec> = {}): Deployment {
  const counts = { replicas: 0, availableReplicas: 0, deployment: id };
  const transitions = [{ state: 'Processing', at: AT }];
  return {
    ...envelope('ModelDeployment', id),
    spec: spec as DeploymentSpec,
    status: { state: 'Processing', ...counts, transitions },
  };
}
export function newConnection(id: string, spec: Partial<ConnectionSpec>): Connection {
  return { ...envelope('Connection', id), spec: spec as ConnectionSpec, status: {} };
}
export function newPackager(id: string, spec: Partial<PackagingIntegrationSpec>): PackagingIntegration {
  return { ...envelope('PackagingIntegration', id), spec: PackagingIntegrationSpec.parse(spec), status: {} };
}
/** @param spec as a client would write it; nothing is judged */
export function newPipeline(id: string, spec: object = {}): Pipeline {
  const status = { lastRun: 0, positions: {} };
  return { ...envelope('ModelPipeline', id), spec: PipelineSpec.parse(spec), status };
}
