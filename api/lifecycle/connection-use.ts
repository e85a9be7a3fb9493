import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { findPipelineUsers, type PipelineUseDeps } from './pipeline-use.js';

export interface ConnectionUseDeps extends PipelineUseDeps {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  packagingIntegrations: ResourceStore<PackagingIntegration>;
  inferenceServices: ResourceStore<InferenceService>;
  inferenceJobs: ResourceStore<InferenceJob>;
}

/** Lists the resources that need the connection, as `KIND id`. Finished runs do not. */
export async function findUsers(id: string, deps: ConnectionUseDeps): Promise<string[]> {
  const [trainings, packagings, deployments, integrations, services, jobs, pipelines] = await Promise.all([
    deps.trainings.list(),
    deps.packagings.list(),
    deps.deployments.list(),
    deps.packagingIntegrations.list(),
    deps.inferenceServices.list(),
    deps.inferenceJobs.list(),
    findPipelineUsers(deps, ({ connections }) => connections.includes(id)),
  ]);
  const users = [
    ...trainings.filter((training) => !isFinal(training.status.state) && namedByTraining(training).includes(id)),
    ...packagings.filter((packaging) => !isFinal(packaging.status.state) && namedByPackaging(packaging).includes(id)),
    ...deployments.filter(({ spec }) => spec.imagePullConnID === id),
    ...integrations.filter(({ spec }) => spec.schema.targets.some((target) => target.default === id)),
    ...services.filter((service) => namedByService(service).includes(id)),
    ...jobs.filter((job) => !isFinal(job.status.state) && namedByJob(job).includes(id)),
  ];
  return [...users.map((user) => `${user.kind} ${user.id}`), ...pipelines];
}

const namedByTraining = ({ spec }: Training): (string | undefined)[] => [
  spec.algorithmSource.vcs.connection,
  spec.algorithmSource.objectStorage.connection,
  ...spec.data.map(({ connection }) => connection),
  ...spec.envs.map(({ valueFrom }) => valueFrom?.connection),
  spec.outputConnection,
];

const namedByPackaging = ({ spec }: Packaging): string[] => [
  ...spec.targets.map(({ connectionName }) => connectionName),
  spec.outputConnection,
];

const namedByJob = ({ spec }: Pick<InferenceJob, 'spec'>): (string | undefined)[] => [
  spec.dataSource.connection,
  spec.outputDestination.connection,
];

const namedByService = ({ spec }: InferenceService): (string | undefined)[] => [
  spec.modelRegistry.remote.modelConnection,
  spec.dataSource.connection,
  spec.outputDestination.connection,
];
