import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { scheduleSkipped } from '../../notifications/events/schedule-events.js';
import type { JobKind, RunRef } from '../../platform/kinds/ids.js';
import type { Approval, PipelineRun, PipelineRunStatus } from '../../lifecycle/kinds/pipeline-run.js';
import type { TriggerType } from '../../lifecycle/kinds/pipeline-trigger.js';
import { hasDeployment, hasPackaging, type Pipeline, type RunNotification } from '../../lifecycle/kinds/pipeline.js';
import { type Failure, runFailed } from '../../platform/kinds/reasons.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson, toRef } from '../../platform/kinds/generation.js';
import type { Schedules } from '../../lifecycle/kinds/schedules.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import { cancelChild } from './pipeline-child.js';
import { createPipelineDeploymentActivities, type PipelineDeploymentDeps } from './pipeline-deployment.js';
import { createPipelineGatesActivities, type PipelineGatesDeps } from './pipeline-gates.js';
import { createPipelineHeldOutActivities, type PipelineHeldOutDeps } from './pipeline-held-out.js';
import { createPipelinePackagingActivities, type PipelinePackagingDeps } from './pipeline-packaging.js';
import { noteStep } from './pipeline-steps.js';
import { createPipelineTrainingActivities, type PipelineTrainingDeps } from './pipeline-training.js';
import { advance, claim, currentResource, isCurrent } from '../shared/status.js';

export type PipelineDeps = PipelineTrainingDeps &
  PipelinePackagingDeps &
  PipelineGatesDeps &
  PipelineHeldOutDeps &
  PipelineDeploymentDeps & {
    pipelines: ResourceStore<Pipeline>;
    pipelineSubscriptions: Pick<PipelineSubscriptions, 'ensure'>;
    schedules: Schedules;
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

/** The steps of a run, for its workflow; never its data. */
export interface PipelinePlan {
  pipeline: string;
  number: number;
  trigger: TriggerType;
  modelName: string;
  gates: { metrics: boolean; heldOut: boolean; approvalSeconds?: number };
  packaging: boolean;
  deployment: boolean;
  /** Indexes in `notify` of the addresses for each event. Only plans of runs that 0.1.0 claimed have it. */
  notify?: Record<RunNotification, number[]>;
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
  const { pipelineRuns, pipelineRunStore, now = () => new Date() } = deps;

  /** A retry and a new run that were asked for at the same moment both get here; only the newest may go on. */
  async function requireTurn(ref: RunRef): Promise<void> {
    const { spec } = await currentResource(pipelineRuns, ref);
    const [before, after] = await Promise.all([
      pipelineRunStore.get(spec.pipeline, spec.number - 1),
      pipelineRunStore.get(spec.pipeline, spec.number + 1),
    ]);
    const other = after ?? (before && !isFinal(before.status.state) ? before : undefined);
    if (other)
      throw runFailed({ reason: 'Conflict', message: `run ${other.id} of the pipeline was started beside it` });
  }

  /** Creates missing subscriptions before the run has an event, so a crash of the API before this point loses none. */
  async function subscribeAddresses(ref: RunRef): Promise<void> {
    const { spec } = await currentResource(pipelineRuns, ref);
    const pipeline = await deps.pipelines.get(spec.pipeline);
    if (pipeline !== undefined) await deps.pipelineSubscriptions.ensure(pipeline);
  }

  return {
    ...createPipelineTrainingActivities(deps),
    ...createPipelineGatesActivities(deps),
    ...createPipelinePackagingActivities(deps),
    ...createPipelineHeldOutActivities(deps),
    ...createPipelineDeploymentActivities(deps),

    /** @throws as `claim`; run_failed, reason Conflict, when another run of the pipeline goes on or came after it */
    async claimPipelineRun(ref: RunRef): Promise<PipelinePlan> {
      await requireTurn(ref);
      await claim<PipelineRunStatus, PipelineRun>(pipelineRuns, 'pipeline', ref, now);
      await subscribeAddresses(ref);
      const patch = { startedAt: now().toISOString() };
      const run = await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'running', patch, now);
      const { pipeline, number, trigger, template } = run.spec;
      const { metrics, serving, heldOut, approval } = template.gates;
      return {
        ...{ pipeline, number, trigger: trigger.type, modelName: template.training.model.name },
        gates: {
          metrics: metrics.length + serving.length > 0,
          heldOut: heldOut.connection !== undefined,
          ...(approval.required ? { approvalSeconds: approval.timeoutSeconds } : {}),
        },
        packaging: hasPackaging(template),
        deployment: hasDeployment(template),
      };
    },

    /** Does nothing: the pipeline's subscription delivers the event. Open runs that 0.1.0 started still schedule it. */
    async notifyPipelineRun(_notice: RunNotice): Promise<void> {},

    /** Makes the run of one turn of a schedule, or says why there is none. A repeat finds the run of the first time. */
    async openScheduledRun({ pipelineId, key, at }: ScheduledTurn): Promise<{ run?: RunRef; why: string }> {
      const trigger = { type: 'schedule', at: at ?? now().toISOString(), key } as const;
      try {
        return { run: toRef(await pipelineRunStore.open(pipelineId, { trigger })), why: '' };
      } catch (err) {
        if (!(err instanceof SlipwayError)) throw err;
        if (err.code === 'not_found') await deps.schedules.remove(pipelineId);
        else if (err.code !== 'not_finished') throw err;
        else await deps.pipelineEvents.publish(scheduleSkipped(pipelineId, { key, at: trigger.at, note: err.message }));
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
      const { status } = await noteStep(deps, ref, 'approval', end, { approval });
      // A run that has ended keeps nothing.
      if (!isSameJson(status.approval, approval)) {
        throw new SlipwayError('not_waiting', `run ${ref.id} has ended before the decision was kept`);
      }
    },

    async recordPipelineSucceeded(ref: RunRef): Promise<void> {
      const patch = { finishedAt: now().toISOString() };
      await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'succeeded', patch, now);
    },

    /** Waits until a child ends that another caller started, or whose workflow was lost. */
    async awaitPipelineChild({ kind, child }: { kind: JobKind; child: RunRef }): Promise<void> {
      const store = { training: deps.trainings, packaging: deps.packagings, pipeline: pipelineRuns }[kind];
      for (let signaled = false; ; signaled = true) {
        heartbeat();
        const current = await store.get(child.id);
        if (current === undefined || !isCurrent(current, child) || isFinal(current.status.state)) return;
        // An open workflow of an older generation has not heard of this one, and one that is gone is started again.
        if (!signaled) await deps.runs.changed(kind, child);
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
        await deps.runs.changed(kind, child);
        await deps.runs.cancel(kind, child);
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
