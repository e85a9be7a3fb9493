import { scheduleSkipped } from '../../notifications/events/schedule-events.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { PipelineRun, PipelineRunStatus } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline, RunNotification } from '../../lifecycle/kinds/pipeline.js';
import type { Failure } from '../../platform/kinds/reasons.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import type { TriggeredRuns } from '../../lifecycle/stores/triggered-runs.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import { createPipelineApprovalActivities } from './pipeline-approval.js';
import { createPipelineChildrenActivities } from './pipeline-children.js';
import { createPipelineClaimActivities } from './pipeline-claim.js';
import { createPipelineDeploymentActivities, type PipelineDeploymentDeps } from './pipeline-deployment.js';
import { createPipelineGatesActivities, type PipelineGatesDeps } from './pipeline-gates.js';
import { createPipelineHeldOutActivities, type PipelineHeldOutDeps } from './pipeline-held-out.js';
import { createPipelinePackagingActivities, type PipelinePackagingDeps } from './pipeline-packaging.js';
import { noteStep } from './pipeline-steps.js';
import { createPipelineTrainingActivities, type PipelineTrainingDeps } from './pipeline-training.js';
import { advance, isCurrent } from '../shared/status.js';

export type { PipelinePlan } from './pipeline-claim.js';

export type PipelineDeps = PipelineTrainingDeps &
  PipelinePackagingDeps &
  PipelineGatesDeps &
  PipelineHeldOutDeps &
  PipelineDeploymentDeps & {
    pipelines: ResourceStore<Pipeline>;
    pipelineSubscriptions: Pick<PipelineSubscriptions, 'ensure'>;
    schedules: Pick<Schedules, 'remove'>;
    triggeredRuns: TriggeredRuns;
    /** The stream whose events are delivered to subscriptions. */
    pipelineEvents: Pick<EventStream, 'publish'>;
  };

export interface ScheduledTurn {
  pipelineId: string;
  /** One turn of the schedule. */
  key: string;
  /** When the schedule meant it to start. */
  at?: string | undefined;
}

/** One webhook request as 0.1.0 scheduled it. */
export interface RunNotice {
  ref: RunRef;
  notice: RunNotification;
  /** Index of the address in `notify`. */
  target: number;
}

export type PipelineActivities = ReturnType<typeof createPipelineActivities>;

/** Creates the activities of a pipeline's run. Each can be repeated; the workflow defines their order. */
export function createPipelineActivities(deps: PipelineDeps) {
  const { pipelineRuns, triggeredRuns, now = () => new Date() } = deps;

  return {
    ...createPipelineClaimActivities(deps),
    ...createPipelineTrainingActivities(deps),
    ...createPipelineGatesActivities(deps),
    ...createPipelinePackagingActivities(deps),
    ...createPipelineHeldOutActivities(deps),
    ...createPipelineDeploymentActivities(deps),
    ...createPipelineApprovalActivities(deps),
    ...createPipelineChildrenActivities(deps),

    /** Does nothing: the pipeline's subscription delivers the event. Open runs that 0.1.0 started still schedule it. */
    async notifyPipelineRun(_notice: RunNotice): Promise<void> {},

    /** Makes the run of one turn of a schedule, or says why there is none. A repeat finds the run of the first time. */
    async openScheduledRun({ pipelineId, key, at }: ScheduledTurn): Promise<{ run?: RunRef; why: string }> {
      const trigger = { type: 'schedule', at: at ?? now().toISOString(), key } as const;
      try {
        return { run: toRef(await triggeredRuns.open(pipelineId, { trigger })), why: '' };
      } catch (err) {
        if (!(err instanceof SlipwayError)) throw err;
        if (err.code === 'not_found') await deps.schedules.remove(pipelineId);
        else if (err.code !== 'not_finished' && err.code !== 'quota_exceeded') throw err;
        else await deps.pipelineEvents.publish(scheduleSkipped(pipelineId, { key, at: trigger.at, note: err.message }));
        return { why: err.message };
      }
    },

    async recordPipelineSucceeded(ref: RunRef): Promise<void> {
      const patch = { finishedAt: now().toISOString() };
      await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'succeeded', patch, now);
    },

    /** The final status; the step that was under way failed with it. */
    async recordPipelineFailed({ ref, failure }: { ref: RunRef; failure: Failure }): Promise<void> {
      const current = await pipelineRuns.get(ref.id);
      if (!isCurrent(current, ref)) return;
      const { reason, message } = failure;
      const open = current?.status.steps.find(({ state }) => state === 'running' || state === 'waiting');
      if (open) await noteStep(deps, ref, open.name, { state: 'failed', reason, message });
      const patch = { ...failure, finishedAt: now().toISOString() };
      await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'failed', patch, now);
    },
  };
}
