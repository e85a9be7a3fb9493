import { heartbeat } from '@temporalio/activity';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { JobKind, RunKind } from '../../platform/kinds/ids.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import { isFinal, type RunStatus } from '../../platform/kinds/run-status.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { type ImportSweepDeps, sweepImports } from '../imports/import-sweep.js';
import { type PipelineSweepDeps, sweepPipelines } from '../pipeline/pipeline-sweep.js';

export interface SweepDeps extends PipelineSweepDeps, ImportSweepDeps {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  deployments: ResourceStore<Deployment>;
  pipelineRuns: ResourceStore<PipelineRun>;
  runs: Runs;
  /** Whether the resource's workflow is open. */
  isOpen: (kind: RunKind, id: string) => Promise<boolean>;
  engine: EngineDriver;
  /** Brings the stores in order first: what dead writers left half done, and what is past its time. */
  upkeep?: () => Promise<void>;
  /** How long a document may wait for its run before the sweep starts it. */
  graceMs?: number;
  now?: () => Date;
}

/** The repairs of one sweep; normally none. */
export interface Swept {
  started: number;
  canceled: number;
  removed: number;
}

type Found = Awaited<ReturnType<EngineDriver['find']>>[number];

export type SweepActivities = ReturnType<typeof createSweepActivities>;

/** Closes the gap between the document and its run: a crash, or Temporal out of reach, between the two heals here. */
export function createSweepActivities(deps: SweepDeps) {
  const { trainings, packagings, deployments, pipelineRuns, runs, isOpen, engine } = deps;
  const { upkeep = async () => {}, graceMs = 30_000, now = () => new Date() } = deps;

  const stores = { training: trainings, packaging: packagings, deployment: deployments, pipeline: pipelineRuns };
  const storeOf = (kind: RunKind): { get(id: string): Promise<AnyResource | undefined> } => stores[kind];

  const isWaiting = async (kind: RunKind, resource: AnyResource): Promise<boolean> =>
    now().getTime() - Date.parse(resource.updatedAt) > graceMs && !(await isOpen(kind, resource.id));

  async function sweepRuns(
    kind: JobKind,
    resources: (AnyResource & { status: RunStatus })[],
    swept: Swept,
  ): Promise<void> {
    for (const resource of resources.filter(({ status }) => !isFinal(status.state))) {
      heartbeat();
      if (await isWaiting(kind, resource)) {
        await runs.changed(kind, toRef(resource));
        swept.started += 1;
      } else if (resource.cancelRequestedAt !== undefined) {
        await runs.cancel(kind, toRef(resource));
        swept.canceled += 1;
      }
    }
  }

  async function sweepDeployments(resources: Deployment[], swept: Swept): Promise<void> {
    for (const resource of resources) {
      heartbeat();
      if (!(await isWaiting('deployment', resource))) continue;
      await runs.changed('deployment', toRef(resource));
      swept.started += 1;
    }
  }

  /**
   * Containers of resources that are gone, and of runs whose undo did not get to them. While a run is open they are its
   * own task, but a run whose resource is gone gets a signal to end.
   */
  async function sweepContainers(found: Found[], known: Map<string, AnyResource>, swept: Swept): Promise<void> {
    for (const handle of found) {
      heartbeat();
      const { kind, id, uid } = handle.labels;
      if (!isRunKind(kind) || id === undefined || uid === undefined) continue;
      const resource = known.get(uid);
      if (resource !== undefined && (kind === 'deployment' || !isOver(resource))) continue;
      if (!(await isOpen(kind, id))) {
        await engine.remove(handle);
        swept.removed += 1;
      } else if ((await storeOf(kind).get(id)) === undefined) {
        const ref = { id, uid, generation: Number(handle.labels.generation) };
        // The workflow of a deployment looks for itself, and removes what it started.
        await (kind === 'deployment' ? runs.changed(kind, ref) : runs.cancel(kind, ref));
        swept.canceled += 1;
      }
    }
  }

  return {
    async sweep(): Promise<Swept> {
      const swept: Swept = { started: 0, canceled: 0, removed: 0 };
      const kept = await upkeep().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      // Containers first: one of a resource that is created after the resources are read must not look orphaned.
      const found = await engine.find({});
      const all = await Promise.all([trainings.list(), packagings.list(), deployments.list(), pipelineRuns.list()]);
      const known = new Map<string, AnyResource>(all.flat().map((resource) => [resource.uid, resource]));
      await sweepRuns('training', all[0], swept);
      await sweepRuns('packaging', all[1], swept);
      await sweepRuns('pipeline', all[3], swept);
      await sweepDeployments(all[2], swept);
      swept.started += await sweepPipelines(deps);
      await sweepContainers(found, known, swept);
      const { started, canceled } = await sweepImports(deps);
      swept.started += started;
      swept.canceled += canceled;
      // Last: a failure to tidy up must not keep runs from starting.
      if (kept !== undefined) throw kept.error;
      return swept;
    },
  };
}

/** Whether a training or packaging has ended. */
const isOver = ({ status }: AnyResource): boolean => 'state' in status && isFinal((status as RunStatus).state);

function isRunKind(name: string | undefined): name is RunKind {
  return name === 'training' || name === 'packaging' || name === 'deployment' || name === 'pipeline';
}
