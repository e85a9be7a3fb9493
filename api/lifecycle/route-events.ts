import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { defaultRouteId, type Route } from '../../lifecycle/kinds/route.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import type { FeedEvent, FeedPage } from '../../platform/stores/resource-feed.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { createRouteView, type RouteViewDeps } from './route-view.js';

/** Words that clients compare. */
const TYPES = {
  created: 'ModelRouteCreated',
  updated: 'ModelRouteUpdate', // without the last letter: so clients know it
  statusUpdated: 'ModelRouteStatusUpdated',
  deletionMarkIsSet: 'ModelRouteDeletionMarkIsSet',
  deleted: 'ModelRouteDeleted',
} as const satisfies Record<FeedEvent<Deployment>['change'], string>;

export interface Feed<E extends AnyResource> {
  read(after: number, limit?: number): Promise<FeedPage<E>>;
}

export interface RouteEventsDeps extends RouteViewDeps {
  deploymentFeed: Feed<Deployment>;
  routeFeed: Feed<Route>;
  routes: Pick<ResourceStore<Route>, 'list'>;
}

interface RouteEvent {
  entityID: string;
  payload: object;
  type: string;
  datetime: string;
}

/** A page holds at most so many events of each feed. */
const OF_EACH = 250;
/** A cursor is `<position in the feed of routes> * STRIDE + <position in that of deployments>`. */
const STRIDE = 2 ** 33;

/** Reads changes of routes: default ones change with their deployments, custom ones also by themselves. */
export function createRouteEvents(deps: RouteEventsDeps) {
  const { deploymentFeed, routeFeed, routes } = deps;
  const view = createRouteView(deps);

  function ofDeployment({ id, uid, change, entity, at }: FeedEvent<Deployment>): RouteEvent[] {
    const payload = entity ? toReply(view.ofDeployment(entity)) : {};
    if (uid === undefined) return [];
    return [{ entityID: defaultRouteId({ id, uid }), payload, type: TYPES[change], datetime: at }];
  }

  /** The state of a custom route is read off its deployments: it can have changed with each of these events. */
  async function ofTargets(events: readonly FeedEvent<Deployment>[]): Promise<RouteEvent[]> {
    const changes = new Map(events.filter(({ change }) => change !== 'created').map(({ id, at }) => [id, at]));
    if (changes.size === 0) return [];
    const show = await view.open();
    const found: RouteEvent[] = [];
    for (const route of await routes.list()) {
      const at = route.spec.modelDeployments.flatMap(({ mdName }) => changes.get(mdName) ?? []).sort();
      const [last] = at.slice(-1);
      if (last === undefined) continue;
      found.push({
        entityID: route.id,
        payload: toReply(await show(route)),
        type: TYPES.statusUpdated,
        datetime: last,
      });
    }
    return found;
  }

  async function ofRoutes(events: readonly FeedEvent<Route>[]): Promise<RouteEvent[]> {
    if (events.length === 0) return [];
    const show = await view.open();
    const toEvent = async ({ id, change, entity, at }: FeedEvent<Route>): Promise<RouteEvent> => ({
      ...{ entityID: id, payload: entity ? toReply(await show(entity)) : {}, type: TYPES[change], datetime: at },
    });
    return Promise.all(events.map(toEvent));
  }

  return async (cursor: number): Promise<{ events: RouteEvent[]; cursor: number }> => {
    const deployments = await deploymentFeed.read(cursor % STRIDE, OF_EACH);
    const custom = await routeFeed.read(Math.floor(cursor / STRIDE), OF_EACH);
    const events = [
      ...deployments.events.flatMap(ofDeployment),
      ...(await ofRoutes(custom.events)),
      ...(await ofTargets(deployments.events)),
    ];
    events.sort((one, other) => (one.datetime < other.datetime ? -1 : one.datetime > other.datetime ? 1 : 0));
    return { events, cursor: custom.cursor * STRIDE + deployments.cursor };
  };
}
