import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { defaultRoute, defaultRouteId, edgeUrl, type Route } from '../../lifecycle/kinds/route.js';
import { customRouteKey, type RouteReaders } from '../../lifecycle/stores/route-readers.js';
import type { ResourceStore } from '../../platform/stores/resources.js';

export interface RouteViewDeps {
  deployments: ResourceStore<Deployment>;
  routeReaders: Pick<RouteReaders, 'readServed'>;
  /** Address of the gateway as clients see it. */
  baseUrl: string;
}

export type RouteView = ReturnType<typeof createRouteView>;

/** Routes as clients see them: their state is read off their deployments and the gateways, and never stored. */
export function createRouteView({ deployments, routeReaders, baseUrl }: RouteViewDeps) {
  /** @returns a function that shows routes as they are now; it reads each deployment once */
  async function open(): Promise<(route: Route) => Promise<Route>> {
    const isServed = await routeReaders.readServed();
    const known = new Map<string, Promise<Deployment | undefined>>();
    const find = (id: string): Promise<Deployment | undefined> => {
      const found = known.get(id) ?? deployments.get(id);
      known.set(id, found);
      return found;
    };
    return async (route) => {
      const targets = await Promise.all(route.spec.modelDeployments.map(({ mdName }) => find(mdName)));
      const isReady =
        targets.every((each) => each?.status.state === 'Ready') && isServed(customRouteKey(route.id), route.revision);
      const written = targets.reduce((sum, each) => sum + (each?.revision ?? 0), route.revision);
      return {
        ...route,
        // Two states of a route never have the same ETag.
        revision: 2 * written + Number(isReady),
        status: { edgeUrl: edgeUrl(route.spec.urlPrefix, baseUrl), state: isReady ? 'Ready' : 'Processing' },
      };
    };
  }

  return {
    open,
    show: async (route: Route): Promise<Route> => (await open())(route),
    ofDeployment: (deployment: Deployment): Route => defaultRoute(deployment, baseUrl),

    /** Finds the default route of an id. */
    async findDefault(id: string): Promise<Route | undefined> {
      if (!SUFFIX.test(id)) return undefined;
      const likely = await deployments.get(id.replace(SUFFIX, ''));
      // The id of a route holds only the beginning of a long one.
      const candidates = likely && defaultRouteId(likely) === id ? [likely] : await deployments.list();
      const deployment = candidates.find((each) => defaultRouteId(each) === id);
      return deployment && defaultRoute(deployment, baseUrl);
    },
  };
}

/** The end of the id of every default route. */
const SUFFIX = /-[0-9a-f]{5}$/;
