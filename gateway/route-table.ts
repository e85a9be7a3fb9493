import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import type { CustomRoute } from './route-follower.js';

/** A custom route, and the deployments of it that this gateway can reach. */
export interface RouteMatch {
  route: CustomRoute;
  targets: { endpoint: Endpoint; weight: number }[];
  mirror: Endpoint | undefined;
  /** The path below the address of the route, with its slash. */
  rest: string;
}

/** All that a gateway serves at one moment. */
export interface RouteTable {
  endpoints: Map<string, Endpoint>;
  routes: Map<string, CustomRoute>;
}

/** Longer addresses cannot be stored. */
const LONGEST_PREFIX = 256;

export const toTable = (endpoints: readonly Endpoint[], routes: readonly CustomRoute[]): RouteTable => ({
  endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
  routes: new Map(routes.map((route) => [route.spec.urlPrefix, route])),
});

/** Finds the route with the longest address that a path is at or below. */
export function matchRoute({ endpoints, routes }: RouteTable, path: string): RouteMatch | undefined {
  let end = path.length <= LONGEST_PREFIX ? path.length : path.lastIndexOf('/', LONGEST_PREFIX);
  for (; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const route = routes.get(path.slice(0, end));
    if (route === undefined) continue;
    const targets = route.spec.modelDeployments.flatMap(({ mdName, weight }) => {
      const endpoint = endpoints.get(mdName);
      return endpoint === undefined ? [] : [{ endpoint, weight }];
    });
    return { route, targets, mirror: endpoints.get(route.spec.mirror ?? ''), rest: path.slice(end) || '/' };
  }
  return undefined;
}
