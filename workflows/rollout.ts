import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Verdict } from '../activities/deployment/bake.js';
import type { DeploymentActivities } from '../activities/deployment/deployment.js';
import type { BothRevisions, RolloutActivities } from '../activities/deployment/rollout.js';
import type { RolloutSpec, RolloutStatus } from '../lifecycle/kinds/rollout.js';
import { createProgress, type Progress } from './details.js';
import { failureOf } from './failure.js';
import { phase } from './phases.js';
import { openRolloutDesk, type RolloutDesk } from './rollout-desk.js';

const { recordRollout } = proxyActivities<RolloutActivities>(phase('record', 'record the state of the rollout'));
const { withdrawCandidate } = proxyActivities<RolloutActivities>(
  phase('change', 'send all traffic to the stable revision'),
);
const { countCandidate } = proxyActivities<RolloutActivities>(phase('start', 'count the calls of the candidate'));
const { superviseRevision } = proxyActivities<DeploymentActivities>(
  phase('supervise', 'keep the replicas of the stable revision running'),
);
const { publishRevision } = proxyActivities<DeploymentActivities>(
  phase('start', 'send all traffic to the new revision'),
);

export interface RolloutInput extends BothRevisions {
  plan: RolloutSpec;
}

export type RolloutEnd = { outcome: 'promoted' } | { outcome: 'rolledBack'; message: string };

/** Moves the calls of a deployment to a new revision step by step, or back when they go badly there. */
export async function rollout({ stable, candidate, plan }: RolloutInput): Promise<RolloutEnd> {
  const { ref } = candidate;
  const desk = openRolloutDesk(ref.generation);
  const progress = createProgress(`Rollout of deployment ${ref.id}, generation ${ref.generation}`, stepsOf(plan));
  const status: RolloutStatus = {
    ...{ state: 'baking', step: 1, steps: plan.steps.length },
    ...{ weight: plan.steps[0]?.weight ?? 0, stable: stable.ref.generation },
  };
  const record = (change: Partial<RolloutStatus>): Promise<void> =>
    recordRollout({ ref, rollout: Object.assign(status, change) });
  const both = { stable, candidate };

  const rollBack = async (message: string): Promise<RolloutEnd> => {
    await withdrawCandidate(both);
    await record({ state: 'rolledBack', weight: 0, message });
    progress.fail({ reason: 'RolledBack', message });
    const watch = new CancellationScope();
    const watched = watch.run(() => superviseRevision(stable)).catch(() => undefined);
    const counted = await countCandidate(both);
    watch.cancel();
    await watched;
    const whole = `${message}; ${counted.failed} of the ${counted.requests} requests that the candidate got failed`;
    await record({ message: whole, ...counted });
    progress.fail({ reason: 'RolledBack', message: whole });
    return { outcome: 'rolledBack', message: whole };
  };

  try {
    const why = await takeSteps({ both, plan, desk, progress, record });
    // From here on a change of the deployment waits: one of the two revisions has all traffic then.
    return await CancellationScope.nonCancellable(async () => {
      if (why !== undefined) return rollBack(why);
      progress.begin('promote');
      await publishRevision(candidate);
      await record({ state: 'promoted', weight: 100 });
      progress.finish();
      return { outcome: 'promoted' };
    });
  } catch (err) {
    return await CancellationScope.nonCancellable(async () => {
      if (!isCancellation(err)) return rollBack(failureOf(err).message);
      await withdrawCandidate(both);
      progress.fail(failureOf(err));
      throw err;
    });
  }
}

interface Steps {
  both: BothRevisions;
  plan: RolloutSpec;
  desk: RolloutDesk;
  progress: Progress;
  record: (change: Partial<RolloutStatus>) => Promise<void>;
}

/** @returns why the candidate is not promoted, if it is not */
async function takeSteps({ both, plan, desk, progress, record }: Steps): Promise<string | undefined> {
  for (const [at, { weight, seconds }] of plan.steps.entries()) {
    const { bakeRollout } = proxyActivities<RolloutActivities>(phase('bake', `send ${weight} % to the candidate`));
    const name = nameOf(at);
    for (let rest = seconds, isOver = false; !isOver;) {
      if (desk.decision?.action === 'abort') return `aborted by ${desk.decision.by}`;
      if (desk.decision?.action === 'promote') return undefined;
      if (desk.paused) progress.waitFor('resume, promote or abort: it is paused');
      else progress.begin(name);
      const began = Date.now();
      const isPaused = desk.paused;
      const verdict = await desk.untilAsked<Verdict>(async () => {
        await record({ state: isPaused ? 'paused' : 'baking', step: at + 1, weight });
        return bakeRollout({ ...both, weight, ...(!isPaused && { seconds: rest }) });
      });
      if (verdict === undefined) {
        if (!isPaused) rest = Math.max(1, rest - Math.floor((Date.now() - began) / 1_000));
        continue;
      }
      if (verdict.outcome === 'breached') return verdict.message;
      if (verdict.outcome === 'quiet') {
        if (plan.onNoTraffic === 'abort') return verdict.message;
        if (plan.onNoTraffic === 'hold') desk.paused = true;
        progress.note(verdict.message);
        await record({ message: verdict.message });
      }
      isOver = !desk.paused;
      rest = seconds;
    }
  }
  return desk.decision?.action === 'abort' ? `aborted by ${desk.decision.by}` : undefined;
}

const nameOf = (at: number): string => `step ${at + 1}`;

const stepsOf = ({ steps }: RolloutSpec): Record<string, string> => ({
  ...Object.fromEntries(
    steps.map(({ weight, seconds }, at) => [nameOf(at), `${weight} % of the calls for ${seconds} s`] as const),
  ),
  promote: 'all calls',
});
