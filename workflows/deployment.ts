import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeploymentActivities } from '../activities/deployment.js';
import type { RunRef } from '../resources/ids.js';
import type { Revision } from '../resources/revision.js';
import { createProgress } from './details.js';
import { failureOf } from './failure.js';
import { changedSignal } from './generations.js';
import { phase } from './phases.js';

const { readDeployment, recordDeploymentFailed, withdrawEndpoint, removeDeployment } =
  proxyActivities<DeploymentActivities>(phase('record'));
const { startRevision } = proxyActivities<DeploymentActivities>(
  phase('start', 'pull the image and start the replicas'),
);
const { publishRevision } = proxyActivities<DeploymentActivities>(
  phase('start', 'wait for the replicas, then send traffic'),
);
const { superviseRevision } = proxyActivities<DeploymentActivities>(phase('supervise', 'keep the replicas running'));
const { retireReplicas } = proxyActivities<DeploymentActivities>(phase('retire', 'stop replicas that serve no more'));

/** What a deployment carries from one run of its workflow to the next. */
export interface DeploymentState {
  ref: RunRef;
  /** What serves now. */
  serving?: Revision;
  /** The generation that was tried last, with or without success. */
  attempted?: number;
}

/** Serves a deployment from its creation to its deletion; a new generation replaces the old one when it is ready. */
export async function deployment(state: DeploymentState): Promise<void> {
  const { id, uid } = state.ref;
  let { serving, attempted } = state;
  const inbox: { changed?: RunRef } = {};
  const latest = (): RunRef | undefined => inbox.changed;
  let interrupt: (() => void) | undefined;
  setHandler(
    changedSignal,
    (ref) => {
      inbox.changed = ref;
      interrupt?.();
    },
    { description: 'the stored deployment was changed or marked for deletion' },
  );
  /** Runs `work` until it ends or the stored deployment changes. */
  const untilChanged = async (work: () => Promise<void>): Promise<void> => {
    if (inbox.changed) return;
    const scope = new CancellationScope();
    interrupt = () => scope.cancel();
    await scope.run(work).catch((err: unknown) => {
      if (!(isCancellation(err) && inbox.changed)) throw err;
    });
    interrupt = undefined;
  };

  for (;;) {
    delete inbox.changed;
    const wanted = await readDeployment({ id, uid });
    if (wanted.deleted) break;
    const ref = { id, uid, generation: wanted.generation };
    const progress = createProgress(`Deployment ${id}, generation ${ref.generation}`, ['start', 'serve']);
    try {
      if (attempted !== ref.generation) {
        attempted = ref.generation;
        progress.begin('start');
        await untilChanged(async () => {
          const revision = await startRevision(ref);
          await publishRevision(revision);
          serving = revision;
        });
        if (inbox.changed) continue;
        await retireReplicas({ id, uid, keep: serving?.ref.generation });
      }
      progress.begin('serve', serving && `image ${serving.image}`);
      await untilChanged(() => (serving ? superviseRevision(serving) : condition(() => inbox.changed !== undefined)));
    } catch (err) {
      // Canceled from outside: the replicas go on serving, and the sweep starts this workflow again.
      if (isCancellation(err)) throw err;
      const failure = failureOf(err);
      progress.fail(`${failure.reason}: ${failure.message}`);
      const broken = serving?.ref.generation === ref.generation;
      await CancellationScope.nonCancellable(async () => {
        await recordDeploymentFailed({ ref, failure });
        if (broken) await withdrawEndpoint({ id, uid });
        await retireReplicas({ id, uid, keep: broken ? undefined : serving?.ref.generation });
      });
      if (broken) serving = undefined;
    }
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof deployment>({ ref, serving, attempted });
  }

  await withdrawEndpoint({ id, uid });
  await retireReplicas({ id, uid });
  await removeDeployment({ id, uid });
  // The id may have been created anew while the old one was being removed.
  const changed = latest();
  if (changed !== undefined && changed.uid !== uid) return continueAsNew<typeof deployment>({ ref: changed });
}
