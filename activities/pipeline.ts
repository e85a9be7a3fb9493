import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { JobKind, RunRef } from '../resources/ids.js';
import type { Approval, PipelineRun, PipelineRunStatus } from '../resources/pipeline-run.js';
import type { TriggerType } from '../resources/pipeline-trigger.js';
import type { Notice } from '../resources/pipeline-trigger-checks.js';
import { hasDeployment, hasPackaging } from '../resources/pipeline.js';
import type { Failure } from '../resources/reasons.js';
import { SlipwayError } from '../resources/errors.js';
import { toRef } from '../resources/generation.js';
import type { Schedules } from '../resources/schedules.js';
import { isFinal } from '../resources/run-status.js';
import { createPipelineDeploymentActivities, type PipelineDeploymentDeps } from './pipeline-deployment.js';
import { createPipelineGatesActivities, type PipelineGatesDeps } from './pipeline-gates.js';
import { createNotifyActivities, type NotifyDeps } from './notify.js';
import { createPipelineHeldOutActivities, type PipelineHeldOutDeps } from './pipeline-held-out.js';
import { createPipelinePackagingActivities, type PipelinePackagingDeps } from './pipeline-packaging.js';
import { noteStep } from './pipeline-steps.js';
import { createPipelineTrainingActivities, type PipelineTrainingDeps } from './pipeline-training.js';
import { advance, claim, isCurrent } from './status.js';

export type PipelineDeps = PipelineTrainingDeps &
  PipelinePackagingDeps &
  PipelineGatesDeps &
  PipelineHeldOutDeps &
  NotifyDeps &
  PipelineDeploymentDeps & { schedules: Schedules };

export interface ScheduledTurn {
  pipelineId: string;
  /** One turn of the schedule. */
  key: string;
  /** When the schedule meant it to start. */
  at?: string | undefined;
}

/** What the workflow needs to know of a run: which steps it has, never its data. */
export interface PipelinePlan {
  pipeline: string;
  number: number;
  trigger: TriggerType;
  modelName: string;
  gates: { metrics: boolean; heldOut: boolean; approvalSeconds?: number };
  packaging: boolean;
  deployment: boolean;
  /** Places in `notify` of the addresses that hear of each event. */
  notify: Record<Notice, number[]>;
}

export type PipelineActivities = ReturnType<typeof createPipelineActivities>;

/** Effects of a pipeline's run, each of them repeatable; their order is the workflow's affair. */
export function createPipelineActivities(deps: PipelineDeps) {
  const { pipelineRuns, now = () => new Date() } = deps;

  return {
    ...createPipelineTrainingActivities(deps),
    ...createPipelineGatesActivities(deps),
    ...createPipelinePackagingActivities(deps),
    ...createPipelineHeldOutActivities(deps),
    ...createPipelineDeploymentActivities(deps),
    ...createNotifyActivities(deps),

    /** @throws as `claim` */
    async claimPipelineRun(ref: RunRef): Promise<PipelinePlan> {
      await claim<PipelineRunStatus, PipelineRun>(pipelineRuns, 'pipeline', ref, now);
      const patch = { startedAt: now().toISOString() };
      const run = await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'running', patch, now);
      const { pipeline, number, trigger, template } = run.spec;
      const { metrics, serving, heldOut, approval } = template.gates;
      const hear = (notice: Notice): number[] =>
        template.notify.flatMap(({ on }, at) => (on.length === 0 || on.includes(notice) ? [at] : []));
      return {
        ...{ pipeline, number, trigger: trigger.type, modelName: template.training.model.name },
        gates: {
          metrics: metrics.length + serving.length > 0,
          heldOut: heldOut.connection !== undefined,
          ...(approval.required ? { approvalSeconds: approval.timeoutSeconds } : {}),
        },
        packaging: hasPackaging(template),
        deployment: hasDeployment(template),
        notify: { succeeded: hear('succeeded'), failed: hear('failed'), waiting: hear('waiting') },
      };
    },

    /** Makes the run of one turn of a schedule, or says why there is none. A repeat finds the run of the first time. */
    async openScheduledRun({ pipelineId, key, at }: ScheduledTurn): Promise<{ run?: RunRef; why: string }> {
      const trigger = { type: 'schedule', at: at ?? now().toISOString(), key } as const;
      try {
        return { run: toRef(await deps.pipelineRunStore.open(pipelineId, { trigger })), why: '' };
      } catch (err) {
        if (!(err instanceof SlipwayError)) throw err;
        if (err.code === 'not_found') await deps.schedules.remove(pipelineId);
        else if (err.code !== 'not_finished') throw err;
        return { why: err.message };
      }
    },

    async beginPipelineApproval(ref: RunRef): Promise<void> {
      await noteStep(deps, ref, 'approval', { state: 'waiting' });
    },

    /** A decision is kept before the person who made it hears of it. */
    async recordPipelineApproval({ ref, approval }: { ref: RunRef; approval: Approval }): Promise<void> {
      const { decision, by, reason } = approval;
      const rejected = { state: 'failed', reason: 'Rejected', message: `rejected by ${by}: ${reason}` } as const;
      const end = decision === 'approved' ? ({ state: 'succeeded' } as const) : rejected;
      await noteStep(deps, ref, 'approval', end, { approval });
    },

    async recordPipelineSucceeded(ref: RunRef): Promise<void> {
      const patch = { finishedAt: now().toISOString() };
      await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'succeeded', patch, now);
    },

    /** Waits for a child that somebody else started, to whatever end. */
    async awaitPipelineChild({ kind, child }: { kind: JobKind; child: RunRef }): Promise<void> {
      const store = { training: deps.trainings, packaging: deps.packagings, pipeline: pipelineRuns }[kind];
      for (;;) {
        heartbeat();
        const current = await store.get(child.id);
        if (current === undefined || !isCurrent(current, child) || isFinal(current.status.state)) return;
        await sleep(deps.pollMs ?? 250, undefined, { signal: cancellationSignal() });
      }
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
