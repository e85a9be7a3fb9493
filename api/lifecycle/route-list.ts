import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { setPageHeaders } from '../http/paging.js';
import { parseListQuery } from '../http/query.js';
import type { ApiContext } from '../http/state.js';
import type { RouteView } from './route-view.js';

export interface RouteListDeps {
  routes: ResourceStore<Route>;
  deployments: ResourceStore<Deployment>;
  view: RouteView;
}

/** Answers one page of all routes, default ones in the order of their deployments. */
export function routeListStep({ routes, deployments, view }: RouteListDeps) {
  return async (ctx: ApiContext): Promise<void> => {
    const { size, page } = parseListQuery(ctx, []);
    const custom = await routes.list();
    const skip = size * page;
    // At most so many of the routes before this page are custom ones.
    const from = Math.max(0, skip - custom.length);
    const { items, total } = await deployments.page({ where: [], skip: from, limit: size + custom.length });
    const merged = [
      ...custom.map((route) => ({ by: route.id, route, isDefault: false })),
      ...items.map((deployment) => ({ by: deployment.id, route: view.ofDeployment(deployment), isDefault: true })),
    ].sort((one, other) => (one.by < other.by ? -1 : one.by > other.by ? 1 : 0));
    const show = await view.open();
    const shown = merged.slice(skip - from, skip - from + size);
    const all = await Promise.all(shown.map(async ({ route, isDefault }) => (isDefault ? route : show(route))));
    setPageHeaders(ctx, { size, page, total: total + custom.length });
    ctx.body = all.map((route) => toReply(route));
  };
}
