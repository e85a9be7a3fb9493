import { RUN_STATES, isFinal } from '../../platform/kinds/run-status.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Deployment } from '../kinds/deployment.js';
import type { Packaging } from '../kinds/packaging.js';
import type { PipelineRun } from '../kinds/pipeline-run.js';
import { admit, amountsOf, type Holding, type QuotaLimits } from '../kinds/quota.js';
import type { Training } from '../kinds/training.js';

export interface QuotasOptions {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  limits: QuotaLimits;
}

/** The amounts that owners hold, and their limits. */
export interface Quotas {
  limits: QuotaLimits;
  holdings(): Promise<Holding[]>;
  /**
   * Admits a resource and counts it until it is released: by then it is stored, or will not be. Exact in this process;
   * several processes together may admit as much too much as they store at the same moment.
   * @throws quota_exceeded
   */
  reserve(wanted: Holding): Promise<() => void>;
}

/** No limit is near it: each resource holds something. */
const ALL = 1_000_000;
const OPEN = [{ field: 'status.state', in: RUN_STATES.filter((state) => !isFinal(state)) }] as const;

export function createQuotas({ trainings, packagings, deployments, pipelineRuns, limits }: QuotasOptions): Quotas {
  const reserved = new Set<Holding>();
  let turn: Promise<unknown> = Promise.resolve();

  /** Reads what is open, by the index of states; a deployment holds its replicas in every state. */
  async function holdings(): Promise<Holding[]> {
    const read = async <E extends AnyResource>(store: ResourceStore<E>, where: typeof OPEN | []) =>
      (await store.page({ where, skip: 0, limit: ALL })).items;
    const [runs, ...others] = await Promise.all([
      read(pipelineRuns, OPEN),
      read(trainings, OPEN),
      read(packagings, OPEN),
      read(deployments, []),
    ]);
    const ofRuns = new Set(runs.map(({ id }) => id));
    // A run and its training or packaging, which bears its id, are one job.
    const jobsOf = (id: string) => (ofRuns.has(id) ? 0 : 1);
    return [
      ...runs.map(runHolding),
      ...others[0].map((training) => jobHolding(training, jobsOf(training.id))),
      ...others[1].map((packaging) => jobHolding(packaging, jobsOf(packaging.id))),
      ...others[2].map(deploymentHolding),
    ];
  }

  async function decide(wanted: Holding): Promise<() => void> {
    // One that is released while the usage is read may or may not be in it.
    const pending = [...reserved];
    const stored = await holdings();
    const isStored = ({ kind, id }: Holding) => stored.some((each) => each.kind === kind && each.id === id);
    admit({ wanted, holdings: [...stored, ...pending.filter((each) => !isStored(each))], limits });
    reserved.add(wanted);
    return () => void reserved.delete(wanted);
  }

  return {
    limits,
    holdings,
    reserve(wanted) {
      const decision = turn.then(() => decide(wanted));
      turn = decision.catch(() => undefined);
      return decision;
    },
  };
}

type Owned<E extends AnyResource> = Pick<E, 'id' | 'spec' | 'createdBy' | 'kind'>;

export const jobHolding = ({ kind, id, createdBy, spec }: Owned<Training | Packaging>, jobs = 1): Holding => ({
  kind: kind === 'ModelTraining' ? kind : 'ModelPackaging',
  ...{ id, owner: createdBy, amounts: amountsOf(spec.resources, { jobs }) },
});

/** Its training and packaging hold the memory and processors. */
export const runHolding = ({ id, createdBy }: Pick<PipelineRun, 'id' | 'createdBy'>): Holding => ({
  ...{ kind: 'PipelineRun', id, owner: createdBy },
  amounts: { replicas: 0, cpu: 0, memory: 0, jobs: 1 },
});

export const deploymentHolding = ({ id, createdBy, spec }: Owned<Deployment>): Holding => ({
  ...{ kind: 'ModelDeployment', id, owner: createdBy },
  amounts: amountsOf(spec.resources, { replicas: Math.max(1, spec.minReplicas) }),
});
