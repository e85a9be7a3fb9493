import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { DeploymentActivities } from '../activities/deployment/deployment.js';
import type { RolloutActivities } from '../activities/deployment/rollout.js';
import type { Takeover } from '../activities/deployment/guard.js';
import { phase } from './phases.js';

const { guardRevision } = proxyActivities<DeploymentActivities>(
  phase('bake', 'keep the replicas running, and watch their calls'),
);
const { withdrawCandidate } = proxyActivities<RolloutActivities>(
  phase('change', 'send all traffic to the former revision'),
);

/** Watches over a revision that took over at once. @returns why the traffic went back to the former one, if it did */
export async function guardTakeover(takeover: Takeover): Promise<string | undefined> {
  const verdict = await guardRevision(takeover);
  if (verdict.outcome === 'passed') return undefined;
  const { former, revision } = takeover;
  // If it fails, the supervision of the former revision sends the traffic back.
  await CancellationScope.nonCancellable(() => withdrawCandidate({ stable: former, candidate: revision })).catch(
    () => undefined,
  );
  return `${verdict.message}; generation ${former.ref.generation} serves again`;
}
