import { Router } from '@koa/router';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { Route, RouteSpec, RouteStatus } from '../../lifecycle/kinds/route.js';
import { acceptRoute, type RouteContext } from '../../lifecycle/validation/route-validation.js';
import { notFound, SlipwayError } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import type { ApiState, Step } from '../http/state.js';
import type { ResourceIdentity } from './generations.js';
import { resourceSteps, type ResourceState, type ResourceStep } from './resource-steps.js';
import { sendResource } from './revision.js';
import { routeListStep } from './route-list.js';
import { createRouteView, type RouteViewDeps } from './route-view.js';

export interface RouteRoutesDeps extends ResourceIdentity, RouteViewDeps {
  routes: ResourceStore<Route>;
  deployments: ResourceStore<Deployment>;
  idempotent: Step;
  record: RecordChange;
}

type RouteStep = ResourceStep<RouteSpec, RouteStatus>;
type RouteState = ResourceState<RouteSpec, RouteStatus>;

/** Every gateway holds all routes in memory. */
const MOST_ROUTES = 1_000;

/** Default routes are read off their deployments and cannot be written; all others are stored. */
export function routeRoutes(deps: RouteRoutesDeps) {
  const { routes: store, deployments, idempotent } = deps;
  const view = createRouteView(deps);
  const { insert, replace, checkRevision, remove, audit, confirm } = resourceSteps({
    ...deps,
    kind: 'ModelRoute',
    store,
    freshStatus: (): RouteStatus => ({ edgeUrl: '', state: '' }),
  });

  const context: RouteContext = {
    hasDeployment: async (id) => (await deployments.get(id)) !== undefined,
    findOwner: async (urlPrefix, id) =>
      (await store.list()).find((each) => each.spec.urlPrefix === urlPrefix && each.id !== id)?.id,
  };

  const accept: RouteStep = async (ctx, next) => {
    ctx.state.accepted = await acceptRoute(ctx.state.body, context);
    await next();
  };

  const refuseDefaultCreation: RouteStep = async (ctx, next) => {
    const { body } = ctx.state;
    if (isRecord(body) && body.default === true) {
      throw new SlipwayError('validation_failed', 'unable to create default route');
    }
    await next();
  };

  const admit: RouteStep = async (ctx, next) => {
    const { id } = ctx.state.accepted;
    if ((await view.findDefault(id)) !== undefined) {
      throw new SlipwayError('already_exists', `entity "${id}" already exists: change it with PUT, or use another id`);
    }
    if ((await store.list()).length >= MOST_ROUTES) {
      throw new SlipwayError('validation_failed', `limit of ${MOST_ROUTES} routes reached: delete one first`);
    }
    await next();
  };

  /** Stored routes come first, so that no id of a default route can take one over. */
  const load: RouteStep = async (ctx, next) => {
    const { id = '' } = ctx.params ?? {};
    const route = (await store.get(id)) ?? (await view.findDefault(id));
    if (route === undefined) throw notFound(id);
    ctx.state.before = route;
    ctx.state.resource = route;
    await next();
  };

  const refuseDefaultUpdate: RouteStep = async (ctx, next) => {
    const { body } = ctx.state;
    const id = isRecord(body) && typeof body.id === 'string' ? body.id : '';
    const isStored = (await store.get(id)) !== undefined;
    if (!isStored && (await view.findDefault(id)) !== undefined) throw protectedRoute('update', id);
    await next();
  };

  const refuseDefaultDeletion: RouteStep = async (ctx, next) => {
    const { id, default: isDefault } = ctx.state.resource;
    if (isDefault) throw protectedRoute('delete', id);
    await next();
  };

  const reply =
    (status = 200): RouteStep =>
    async (ctx) => {
      const { resource } = ctx.state;
      const shown = resource.default ? resource : await view.show(resource);
      sendResource(ctx, shown, toReply(shown), status);
    };

  const deleted = confirm((id) => `Model route ${id} was deleted`);

  return new Router<ApiState & RouteState>({ prefix: '/api/v1/model/route' })
    .get('/', routeListStep({ routes: store, deployments, view }))
    .post('/', readBody, idempotent, refuseDefaultCreation, accept, admit, insert, audit('create'), reply(201))
    .put('/', readBody, refuseDefaultUpdate, accept, replace(), audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, refuseDefaultDeletion, checkRevision, remove, audit('delete'), deleted);
}

const protectedRoute = (verb: 'update' | 'delete', id: string): SlipwayError =>
  new SlipwayError('forbidden', `access forbidden: unable to ${verb} default route with ID "${id}"`);
