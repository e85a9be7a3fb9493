import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import { asksForApproval } from '../../lifecycle/kinds/approvals.js';
import { hasDeployment, hasPackaging, type RunNotification } from '../../lifecycle/kinds/pipeline.js';
import type { PipelineRun, PipelineRunStatus } from '../../lifecycle/kinds/pipeline-run.js';
import type { TriggerType } from '../../lifecycle/kinds/pipeline-trigger.js';
import type { PipelineRunStore } from '../../lifecycle/stores/pipeline-runs.js';
import type { PipelineSubscriptions } from '../../notifications/stores/pipeline-subscriptions.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { advance, claim, currentResource } from '../shared/status.js';

export interface PipelineClaimDeps {
  pipelines: Pick<ResourceStore<Pipeline>, 'get'>;
  pipelineRuns: ResourceStore<PipelineRun>;
  pipelineRunStore: Pick<PipelineRunStore, 'get'>;
  pipelineSubscriptions: Pick<PipelineSubscriptions, 'ensure'>;
  audit: Pick<AuditStore, 'append' | 'list'>;
  now?: () => Date;
}

/** Workers take their time from the database's, as close as its answers are fast. */
const CLOCKS_DIFFER_MS = 10_000;

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

export function createPipelineClaimActivities(deps: PipelineClaimDeps) {
  const { pipelineRuns, now = () => new Date() } = deps;

  return {
    /** @throws as `claim`; run_failed, reason Conflict, when another run of the pipeline goes on or came after it */
    async claimPipelineRun(ref: RunRef): Promise<PipelinePlan> {
      const found = await requireTurn(deps, ref);
      await claim<PipelineRunStatus, PipelineRun>(pipelineRuns, 'pipeline', ref, now);
      await subscribeAddresses(deps, found);
      await auditStart(deps, found);
      const patch = { startedAt: now().toISOString() };
      const run = await advance<PipelineRunStatus, PipelineRun>(pipelineRuns, ref, 'running', patch, now);
      return planOf(run);
    },
  };
}

/** The steps of a run follow from its template alone. */
export function planOf(run: Pick<PipelineRun, 'spec'>): PipelinePlan {
  const { pipeline, number, trigger, template } = run.spec;
  const { metrics, serving, heldOut, approval } = template.gates;
  return {
    ...{ pipeline, number, trigger: trigger.type, modelName: template.training.model.name },
    gates: {
      metrics: metrics.length + serving.length > 0,
      heldOut: heldOut.connection !== undefined,
      ...(hasDeployment(template) && asksForApproval(approval) ? { approvalSeconds: approval.timeoutSeconds } : {}),
    },
    packaging: hasPackaging(template),
    deployment: hasDeployment(template),
  };
}

/** A retry and a new run that were asked for at the same moment both get here; only the newest may go on. */
async function requireTurn({ pipelineRuns, pipelineRunStore }: PipelineClaimDeps, ref: RunRef): Promise<PipelineRun> {
  const run = await currentResource(pipelineRuns, ref);
  const { spec } = run;
  const [before, after] = await Promise.all([
    pipelineRunStore.get(spec.pipeline, spec.number - 1),
    pipelineRunStore.get(spec.pipeline, spec.number + 1),
  ]);
  const other = after ?? (before && !isFinal(before.status.state) ? before : undefined);
  if (other) throw runFailed({ reason: 'Conflict', message: `run ${other.id} of the pipeline was started beside it` });
  return run;
}

/**
 * Notes the start of a run that no request made, with its cause. The claim is repeated until it succeeds, so that no
 * crash loses the record; the API notes the starts of its callers.
 * @param found the run before its claim
 */
async function auditStart({ audit }: PipelineClaimDeps, found: PipelineRun): Promise<void> {
  const { kind, id, spec, status, createdBy, generation } = found;
  const { type, message, at, key } = spec.trigger;
  if (type === 'api' || generation > 1) return;
  // Only an earlier claim can have noted it. The creation is too far to read back to, where many runs wait.
  const claimed = status.transitions.find(({ state }) => state === 'scheduling');
  if (claimed !== undefined) {
    const from = new Date(Date.parse(claimed.at) - CLOCKS_DIFFER_MS).toISOString();
    const noted = await audit.list({ kind, entityId: id, action: 'create', from }, { limit: 1 });
    if (noted.records.length > 0) return;
  }
  await audit.append({
    ...{ user: { sub: createdBy }, action: 'create', kind, entityId: id, generation },
    changes: [{ path: 'spec.trigger', from: null, to: { type, at, ...(message !== undefined && { message }) } }],
    requestId: `${type} ${key ?? at}`,
  });
}

/** Creates missing subscriptions before the run has an event, so a crash of the API before this point loses none. */
async function subscribeAddresses(deps: PipelineClaimDeps, { spec }: PipelineRun): Promise<void> {
  const pipeline = await deps.pipelines.get(spec.pipeline);
  if (pipeline !== undefined) await deps.pipelineSubscriptions.ensure(pipeline);
}
