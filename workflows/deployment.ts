import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeploymentActivities } from '../activities/deployment/deployment.js';
import type { Takeover } from '../activities/deployment/guard.js';
import type { RunRef } from '../platform/kinds/ids.js';
import type { Revision } from '../lifecycle/kinds/revision.js';
import type { RolloutSpec } from '../lifecycle/kinds/rollout.js';
import { createProgress, logOf, type Progress } from './details.js';
import { failureOf } from './failure.js';
import { changedSignal } from './generations.js';
import { phase } from './phases.js';
import { createRetirement } from './retirement.js';
import { rolledBack, rollOut } from './rollout-child.js';
import { guardTakeover } from './takeover-guard.js';

const { readDeployment } = proxyActivities<DeploymentActivities>(phase('record', 'read the stored deployment'));
const { recordDeploymentFailed } = proxyActivities<DeploymentActivities>(phase('record', 'record the failure'));
const { withdrawEndpoint } = proxyActivities<DeploymentActivities>(phase('record', 'stop sending traffic'));
const { removeDeployment } = proxyActivities<DeploymentActivities>(phase('record', 'remove the stored deployment'));
const { startRevision } = proxyActivities<DeploymentActivities>(
  phase('start', 'pull the image, start the replicas, wait for them'),
);
const { publishRevision } = proxyActivities<DeploymentActivities>(phase('start', 'send traffic to the replicas'));
const SUPERVISE = phase('supervise', 'keep the replicas running');
const { superviseRevision } = proxyActivities<DeploymentActivities>(SUPERVISE);
const { superviseRevision: superviseToItsEnd } = proxyActivities<DeploymentActivities>({
  ...SUPERVISE,
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/**
 * Open runs of an earlier release wait for the retirement before they supervise; see `docs/decisions`. To be deprecated
 * once none of them is open, and removed a release later.
 */
const RETIRES_BESIDE = 'retires-beside-serving';
/** As above: their next step waits for the end of the supervision. */
const LEAVES_SUPERVISION = 'leaves-supervision';
/** As above: after a start that a change interrupted, the revision before it counts as the one that serves. */
const KEEPS_PUBLISHED = 'keeps-published';
/** As above: a start that a change interrupts is no failure, however it ends: its worker may be gone. */
const INTERRUPTS_ANY_END = 'interrupts-any-end';

const STEPS = {
  start: 'pull the image, start the replicas, send traffic once they are ready',
  serve: 'keep the replicas running',
} as const;

/** The state that a deployment carries from one run of its workflow to the next. */
export interface DeploymentState {
  ref: RunRef;
  /** The revision that serves now. */
  serving?: Revision;
  /** The generation whose start came to an end last, with or without success. */
  attempted?: number;
  /** The generation whose start a change interrupted last: it may have got the traffic before. */
  interrupted?: number;
  /** The revision that takes the traffic back when the one that serves collapses until then. */
  guard?: Pick<Takeover, 'former' | 'untilMs'>;
}

/** Serves a deployment from its creation to its deletion; a new generation replaces the old one when it is ready. */
export async function deployment(state: DeploymentState): Promise<void> {
  const { id, uid } = state.ref;
  let { serving, attempted, interrupted, guard } = state;
  // A message says only that the resource must be read again; a repeated one costs one read.
  const inbox = { latest: state.ref, unread: false, interrupt: () => {} };
  setHandler(
    changedSignal,
    (ref) => {
      inbox.latest = ref;
      inbox.unread = true;
      inbox.interrupt();
    },
    { description: 'the stored deployment was changed or marked for deletion' },
  );
  /** Runs `work` until it ends or the stored deployment changes. */
  const untilChanged = async (work: () => Promise<void>): Promise<void> => {
    if (inbox.unread) return;
    const scope = new CancellationScope();
    inbox.interrupt = () => scope.cancel();
    await scope.run(work).catch((err: unknown) => {
      if (!(isCancellation(err) && inbox.unread)) throw err;
    });
  };
  const retirement = createRetirement({ id, uid });
  /** Stops replaced replicas while the new ones serve: a container that cannot be removed must not delay later changes. */
  const retire = async (keep: number | undefined, former?: number): Promise<void> => {
    const ended = retirement.begin(keep, former);
    if (!patched(RETIRES_BESIDE)) await ended; // as 0.1.0 did
  };

  let shown: { generation: number; progress: Progress } | undefined;

  for (;;) {
    inbox.unread = false;
    const wanted = await readDeployment({ id, uid });
    if (wanted.deleted) break;
    // Nothing was tried here yet: an older generation may serve since a run of this workflow that was lost.
    const older = wanted.serving?.ref.generation !== wanted.generation;
    if (attempted === undefined && older) serving ??= wanted.serving;
    // The route is written before the step that writes it ends: without this, the revision before would get it back.
    const isPublished = interrupted !== undefined && wanted.serving?.ref.generation === interrupted;
    if (isPublished && patched(KEEPS_PUBLISHED)) serving = wanted.serving;
    interrupted = undefined;
    const ref = { id, uid, generation: wanted.generation };
    if (shown?.generation !== ref.generation) {
      const progress = createProgress(`Deployment ${id}, generation ${ref.generation}`, STEPS);
      shown = { generation: ref.generation, progress };
    }
    const { progress } = shown;
    try {
      if (attempted !== ref.generation) {
        progress.begin('start', logOf('deployment', id));
        await untilChanged(async () => {
          await retirement.end();
          const { rollout: plan, guardSeconds = 0 } = wanted;
          const former = guardSeconds > 0 && serving?.ref.generation !== ref.generation ? serving : undefined;
          // A change ended a guard: what that kept must not stay for as long as this start takes.
          if (guard && serving) await retire(serving.ref.generation, ref.generation);
          guard = undefined;
          serving = await replace(serving, ref, { plan, former })
            .catch((err: unknown) => {
              const isInterrupted = inbox.unread && !isCancellation(err) && patched(INTERRUPTS_ANY_END);
              throw isInterrupted ? new CancelledFailure('the deployment changed meanwhile') : err;
            })
            .finally(() => retirement.end());
          attempted = ref.generation;
          guard = former && { former, untilMs: Date.now() + guardSeconds * 1_000 };
        });
        if (attempted === ref.generation) await retire(ref.generation, guard?.former.ref.generation);
        else interrupted = ref.generation;
      }
      // After a start that a change interrupted, the message is unread: this waits for nothing.
      if (attempted === ref.generation) showServing(progress, serving);
      if (guard && serving) {
        const takeover = { ...guard, revision: serving };
        await untilChanged(async () => {
          const breach = await guardTakeover(takeover);
          guard = undefined;
          await retirement.end();
          if (breach === undefined) return;
          // As after a failed start.
          [serving, attempted] = [takeover.former, undefined];
          throw rolledBack(breach);
        });
        if (!guard) await retire(ref.generation);
      }
      await untilChanged(() => (serving ? supervise(serving) : condition(() => inbox.unread)));
    } catch (err) {
      // Canceled from outside: the replicas go on serving, and the sweep starts this workflow again.
      if (isCancellation(err)) throw err;
      const failure = failureOf(err);
      progress.fail(failure);
      // A failed start leaves the serving revision alone; a failure after the start is one of the serving revision.
      if (attempted === ref.generation) serving = undefined;
      attempted = ref.generation;
      await CancellationScope.nonCancellable(async () => {
        if (!serving) await withdrawEndpoint({ id, uid });
        await recordDeploymentFailed({ ref, failure });
        await retire(serving?.ref.generation);
      });
    }
    if (workflowInfo().continueAsNewSuggested) {
      await retirement.end();
      return continueAsNew<typeof deployment>({ ref: state.ref, serving, attempted, interrupted, guard });
    }
  }

  await withdrawEndpoint({ id, uid });
  await retirement.end();
  await retirement.begin();
  await removeDeployment({ id, uid });
  shown?.progress.finish('removed');
  // The id may have been created again while the old deployment was being removed.
  if (inbox.latest.uid !== uid) return continueAsNew<typeof deployment>({ ref: inbox.latest });
}

function showServing(progress: Progress, serving: Revision | undefined): void {
  if (serving) progress.begin('serve', `generation ${serving.ref.generation} serves: ${serving.image}`);
  else progress.waitFor('a change of the deployment; nothing serves');
}

/**
 * Keeps the replicas of a revision running until it is canceled. Its attempt may hear of that late: until then a newer
 * attempt, of any step, has the route, and the old one writes and starts nothing.
 */
function supervise(revision: Revision): Promise<void> {
  return patched(LEAVES_SUPERVISION) ? superviseRevision(revision) : superviseToItsEnd(revision); // as 0.1.0 did
}

/** Starts a generation and sends traffic to it, step by step with a plan. The serving revision stays supervised until then. */
async function replace(
  serving: Revision | undefined,
  ref: RunRef,
  { plan, former }: { plan: RolloutSpec | undefined; former: Revision | undefined },
): Promise<Revision> {
  const watch = new CancellationScope();
  const watched = serving && watch.run(() => supervise(serving)).catch(() => undefined);
  const revision = await startRevision(ref).finally(async () => {
    watch.cancel();
    await watched;
  });
  if (plan && serving) await rollOut({ stable: serving, candidate: revision, plan });
  else await publishRevision(revision, former);
  return revision;
}
