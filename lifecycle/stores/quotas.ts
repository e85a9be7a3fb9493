import { RUN_STATES, isFinal } from '../../platform/kinds/run-status.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { ListQuery } from '../../platform/stores/resource-index.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { Deployment } from '../kinds/deployment.js';
import type { InferenceJob } from '../kinds/inference-job.js';
import type { Packaging } from '../kinds/packaging.js';
import type { PipelineRun } from '../kinds/pipeline-run.js';
import { admit, type Holding, QUOTA_NAMES, type QuotaLimits, type QuotaName } from '../kinds/quota.js';
import type { Training } from '../kinds/training.js';
import { artifactHolding, deploymentHolding, inferenceHolding, jobHolding, runHolding } from './holdings.js';
import type { KeptHoldings } from './kept-holdings.js';

export interface QuotasOptions {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  inferenceJobs: ResourceStore<InferenceJob>;
  limits: QuotaLimits;
  /** Answers without reading all deployments and trainings; by default they are read. */
  kept?: Pick<KeptHoldings, 'of'>;
}

/** Holdings of another part of the platform, and the amounts that they have. */
export interface HoldingSource {
  names: readonly QuotaName[];
  holdings: () => Promise<readonly Holding[]>;
}

/** The amounts that owners hold, and their limits. */
export interface Quotas {
  limits: QuotaLimits;
  holdings(): Promise<Holding[]>;
  /** Counts the holdings of another part of the platform from now on. */
  include(source: HoldingSource): void;
  /**
   * Admits a resource and counts it until it is released: by then it is stored, or will not be. Exact in this process;
   * several processes together may admit as much too much as they store at the same moment.
   * @throws quota_exceeded
   */
  reserve(wanted: Holding): Promise<() => void>;
}

/** No limit is near it: each resource holds something. */
const ALL = 1_000_000;
const OPEN: Where = [{ field: 'status.state', in: RUN_STATES.filter((state) => !isFinal(state)) }];
const SUCCEEDED: Where = [{ field: 'status.state', in: ['succeeded'] }];
type Where = ListQuery['where'];

export function createQuotas({
  trainings,
  packagings,
  deployments,
  pipelineRuns,
  inferenceJobs,
  limits,
  kept,
}: QuotasOptions): Quotas {
  const sources: HoldingSource[] = [];
  const reserved = new Set<Holding>();
  let turn: Promise<unknown> = Promise.resolve();

  const readAll = async <E extends AnyResource>(store: ResourceStore<E>, where: Where) =>
    (await store.page({ where, skip: 0, limit: ALL })).items;

  /** A deployment holds its replicas in every state. */
  const ofDeployments = async (): Promise<readonly Holding[]> =>
    (await kept?.of('ModelDeployment')) ?? (await readAll(deployments, [])).map(deploymentHolding);
  const ofArtifacts = async (): Promise<readonly Holding[]> =>
    (await kept?.of('ModelTraining')) ??
    (await readAll(trainings, SUCCEEDED)).flatMap((each) => artifactHolding(each) ?? []);

  /** Reads what is open by the index of states, and of the rest what has one of these amounts. */
  async function holdings(names: readonly QuotaName[] = QUOTA_NAMES): Promise<Holding[]> {
    const has = (...some: QuotaName[]): boolean => some.some((name) => names.includes(name));
    const isAboutJobs = has('replicas', 'cpu', 'memory', 'jobs', 'storage');
    const [runs, openTrainings, openPackagings, openInferences, replicas, artifacts, ...others] = await Promise.all([
      isAboutJobs ? readAll(pipelineRuns, OPEN) : [],
      isAboutJobs ? readAll(trainings, OPEN) : [],
      isAboutJobs ? readAll(packagings, OPEN) : [],
      isAboutJobs ? readAll(inferenceJobs, OPEN) : [],
      has('replicas', 'cpu', 'memory') ? ofDeployments() : [],
      has('storage') ? ofArtifacts() : [],
      ...sources.map((source) => (has(...source.names) ? source.holdings() : [])),
    ]);
    const ofRuns = new Set(runs.map(({ id }) => id));
    // A run and its training or packaging, which bears its id, are one job.
    const jobsOf = (id: string) => (ofRuns.has(id) ? 0 : 1);
    return [
      ...runs.map(runHolding),
      ...[...openTrainings, ...openPackagings].map((job) => jobHolding(job, jobsOf(job.id))),
      ...openInferences.map(inferenceHolding),
      ...[replicas, artifacts, ...others].flat(),
    ];
  }

  async function decide(wanted: Holding): Promise<() => void> {
    // One that is released while the usage is read may or may not be in it.
    const pending = [...reserved];
    const stored = await holdings(QUOTA_NAMES.filter((name) => wanted.amounts[name] > 0));
    const isStored = ({ kind, id }: Holding) => stored.some((each) => each.kind === kind && each.id === id);
    admit({ wanted, holdings: [...stored, ...pending.filter((each) => !isStored(each))], limits });
    reserved.add(wanted);
    return () => void reserved.delete(wanted);
  }

  return {
    limits,
    holdings: () => holdings(),
    include: (source) => void sources.push(source),
    reserve(wanted) {
      const decision = turn.then(() => decide(wanted));
      turn = decision.catch(() => undefined);
      return decision;
    },
  };
}
