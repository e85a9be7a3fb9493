import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { DeploymentActivities } from '../activities/deployment/deployment.js';
import type { RunRef } from '../platform/kinds/ids.js';
import { phase } from './phases.js';

const { retireReplicas } = proxyActivities<DeploymentActivities>(phase('retire', 'stop replaced replicas'));

/**
 * Stops the replicas that others have replaced. A failure leaves them to the next change or to the sweep: it must not
 * end the serving.
 */
export function createRetirement({ id, uid }: Pick<RunRef, 'id' | 'uid'>) {
  let scope = new CancellationScope();
  let ended: Promise<void> = Promise.resolve();
  return {
    /** @param keep the generation whose replicas stay @param former one more */
    begin(keep?: number, former?: number): Promise<void> {
      // A cancellation of the workflow leaves the replicas as they are, and must not stop this half-way.
      ended = CancellationScope.nonCancellable(() => {
        scope = new CancellationScope();
        return scope.run(() => retireReplicas({ id, uid, keep, former }));
      }).catch(() => undefined);
      return ended;
    },
    /** Before other replicas start: which of them go was decided without those. */
    async end(): Promise<void> {
      scope.cancel();
      await ended;
    },
  };
}
