import { CancellationScope, executeChild, proxyActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { PipelineActivities, PipelinePlan } from '../activities/pipeline/pipeline.js';
import type { RunRef } from '../platform/kinds/ids.js';
import type { RunNotification } from '../lifecycle/kinds/pipeline.js';
import { type ApprovalDesk, openApprovalDesk } from './approval.js';
import { childOptions } from './children.js';
import { createProgress, type Progress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';
import type { packaging } from './packaging.js';
import type { training } from './training.js';

const { claimPipelineRun } = proxyActivities<PipelineActivities>(phase('record', 'take up this generation'));
const { resolvePipelineSource } = proxyActivities<PipelineActivities>(
  phase('prepare', 'resolve the reference to a commit'),
);
const { preparePipelineTraining } = proxyActivities<PipelineActivities>(
  phase('prepare', 'reuse a training, or store the one to run'),
);
const { preparePipelinePackaging } = proxyActivities<PipelineActivities>(
  phase('prepare', 'reuse an image, or store the packaging to run'),
);
const { concludePipelineTraining, concludePipelinePackaging } = proxyActivities<PipelineActivities>(
  phase('record', 'take over the result'),
);
const { awaitPipelineChild } = proxyActivities<PipelineActivities>(phase('await', 'wait for the run that goes on'));
const { cancelPipelineChildren } = proxyActivities<PipelineActivities>(phase('undo', 'end what works for the run'));
const { checkPipelineMetrics } = proxyActivities<PipelineActivities>(
  phase('record', 'hold the metrics against their limits and the serving model'),
);
const { checkPipelineHeldOut } = proxyActivities<PipelineActivities>(
  phase('package', 'the image answers the held-out samples'),
);
const { notifyPipelineRun } = proxyActivities<PipelineActivities>(phase('notify', 'tell an address of the pipeline'));
const { beginPipelineApproval } = proxyActivities<PipelineActivities>(phase('record', 'ask for an approval'));
const { recordPipelineApproval } = proxyActivities<PipelineActivities>(phase('record', 'keep the decision'));
const { applyPipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('change', 'give the image to the deployment'),
);
const { awaitPipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('await', 'wait until the new revision serves'),
);
const { restorePipelineDeployment } = proxyActivities<PipelineActivities>(
  phase('undo', 'give the deployment its former spec back'),
);
const { recordPipelineSucceeded, recordPipelineFailed } = proxyActivities<PipelineActivities>(
  phase('record', 'record how it ended'),
);

/** Every step a run can have; which of them it has, its plan says. */
// prettier-ignore
const STEPS = {
  resolve:    'resolve the reference to a commit',
  training:   'train the model',
  metrics:    'hold its metrics against limits and what serves',
  packaging:  'build the image and push it',
  heldOut:    'let the image answer the held-out samples',
  approval:   'wait for an approval',
  deployment: 'deploy it; what serves goes on until it is ready',
} as const;

/** Takes one stored run of a pipeline from its commit to traffic. */
export async function pipeline(ref: RunRef): Promise<void> {
  const desk = openApprovalDesk(ref.generation, (approval) => recordPipelineApproval({ ref, approval }));
  return followGenerations(ref, async () => {
    let progress = createProgress(`Pipeline run ${ref.id}`, {});
    let notices: Notices | undefined;
    try {
      const plan = await CancellationScope.nonCancellable(() => claimPipelineRun(ref));
      progress = createProgress(`Run ${plan.number} of pipeline ${plan.pipeline}`, stepsOf(plan));
      notices = createNotices(ref, plan, progress);
      describeRun(plan);
      await promote(ref, plan, { desk, progress, notices });
      notices.tell('succeeded');
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(failure);
      await CancellationScope.nonCancellable(async () => {
        // After a conflict the child is somebody else's affair.
        const undo = failure.reason === 'Conflict' ? [] : [cancelPipelineChildren];
        await Promise.all([...undo, restorePipelineDeployment].map((act) => act(ref).catch(() => undefined)));
        await recordPipelineFailed({ ref, failure });
        notices?.tell('failed');
      });
      throw runFailure(failure, err);
    } finally {
      await CancellationScope.nonCancellable(async () => notices?.told());
    }
  });
}

interface Notices {
  /**
   * Begins to tell every address that wants to hear of it; nothing waits for that but the end of the workflow. One that
   * does not answer is noted, and changes nothing.
   */
  tell(notice: RunNotification): void;
  /** All that began has ended. */
  told(): Promise<void>;
}

function createNotices(ref: RunRef, { notify }: PipelinePlan, progress: Progress): Notices {
  const sent: Promise<void>[] = [];
  const send = (notice: RunNotification, target: number): Promise<void> =>
    CancellationScope.nonCancellable(() => notifyPipelineRun({ ref, notice, target })).catch((err: unknown) =>
      progress.note(`address ${target + 1} of notify was not told: ${failureOf(err).message}`),
    );
  return {
    tell: (notice) => void sent.push(...notify[notice].map((target) => send(notice, target))),
    told: async () => void (await Promise.all(sent)),
  };
}

interface Tools {
  notices: Notices;
  desk: ApprovalDesk;
  progress: Progress;
}

async function promote(ref: RunRef, plan: PipelinePlan, { desk, progress, notices }: Tools): Promise<void> {
  progress.begin('resolve', `resource: /api/v1/model/pipeline/${plan.pipeline}/run/${plan.number}`);
  const commit = await resolvePipelineSource(ref);
  progress.begin('training', ...(commit === '' ? [] : [`commit ${commit}`]));
  const trained = await preparePipelineTraining(ref);
  if (trained.reusedFrom) progress.note(`training reused from ${trained.reusedFrom}`);
  if (trained.child) {
    progress.note(`log of the training: /api/v1/model/training/${trained.child.id}/log`);
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
      notices.tell('waiting');
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
    progress.note(`log of the packaging: /api/v1/model/packaging/${packed.child.id}/log`);
    await runChild<typeof packaging>('packaging', packed.child, plan);
  }
  await concludePipelinePackaging({ ref, child: packed.child });
  if (!plan.gates.heldOut) return;
  progress.begin('heldOut');
  for (const { message } of await checkPipelineHeldOut(ref)) progress.note(message);
}

/**
 * Runs a child to its end. How it ended, the document says: a child that failed or was canceled by itself is no error
 * here, and one that somebody else started, or whose workflow was lost, is waited for.
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
