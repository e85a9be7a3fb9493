import { cancellationSignal, heartbeat, log } from '@temporalio/activity';
import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { describe, visibleMessage } from '../shared/failures.js';
import { whileLeased } from '../shared/lease.js';
import type { DeploymentDeps } from './deployment-deps.js';
import { createDeploymentStatus } from './deployment-status.js';
import { epochOfAttempt, requireRoute } from './endpoint-publication.js';
import { shareReports } from './gateway-load.js';
import { createLookPace } from './look-pace.js';
import { createPausedMemory } from './paused-memory.js';
import { keepingImage } from './revision.js';
import { DEFAULT_TIMES, openSupervision, type RouteBeside } from './supervision.js';
import { type Aim, superviseReplicas } from './supervisor.js';

/** Gateways report each second. */
const REPORTS_MS = 500;

export interface Serving {
  revision: Revision;
  /** A revision that stays in the route beside this one. */
  beside?: RouteBeside;
  /** Ends the work beside a cancellation. */
  until?: AbortSignal;
  /** Called with the replicas that take requests, on every change. */
  onReady?: (ready: Replica[]) => void;
}

/** Keeps the replicas of revisions running and routed, one attempt each. */
export function createServing(deps: DeploymentDeps) {
  const { deployments, endpoints, logs, pollMs = 1_000, now = () => new Date() } = deps;
  const { wakePort, times = DEFAULT_TIMES } = deps;
  const pausedMemory = createPausedMemory(deps.pausedBytes);
  const pace = createLookPace({ leastMs: pollMs });
  const reports = shareReports(() => deps.routeReaders.reports(), REPORTS_MS);
  const { record } = createDeploymentStatus({ deployments, now });

  /** @throws run_failed, CrashLoop */
  return async function serve({ revision, beside, until, onReady }: Serving): Promise<never> {
    const { id } = revision.ref;
    const engine = keepingImage(deps, revision, cancellationSignal());
    const supervision = await openSupervision({ endpoints, engine, reports, wakePort, times, now }, revision, beside);
    const { publish, scaling, isDrained } = supervision;
    const measured = deps.meter.watch(revision);
    const onChange = async (ready: Replica[], { count, rest }: Aim): Promise<void> => {
      onReady?.(ready);
      measured.serve(ready, count);
      await publish(ready, rest);
      const least = scaling === undefined || count === 0 ? count : Math.max(1, revision.scale?.min ?? 1);
      const state = ready.length >= least ? 'Ready' : 'Processing';
      await record(revision.ref, { state, replicas: count, availableReplicas: ready.length });
    };
    const holdRoute = async (ready: Replica[], { rest }: Aim): Promise<void> => {
      if (!(await endpoints.holds(id, epochOfAttempt()))) await publish(ready, rest);
    };
    const mayRestart = async (): Promise<void> => {
      await requireRoute(endpoints, id, epochOfAttempt());
      measured.restarted();
    };
    const onSkipped = (replica: string, err: unknown): void => {
      const facts = { replica, message: visibleMessage(err), cause: describe(err) };
      log.warn('a replica was skipped; the next look tries it again', facts);
    };
    const watched = pace.enter(scaling?.count ?? revision.replicas);
    const close = supervision.open();
    return whileLeased(deps.renewLease, (lease) =>
      superviseReplicas({
        ...{ engine, logs, revision, readySeconds: deps.readySeconds, pollMs: pace.pollMs, beat: () => heartbeat() },
        ...{ onChange, holdRoute, mayRestart, onSkipped, onCount: watched, onReady: supervision.answer, isDrained },
        diskBytes: deps.replicaDiskBytes,
        signal: until ? AbortSignal.any([lease, until]) : lease,
        ...(scaling && { scaling, stopMs: times.stopMs, pausedMemory }),
      }),
    ).finally(() => {
      close();
      watched();
      measured.end();
    });
  };
}
