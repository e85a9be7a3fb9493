import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { JobKind, RunKind } from '../../platform/kinds/ids.js';
import type { Done, LoopItem } from '../../platform/kinds/loop-items.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import { isFinal, RUN_STATES, type RunStatus } from '../../platform/kinds/run-status.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { ListCondition } from '../../platform/stores/resource-index.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { createRouteSweep, type RouteSweepDeps } from '../deployment/route-sweep.js';
import { createImportSweep, type ImportSweepDeps } from '../imports/import-sweep.js';
import { createSubscriptionSweep, type SubscriptionSweepDeps } from '../notifications/subscription-sweep.js';
import { createPipelineSweep, type PipelineSweepDeps } from '../pipeline/pipeline-sweep.js';
import { type RoundOptions, type RoundPart, runTurn, SOME_AT_ONCE, within } from './round.js';

export interface SweepDeps extends PipelineSweepDeps, ImportSweepDeps, RouteSweepDeps, SubscriptionSweepDeps {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  pipelineRuns: ResourceStore<PipelineRun>;
  inferenceJobs: ResourceStore<InferenceJob>;
  runs: Runs;
  engine: EngineDriver;
  /** Brings into the lists, by kind, what writers committed before they died. */
  heals: ReadonlyMap<string, () => Promise<number>>;
  /** How long a document may wait for its run before the sweep starts it. */
  graceMs?: number;
  now?: () => Date;
  metrics?: Pick<RoundOptions, 'onDone' | 'onSkipped'>;
}

const KINDS: readonly RunKind[] = ['training', 'packaging', 'deployment', 'pipeline', 'batchJob'];

const REPLACED_MS = 15 * 60_000;

export type SweepActivities = ReturnType<typeof createSweepActivities>;
type Found = Awaited<ReturnType<EngineDriver['find']>>[number];
type RunResource = AnyResource & { status: RunStatus };

const FIND_MS = 30_000;
const PAGE = 500;

/** Closes the gap between the document and its run: a crash, or Temporal out of reach, between the two heals here. */
export function createSweepActivities(deps: SweepDeps) {
  const { runs, isOpen, engine, heals, graceMs = 30_000, now = () => new Date(), metrics } = deps;

  const stores = {
    training: deps.trainings,
    packaging: deps.packagings,
    pipeline: deps.pipelineRuns,
    batchJob: deps.inferenceJobs,
    deployment: deps.deployments,
  };
  const storeOf = (kind: RunKind): { get(id: string): Promise<AnyResource | undefined> } => stores[kind];

  const isWaiting = async (kind: RunKind, resource: AnyResource): Promise<boolean> =>
    now().getTime() - Date.parse(resource.updatedAt) > graceMs && !(await isOpen(kind, resource.id));

  /** A run that ends meanwhile moves a later one to the page before: the next round finds it. */
  async function* sweepRuns(kind: JobKind): AsyncGenerator<LoopItem> {
    const where: ListCondition[] = [{ field: 'status.state', in: RUN_STATES.filter((state) => !isFinal(state)) }];
    for (let skip = 0, isLast = false; !isLast; skip += PAGE) {
      const { items } = await stores[kind].page({ where, skip, limit: PAGE });
      for (const resource of items) yield { name: resource.id, act: () => repairRun(kind, resource) };
      isLast = items.length < PAGE;
    }
  }

  async function repairRun(kind: JobKind, resource: RunResource): Promise<Done> {
    if (await isWaiting(kind, resource)) {
      await runs.changed(kind, resource);
      return { runs_started: 1 };
    }
    if (resource.cancelRequestedAt === undefined) return undefined;
    await runs.cancel(kind, toRef(resource));
    return { runs_canceled: 1 };
  }

  async function* sweepDeployments(): AsyncGenerator<LoopItem> {
    for (const resource of await deps.deployments.list()) {
      const act = async () => {
        if (!(await isWaiting('deployment', resource))) return undefined;
        await runs.changed('deployment', resource);
        return { runs_started: 1 };
      };
      yield { name: resource.id, act };
    }
  }

  async function* sweepContainers(): AsyncGenerator<LoopItem> {
    // An engine that hangs must not hold up the next round.
    const found = await within(FIND_MS, () => engine.find({}));
    for (const each of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      yield { name: each.name, act: () => repairContainer(each) };
    }
  }

  /**
   * Containers of resources that are gone, and of runs whose undo did not get to them. While a run is open they are its
   * own task, but a run whose resource is gone gets a signal to end.
   */
  async function repairContainer(handle: Found): Promise<Done> {
    const { kind, id, uid } = handle.labels;
    if (!isRunKind(kind) || id === undefined || uid === undefined) return undefined;
    const resource = await storeOf(kind).get(id);
    const isOwned = resource?.uid === uid;
    const isReplaced =
      isOwned &&
      (kind === 'deployment' ? isReplacedReplica(handle, resource as Deployment) : isEarlier(handle, resource));
    if (isOwned && !isReplaced && (kind === 'deployment' || !isOver(resource))) return undefined;
    if (isReplaced || !(await isOpen(kind, id))) {
      await engine.remove(handle);
      return { containers_removed: 1 };
    }
    if (resource !== undefined) return undefined;
    const ref = { id, uid, generation: Number(handle.labels.generation) };
    // The workflow of a deployment looks for itself, and removes what it started.
    await (kind === 'deployment' ? runs.changed(kind, ref) : runs.cancel(kind, ref));
    return { runs_canceled: 1 };
  }

  /** Whether a replica neither serves nor starts, for longer than a retirement lasts that was not given up. */
  function isReplacedReplica({ labels }: Found, { generation, serving, updatedAt }: Deployment): boolean {
    const own = Number(labels.generation);
    const isUnused = own < generation && own !== serving?.ref.generation;
    return isUnused && now().getTime() - Date.parse(updatedAt) >= REPLACED_MS;
  }

  function* healLists(): Generator<LoopItem> {
    for (const [kind, heal] of heals) {
      const act = async () => {
        const healed = await heal();
        return healed === 0 ? undefined : { resources_healed: healed };
      };
      yield { name: kind, act };
    }
  }

  // Starts of runs come first: they depend on nothing that the other parts repair.
  const parts: readonly RoundPart[] = [
    { name: 'training', items: () => sweepRuns('training'), atOnce: SOME_AT_ONCE },
    { name: 'packaging', items: () => sweepRuns('packaging'), atOnce: SOME_AT_ONCE },
    { name: 'pipeline run', items: () => sweepRuns('pipeline'), atOnce: SOME_AT_ONCE },
    { name: 'batch job', items: () => sweepRuns('batchJob'), atOnce: SOME_AT_ONCE },
    { name: 'deployment', items: sweepDeployments, atOnce: SOME_AT_ONCE },
    { name: 'import', items: createImportSweep(deps) },
    ...createPipelineSweep(deps),
    { name: 'route', items: createRouteSweep(deps), atOnce: SOME_AT_ONCE },
    { name: 'subscription', items: createSubscriptionSweep(deps), atOnce: SOME_AT_ONCE },
    { name: 'container', items: sweepContainers },
    { name: 'list', items: healLists },
  ];

  return {
    sweep: (from?: RoundPosition): Promise<RoundResult> => runTurn(parts, { from, ...metrics }),
  };
}

/** Whether a run of an earlier generation left it: the undo of that run gave up. */
const isEarlier = ({ labels }: Found, { generation }: AnyResource): boolean => Number(labels.generation) < generation;

/** Whether a training, a packaging or a batch job has ended. */
const isOver = ({ status }: AnyResource): boolean => 'state' in status && isFinal((status as RunStatus).state);

function isRunKind(name: string | undefined): name is RunKind {
  return name !== undefined && KINDS.some((kind) => kind === name);
}
