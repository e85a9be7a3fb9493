import {
  CancellationScope,
  executeChild,
  patched,
  proxyActivities,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { PipelineActivities, PipelinePlan } from '../activities/pipeline/pipeline.js';
import { type RunRef, workflowId } from '../platform/kinds/ids.js';
import type { RunNotification } from '../lifecycle/kinds/pipeline.js';
import { type ApprovalDesk, openApprovalDesk } from './approval.js';
import { childOptions } from './children.js';
import { createProgress, logOf, type Progress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';
import type { packaging } from './packaging.js';
import type { training } from './training.js';

const { claimPipelineRun } = proxyActivities<PipelineActivities>(phase('record', 'claim this generation'));
const { resolvePipelineSource } = proxyActivities<PipelineActivities>(
  phase('fetch', 'resolve the reference to a commit'),
);
const { preparePipelineTraining } = proxyActivities<PipelineActivities>(
  phase('fetch', 'reuse a training or create one'),
);
const { preparePipelinePackaging } = proxyActivities<PipelineActivities>(
  phase('fetch', 'reuse an image or create a packaging'),
);
const { concludePipelineTraining, concludePipelinePackaging } = proxyActivities<PipelineActivities>(
  phase('record', 'record the result of the child run'),
);
const { awaitPipelineChild } = proxyActivities<PipelineActivities>(phase('await', 'wait for the child run'));
const { cancelPipelineChildren } = proxyActivities<PipelineActivities>(phase('undo', 'cancel child runs'));
const { checkPipelineMetrics } = proxyActivities<PipelineActivities>(
  phase('record', 'compare metrics with limits and the serving model'),
);
const { checkPipelineHeldOut } = proxyActivities<PipelineActivities>(
  phase('package', 'check the image with held-out samples'),
);
const { notifyPipelineRun } = proxyActivities<PipelineActivities>(phase('notify', 'notify an address of the pipeline'));
const { beginPipelineApproval } = proxyActivities<PipelineActivities>(phase('record', 'request an approval'));
const { recordPipelineApproval } = proxyActivities<PipelineActivities>(phase('record', 'record the decision'));
const { applyPipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('change', 'set the image of the deployment'),
);
const { awaitPipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('await', 'wait until the new revision serves'),
);
const { restorePipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('undo', 'restore the former spec of the deployment'),
);
const { recordPipelineSucceeded, recordPipelineFailed } = proxyActivities<PipelineActivities>(
  phase('record', 'record the result'),
);

/** All steps that a run can have. The plan says which of them it has. */
// prettier-ignore
const STEPS = {
  resolve:    'resolve the reference to a commit',
  training:   'train the model',
  metrics:    'compare metrics with limits and the serving model',
  packaging:  'build the image and push it',
  heldOut:    'check the image with held-out samples',
  approval:   'wait for an approval',
  deployment: 'deploy the image; the former revision serves until it is ready',
} as const;

/** Takes one stored run of a pipeline from its commit to traffic. */
export async function pipeline(ref: RunRef): Promise<void> {
  // Runs that 0.1.0 started send their webhooks by activities, which do nothing any more but are part of their histories.
  const hasNotices = !patched('notify-by-subscription');
  const desk = openApprovalDesk(ref.generation, (approval) => recordPipelineApproval({ ref, approval }));
  return followGenerations(ref, async () => {
    let progress = createProgress(`Pipeline run ${ref.id}`, {});
    let notices: Notices | undefined;
    try {
      const plan = await CancellationScope.nonCancellable(() => claimPipelineRun(ref));
      progress = createProgress(`Run ${plan.number} of pipeline ${plan.pipeline}`, stepsOf(plan));
      notices = hasNotices ? createNotices(ref, plan, progress) : undefined;
      describeRun(plan);
      await promote(ref, plan, { desk, progress, notices });
      notices?.send('succeeded');
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(failure);
      await CancellationScope.nonCancellable(async () => {
        // After a conflict the child runs belong to the other run.
        const undo = failure.reason === 'Conflict' ? [] : [cancelPipelineChildren];
        await Promise.all([...undo, restorePipelineDeployment].map((act) => act(ref).catch(() => undefined)));
        await recordPipelineFailed({ ref, failure });
        notices?.send('failed');
      });
      throw runFailure(failure, err);
    } finally {
      await CancellationScope.nonCancellable(async () => notices?.settled());
    }
  });
}

/** The webhook activities of runs that 0.1.0 started, kept so that their histories replay. */
interface Notices {
  /** Schedules one activity per address of this event. Only the end of the workflow waits for them. */
  send(notice: RunNotification): void;
  /** Waits until all activities have ended. */
  settled(): Promise<void>;
}

function createNotices(ref: RunRef, { notify }: PipelinePlan, progress: Progress): Notices {
  const sent: Promise<void>[] = [];
  const send = (notice: RunNotification, target: number): Promise<void> =>
    CancellationScope.nonCancellable(() => notifyPipelineRun({ ref, notice, target })).catch((err: unknown) =>
      progress.note(`address ${target + 1} of notify was not notified: ${failureOf(err).message}`),
    );
  return {
    send: (notice) => void sent.push(...(notify?.[notice] ?? []).map((target) => send(notice, target))),
    settled: async () => void (await Promise.all(sent)),
  };
}

interface Tools {
  notices: Notices | undefined;
  desk: ApprovalDesk;
  progress: Progress;
}

async function promote(ref: RunRef, plan: PipelinePlan, { desk, progress, notices }: Tools): Promise<void> {
  progress.begin('resolve', { text: 'details:', command: `slipway describe ${workflowId('pipeline', ref.id)}` });
  const commit = await resolvePipelineSource(ref);
  progress.begin('training', ...(commit === '' ? [] : [`commit ${commit}`]));
  const trained = await preparePipelineTraining(ref);
  if (trained.reusedFrom) progress.note(`training reused from ${trained.reusedFrom}`);
  if (trained.child) {
    progress.note(logOf('training', trained.child.id, 'log of the training:'));
    await runChild<typeof training>('training', trained.child, plan);
  }
  await concludePipelineTraining({ ref, child: trained.child });
  if (plan.gates.metrics) {
    progress.begin('metrics');
    for (const { message } of await checkPipelineMetrics(ref)) progress.note(message);
  }
  if (plan.packaging) await pack(ref, plan, progress);
  if (plan.gates.approvalSeconds !== undefined) {
    const { by, reason } = await desk.wait(plan.gates.approvalSeconds, async () => {
      await beginPipelineApproval(ref);
      progress.begin('approval', { text: 'decide with:', command: `slipway approve ${ref.id} --reason ...` });
      notices?.send('waiting');
    });
    progress.note(`approved by ${by}: ${reason}`);
  }
  if (plan.deployment) {
    progress.begin('deployment');
    const target = await applyPipelineDeployment(ref);
    progress.note(`deployment/${target.id}, generation ${target.generation}`);
    await awaitPipelineDeployment({ ref, target });
  }
  await CancellationScope.nonCancellable(() => recordPipelineSucceeded(ref));
  progress.finish();
}

async function pack(ref: RunRef, plan: PipelinePlan, progress: Progress): Promise<void> {
  progress.begin('packaging');
  const packed = await preparePipelinePackaging(ref);
  if (packed.reusedFrom) progress.note(`image reused from ${packed.reusedFrom}`);
  if (packed.child) {
    progress.note(logOf('packaging', packed.child.id, 'log of the packaging:'));
    await runChild<typeof packaging>('packaging', packed.child, plan);
  }
  await concludePipelinePackaging({ ref, child: packed.child });
  if (!plan.gates.heldOut) return;
  progress.begin('heldOut');
  for (const { message } of await checkPipelineHeldOut(ref)) progress.note(message);
}

/**
 * Runs a child to its end. Its resource says how it ended, so a failed or canceled child throws nothing here. A child that
 * another caller started, or whose workflow was lost, is waited for.
 */
async function runChild<Workflow extends (ref: RunRef) => Promise<string>>(
  kind: 'training' | 'packaging',
  child: RunRef,
  plan: PipelinePlan,
): Promise<void> {
  try {
    await executeChild<Workflow>(kind, {
      ...childOptions(kind, child, plan),
      args: [child] as Parameters<Workflow>,
    });
  } catch (err) {
    if (CancellationScope.current().consideredCancelled) throw err;
    await awaitPipelineChild({ kind, child });
  }
}

function describeRun({ pipeline: pipelineId, trigger, modelName }: PipelinePlan): void {
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.pipelineId, value: pipelineId },
    { key: SEARCH_ATTRIBUTES.trigger, value: trigger },
    { key: SEARCH_ATTRIBUTES.modelName, value: modelName },
  ]);
}

function stepsOf({ gates, packaging, deployment }: PipelinePlan): Partial<typeof STEPS> {
  const { resolve, training } = STEPS;
  return {
    ...{ resolve, training },
    ...(gates.metrics ? { metrics: STEPS.metrics } : {}),
    ...(packaging ? { packaging: STEPS.packaging } : {}),
    ...(gates.heldOut ? { heldOut: STEPS.heldOut } : {}),
    ...(gates.approvalSeconds === undefined ? {} : { approval: STEPS.approval }),
    ...(deployment ? { deployment: STEPS.deployment } : {}),
  };
}
