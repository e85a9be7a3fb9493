import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { sumOfCalls } from '../../lifecycle/kinds/revision-calls.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { RolloutStatus } from '../../lifecycle/kinds/rollout.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { whileBeating } from '../shared/heartbeat.js';
import { bake, type Verdict } from './bake.js';
import type { DeploymentDeps } from './deployment-deps.js';
import { createDeploymentStatus } from './deployment-status.js';
import { epochOfAttempt, publishEndpoint, replicasIn, requireRoute } from './endpoint-publication.js';
import { createGatewayWait } from './gateway-wait.js';

/** The revision that serves, and the one that is to take over. */
export interface BothRevisions {
  stable: Revision;
  candidate: Revision;
}

/** One step of a rollout. */
export interface BakeStep extends BothRevisions {
  /** Percent of the calls that the candidate gets. */
  weight: number;
  /** Absent: until it is canceled. */
  seconds?: number;
}

/** Calls that are not over after this are not waited for to be counted; their replica is kept for longer. */
const MOST_COUNT_MS = 15_000;

export type RolloutActivities = ReturnType<typeof createRolloutActivities>;

/** Effects of a rollout, each of them repeatable. */
export function createRolloutActivities(deps: DeploymentDeps) {
  const {
    endpoints,
    engine,
    logs,
    routeReaders,
    readySeconds,
    replicaDiskBytes,
    pollMs = 1_000,
    now = () => new Date(),
  } = deps;
  const { record, recordServing } = createDeploymentStatus({ deployments: deps.deployments, now });
  const untilDrained = createGatewayWait(deps);

  return {
    /** Sends calls to both revisions by weight, and judges the candidate. A repeat goes on where the last attempt ended. */
    async bakeRollout({ stable, candidate, weight, seconds }: BakeStep): Promise<Verdict> {
      const { id } = stable.ref;
      const [epoch, signal] = [epochOfAttempt(), cancellationSignal()];
      const beaten: unknown = activityInfo().heartbeatDetails;
      const measured = { stable: deps.meter.watch(stable), candidate: deps.meter.watch(candidate) };
      return bake({
        ...{ engine, logs, stable, candidate, seconds, readySeconds, replicaDiskBytes, pollMs, signal },
        bakedMs: typeof beaten === 'number' ? beaten : 0,
        beat: (bakedMs) => heartbeat(bakedMs),
        publish: (ready) => {
          measured.stable.serve(ready.stable, stable.replicas);
          measured.candidate.serve(ready.candidate, candidate.replicas);
          const other = { revision: candidate, replicas: ready.candidate, weight };
          return publishEndpoint(endpoints, {
            ...{ revision: stable, replicas: ready.stable, candidate: other, route: { epoch }, signal },
          });
        },
        holdsRoute: () => endpoints.holds(id, epoch),
        requireRoute: () => requireRoute(endpoints, id, epoch),
        allServe: () => routeReaders.allServe(id, epoch),
        readCalls: () => routeReaders.callsOf(id),
      }).finally(() => {
        measured.stable.end();
        measured.candidate.end();
      });
    },

    /** Sends all calls to the stable revision. Its replicas are those that served last. */
    async withdrawCandidate({ stable }: BothRevisions): Promise<void> {
      const replicas = replicasIn(await endpoints.get(stable.ref.id), stable);
      await publishEndpoint(endpoints, {
        ...{ revision: stable, replicas, route: { epoch: epochOfAttempt() }, signal: cancellationSignal() },
      });
      await recordServing(stable.ref, stable);
    },

    /** Counts the calls that the candidate got, once it gets no more. */
    async countCandidate({ candidate }: BothRevisions): Promise<{ requests: number; failed: number }> {
      const { id, uid, generation } = candidate.ref;
      return whileBeating(async () => {
        const found = await engine.find({ kind: 'deployment', id, uid, generation: String(generation) });
        const names = found.map(({ name }) => name);
        await untilDrained(id, names, MOST_COUNT_MS);
        const known = [...(await routeReaders.callsOf(id)).values()].flatMap((calls) => calls[generation] ?? []);
        const { requests, failed } = sumOfCalls(known);
        return { requests, failed };
      });
    },

    async recordRollout({ ref, rollout }: { ref: RunRef; rollout: RolloutStatus }): Promise<void> {
      await record(ref, { rollout });
    },
  };
}
