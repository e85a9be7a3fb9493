import { byPrecedence, type Route } from '../lifecycle/kinds/route.js';
import type { ResourceStore } from '../platform/stores/resources.js';

/** A custom route as a gateway serves it: one document, so that all its weights change at once. */
export type CustomRoute = Pick<Route, 'id' | 'revision' | 'spec'>;

/**
 * Reads the custom routes. The list can show an older revision than the last commit, or one of a route that was removed, so
 * each change that it shows is read again: a gateway never goes back to a revision that was replaced.
 */
export function createRouteFollower(store: Pick<ResourceStore<Route>, 'get' | 'list'>) {
  let known = new Map<string, Route>();

  return async function readRoutes(): Promise<CustomRoute[]> {
    const listed = new Map((await store.list()).map((route) => [route.id, route]));
    const ids = new Set([...listed.keys(), ...known.keys()]);
    const read = async (id: string): Promise<Route | undefined> => {
      const before = known.get(id);
      return before !== undefined && before.revision === listed.get(id)?.revision ? before : store.get(id);
    };
    const found = (await Promise.all([...ids].map(read))).filter((route) => route !== undefined);
    known = new Map(found.map((route) => [route.id, route]));
    return first(found).map(({ id, revision, spec }) => ({ id, revision, spec }));
  };
}

/** Leaves out routes whose address another one has. */
function first(routes: readonly Route[]): Route[] {
  const taken = new Set<string>();
  return routes.toSorted(byPrecedence).filter(({ spec: { urlPrefix } }) => {
    const isFree = !taken.has(urlPrefix);
    taken.add(urlPrefix);
    return isFree;
  });
}
