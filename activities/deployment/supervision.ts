import { cancellationSignal } from '@temporalio/activity';
import type { Replica, Rest } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import type { GatewayReport } from '../../lifecycle/stores/route-readers.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { autoscalerSettings } from './autoscaler.js';
import { epochOfAttempt, publishEndpoint } from './endpoint-publication.js';
import { areDrained, createLoadMeter } from './gateway-load.js';
import { findReplicas, viewReplica } from './replica.js';
import { createScaling, type Scaling } from './scaling.js';
import type { WakePort } from './wake-port.js';

/** The times after which the replicas of an installation follow its calls. */
export interface ScalingTimes {
  stableMs: number;
  /** Without a call for so long, the last replica is paused. */
  pauseMs: number;
  /** Paused for so long, it is stopped. */
  stopMs: number;
}

export const DEFAULT_TIMES: ScalingTimes = { stableMs: 60_000, pauseMs: 60_000, stopMs: 600_000 };

interface SupervisionDeps {
  endpoints: EndpointStore;
  engine: EngineDriver;
  reports: () => Promise<GatewayReport[]>;
  wakePort: WakePort | undefined;
  times: ScalingTimes;
  now: () => Date;
}

/** A revision that gets calls only while the one that is supervised has no replica. */
export interface RouteBeside {
  revision: Revision;
  replicas: Replica[];
}

/** The route of one attempt that supervises, and the number of replicas that it decides. */
export async function openSupervision(deps: SupervisionDeps, revision: Revision, beside?: RouteBeside) {
  const { endpoints, engine, reports, wakePort, times, now } = deps;
  const { id } = revision.ref;
  let route = { epoch: epochOfAttempt(), version: 0 };
  const settings = autoscalerSettings({ stableMs: times.stableMs, idleMs: times.pauseMs });
  const scaling = await openScaling();

  async function openScaling(): Promise<Scaling | undefined> {
    const { scale: bounds, suspended } = revision;
    if (bounds === undefined || suspended || (bounds.min > 0 && bounds.max === bounds.min)) return undefined;
    const meter = createLoadMeter(id);
    const readLoad = async () => meter(await reports(), now().getTime());
    const rest = (await endpoints.get(id))?.rest;
    return createScaling({ count: await countOf(engine, revision, { bounds, rest }), bounds, settings, readLoad });
  }

  const answer = (replicas: Replica[]): void => scaling?.answer({ ...route, replicas });
  return {
    scaling,

    publish: async (replicas: Replica[], rest: Rest | undefined): Promise<void> => {
      route = { ...route, version: route.version + 1 };
      // Calls that wait need not wait for the write: a newer attempt publishes under a later epoch.
      if (replicas.length > 0) answer(replicas);
      const scales = scaling !== undefined;
      const wake = scaling && wakePort?.address();
      const signal = cancellationSignal();
      const candidate = beside && { ...beside, weight: 0 };
      await publishEndpoint(endpoints, { revision, replicas, route, signal, scales, rest, wake, candidate });
    },

    answer,
    isDrained: async (replica: string): Promise<boolean> =>
      areDrained(await reports(), { id, route, replicas: [replica] }),
    /** Lets gateways ask for a replica, until the returned function is called. */
    open: (): (() => void) => (scaling && wakePort?.open(id, () => scaling.wake())) ?? (() => undefined),
  };
}

/** The number of replicas that an earlier attempt left. */
async function countOf(
  engine: EngineDriver,
  revision: Revision,
  { bounds: { min, max }, rest }: { bounds: { min: number; max: number }; rest: Rest | undefined },
): Promise<number> {
  const found = await findReplicas(engine, revision);
  const phases = await Promise.all(found.map((index) => viewReplica(engine, revision, index)));
  const running = found.filter((_, at) => phases[at]?.phase === 'running');
  const isResting = min === 0 && running.length === 0 && (rest !== undefined || phases[0]?.phase === 'paused');
  return isResting ? 0 : Math.min(max, Math.max(1, min, (running.at(-1) ?? 0) + 1));
}
