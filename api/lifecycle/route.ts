import { Router } from '@koa/router';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { defaultRoute, defaultRouteId } from '../../lifecycle/kinds/route.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { readBody } from '../http/body.js';
import { listStep } from './list.js';
import { sendResource } from './revision.js';
import type { ApiState, Step } from '../http/state.js';

export interface RouteRoutesDeps {
  deployments: ResourceStore<Deployment>;
  /** Address of the gateway as clients see it. */
  baseUrl: string;
}

interface RouteState {
  modelRoute: Route;
}
type RouteStep = Step<RouteState>;

/** Routes are read off the deployments that they belong to; routes with an address of their own cannot be created. */
export function routeRoutes({ deployments, baseUrl }: RouteRoutesDeps) {
  const routeOf = (deployment: Deployment): Route => defaultRoute(deployment, baseUrl);

  const find = async (id: string): Promise<Route> => {
    const likely = await deployments.get(id.replace(/-[0-9a-f]{5}$/, ''));
    // The id of a route holds only the beginning of a long one.
    const candidates = likely && defaultRouteId(likely) === id ? [likely] : await deployments.list();
    const deployment = candidates.find((each) => defaultRouteId(each) === id);
    if (deployment === undefined) throw notFound(id);
    return routeOf(deployment);
  };

  /** In the order of their deployments. */
  const list = listStep(deployments, {}, routeOf);

  const load: RouteStep = async (ctx, next) => {
    ctx.state.modelRoute = await find(ctx.params?.id ?? '');
    await next();
  };

  const reply: RouteStep = async (ctx) => sendResource(ctx, ctx.state.modelRoute, toReply(ctx.state.modelRoute));

  const refuseCreation: RouteStep = async (ctx) => {
    const { body } = ctx.state;
    const isDefault = isRecord(body) && body.default === true;
    throw new SlipwayError(
      'validation_failed',
      isDefault
        ? 'unable to create default route'
        : 'routes with an address of their own are not supported; every deployment has its default route',
    );
  };

  const loadNamed: RouteStep = async (ctx, next) => {
    const { body } = ctx.state;
    ctx.state.modelRoute = await find(isRecord(body) && typeof body.id === 'string' ? body.id : '');
    await next();
  };

  const refuse =
    (verb: 'update' | 'delete'): RouteStep =>
    async (ctx) => {
      throw new SlipwayError(
        'forbidden',
        `access forbidden: unable to ${verb} default route with ID "${ctx.state.modelRoute.id}"`,
      );
    };

  return new Router<ApiState & RouteState>({ prefix: '/api/v1/model/route' })
    .get('/', list)
    .post('/', readBody, refuseCreation)
    .put('/', readBody, loadNamed, refuse('update'))
    .get('/:id', load, reply)
    .delete('/:id', load, refuse('delete'));
}
