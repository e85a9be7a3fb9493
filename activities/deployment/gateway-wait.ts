import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal } from '@temporalio/activity';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import { GONE_MS, type RouteReaders } from '../../lifecycle/stores/route-readers.js';

interface GatewayWaitDeps {
  endpoints: Pick<EndpointStore, 'epochOf'>;
  routeReaders: Pick<RouteReaders, 'allServe' | 'callsOf'>;
}

/** A gateway that was silent for as long counts no more. */
const MOST_LAG_MS = GONE_MS + 10_000;
const POLL_MS = 250;

/** Waits for what gateways say about a deployment; a canceled activity waits no longer. */
export function createGatewayWait({ endpoints, routeReaders }: GatewayWaitDeps) {
  async function until(isSo: () => Promise<boolean>, mostMs: number): Promise<void> {
    const deadline = Date.now() + mostMs;
    while (!(await isSo()) && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal: cancellationSignal() });
  }

  return {
    /** Waits until no gateway sends requests to what the route replaced. */
    async untilAllServe(id: string): Promise<void> {
      const epoch = await endpoints.epochOf(id);
      await until(() => routeReaders.allServe(id, epoch), MOST_LAG_MS);
    },

    /** Waits until the calls at these generations have ended. */
    async untilIdle(id: string, { generations, mostMs }: { generations: number[]; mostMs: number }): Promise<void> {
      await until(async () => {
        const calls = [...(await routeReaders.callsOf(id)).values()];
        return calls.every((known) => generations.every((generation) => !known[generation]?.inFlight));
      }, mostMs);
    },
  };
}
