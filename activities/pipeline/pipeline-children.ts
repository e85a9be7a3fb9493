import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { JobKind, RunRef } from '../../platform/kinds/ids.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { Runs } from '../../platform/kinds/runs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { currentResource, isCurrent } from '../shared/status.js';
import { cancelChild } from './pipeline-child.js';

export interface PipelineChildrenDeps {
  trainings: ResourceStore<Training>;
  packagings: ResourceStore<Packaging>;
  pipelineRuns: ResourceStore<PipelineRun>;
  runs: Runs;
  pollMs?: number;
  now?: () => Date;
}

type ChildKind = Exclude<JobKind, 'batchJob'>;

export function createPipelineChildrenActivities(deps: PipelineChildrenDeps) {
  const { pipelineRuns, now = () => new Date() } = deps;

  return {
    /** Waits until a child ends that another caller started, or whose workflow was lost. */
    async awaitPipelineChild({ kind, child }: { kind: ChildKind; child: RunRef }): Promise<void> {
      const store = { training: deps.trainings, packaging: deps.packagings, pipeline: pipelineRuns }[kind];
      for (let signaled = false; ; signaled = true) {
        heartbeat();
        const current = await store.get(child.id);
        if (current === undefined || !isCurrent(current, child) || isFinal(current.status.state)) return;
        // An open workflow of an older generation has not heard of this one, and one that is gone is started again.
        if (!signaled) await deps.runs.changed(kind, current);
        await sleep(deps.pollMs ?? 250, undefined, { signal: cancellationSignal() });
      }
    },

    /** Ends what works for the run and would go on without it: a child that was stored, but not started by the run. */
    async cancelPipelineChildren(ref: RunRef): Promise<void> {
      const run = await currentResource(pipelineRuns, ref);
      if (isFinal(run.status.state)) return; // a second start of what has ended
      const found = {
        training: await cancelChild(deps.trainings, run, 'training', now()),
        packaging: await cancelChild(deps.packagings, run, 'packaging', now()),
      };
      for (const kind of ['training', 'packaging'] as const) {
        const child = found[kind];
        if (child === undefined) continue;
        // Where no workflow is open, one is started, which finds that it was canceled and says so.
        await deps.runs.changed(kind, { ...child, createdBy: run.createdBy });
        await deps.runs.cancel(kind, child);
      }
    },
  };
}
