import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal } from '@temporalio/activity';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import { GONE_MS, type RouteReaders } from '../../lifecycle/stores/route-readers.js';
import { areDrained } from './gateway-load.js';

interface GatewayWaitDeps {
  endpoints: Pick<EndpointStore, 'get'>;
  routeReaders: Pick<RouteReaders, 'reports'>;
}

/** A gateway that was silent for as long counts no more. */
const MOST_LAG_MS = GONE_MS + 10_000;
const POLL_MS = 250;

/** Waits until no route names replicas and no gateway has calls there; a canceled activity waits no longer. */
export function createGatewayWait({ endpoints, routeReaders }: GatewayWaitDeps) {
  async function until(isSo: () => Promise<boolean>, mostMs: number): Promise<void> {
    const deadline = Date.now() + mostMs;
    while (!(await isSo()) && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal: cancellationSignal() });
  }

  /** @param mostMs for the calls in progress, once every gateway serves the route */
  return async function untilDrained(id: string, replicas: readonly string[], mostMs: number): Promise<void> {
    let route: Endpoint | undefined;
    await until(async () => {
      route = await endpoints.get(id);
      const named = [route, route?.candidate?.endpoint].flatMap((each) => each?.replicas ?? []);
      return !named.some(({ name }) => replicas.includes(name));
    }, MOST_LAG_MS);
    const isDrained = async (names: readonly string[]) =>
      areDrained(await routeReaders.reports(), { id, route: route ?? {}, replicas: names });
    await until(() => isDrained([]), MOST_LAG_MS);
    await until(() => isDrained(replicas), mostMs);
  };
}
