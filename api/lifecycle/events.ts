import { Router } from '@koa/router';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { defaultRoute, defaultRouteId } from '../../lifecycle/kinds/route.js';
import type { FeedEvent, FeedPage } from '../../platform/stores/resource-feed.js';
import { badQuery, queryLists } from '../http/query.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';

type Change = FeedEvent<Deployment>['change'];

/** Words that clients compare. */
const DEPLOYMENT_TYPES = {
  created: 'ModelDeploymentCreated',
  updated: 'ModelDeploymentUpdated',
  statusUpdated: 'ModelDeploymentStatusUpdated',
  deletionMarkIsSet: 'ModelDeploymentDeletionMarkIsSet',
  deleted: 'ModelDeploymentDeleted',
} as const satisfies Record<Change, string>;
const ROUTE_TYPES = {
  created: 'ModelRouteCreated',
  updated: 'ModelRouteUpdate', // without the last letter: so clients know it
  statusUpdated: 'ModelRouteStatusUpdated',
  deletionMarkIsSet: 'ModelRouteDeletionMarkIsSet',
  deleted: 'ModelRouteDeleted',
} as const satisfies Record<Change, string>;

export interface EventsRoutesDeps {
  deploymentFeed: { read(after: number, limit?: number): Promise<FeedPage<Deployment>> };
  /** Address of the gateway as clients see it. */
  baseUrl: string;
}

interface EventReply {
  entityID: string;
  payload: object;
  type: string;
}

/** Changes in one order, for pollers that give back the cursor of the last answer. */
export function eventsRoutes({ deploymentFeed, baseUrl }: EventsRoutesDeps) {
  const read =
    (toReplies: (event: FeedEvent<Deployment>) => EventReply[]): Step =>
    async (ctx) => {
      const { events, cursor } = await deploymentFeed.read(parseCursor(ctx));
      const replies = events.flatMap((event) => toReplies(event).map((each) => ({ ...each, datetime: event.at })));
      ctx.body = { events: replies, cursor };
    };

  const ofDeployment = read(({ id, change, entity }) => [
    { entityID: id, payload: entity ? toReply(entity) : {}, type: DEPLOYMENT_TYPES[change] },
  ]);

  /** A default route changes with its deployment. */
  const ofRoute = read(({ id, uid, change, entity }) => {
    const payload = entity ? toReply(defaultRoute(entity, baseUrl)) : {};
    return uid === undefined ? [] : [{ entityID: defaultRouteId({ id, uid }), payload, type: ROUTE_TYPES[change] }];
  });

  return new Router<ApiState>({ prefix: '/api/v1/model' })
    .get('/deployment-events', ofDeployment)
    .get('/route-events', ofRoute);
}

function parseCursor(ctx: ApiContext): number {
  const [text = '0'] = queryLists(ctx).cursor ?? [];
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw badQuery(
    `Incorrect "cursor" query parameter value: ${text}. Integer expected. Details: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
