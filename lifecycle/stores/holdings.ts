import type { AnyResource } from '../../platform/kinds/resource.js';
import type { Deployment } from '../kinds/deployment.js';
import type { InferenceJob } from '../kinds/inference-job.js';
import type { Packaging } from '../kinds/packaging.js';
import type { PipelineRun } from '../kinds/pipeline-run.js';
import { amountsOf, type Holding, NOTHING } from '../kinds/quota.js';
import type { Training } from '../kinds/training.js';

type Owned<E extends AnyResource> = Pick<E, 'id' | 'spec' | 'createdBy' | 'kind'>;

/** A training takes some storage in the end: it is admitted while its owner has any left. */
const SOME_BYTES = 1;

export function jobHolding({ kind, id, createdBy, spec }: Owned<Training | Packaging>, jobs = 1): Holding {
  const isTraining = kind === 'ModelTraining';
  const amounts = { ...amountsOf(spec.resources, { jobs }), storage: isTraining ? SOME_BYTES : 0 };
  return { kind: isTraining ? kind : 'ModelPackaging', id, owner: createdBy, amounts };
}

export const inferenceHolding = ({ id, createdBy, spec }: Owned<InferenceJob>): Holding => ({
  ...{ kind: 'InferenceJob', id, owner: createdBy },
  amounts: amountsOf(spec.resources, { jobs: 1 }),
});

/** Its training and packaging hold the memory and processors. */
export const runHolding = ({ id, createdBy }: Pick<PipelineRun, 'id' | 'createdBy'>): Holding => ({
  ...{ kind: 'PipelineRun', id, owner: createdBy },
  amounts: { ...NOTHING, jobs: 1 },
});

export const deploymentHolding = ({ id, createdBy, spec }: Owned<Deployment>): Holding => ({
  ...{ kind: 'ModelDeployment', id, owner: createdBy },
  amounts: amountsOf(spec.resources, {
    replicas: spec.suspended ? 0 : Math.max(1, spec.minReplicas, spec.maxReplicas),
  }),
});

/** The stored artifact of a training; undefined when it has none. */
export function artifactHolding({ id, createdBy, status }: Pick<Training, 'id' | 'createdBy' | 'status'>) {
  const { artifactBytes: storage = 0 } = status;
  if (storage === 0) return undefined;
  return { kind: 'ModelTraining', id, owner: createdBy, amounts: { ...NOTHING, storage } } as const;
}
