import { Router } from '@koa/router';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { FeedEvent } from '../../platform/stores/resource-feed.js';
import { badQuery, queryLists } from '../http/query.js';
import type { ApiContext, ApiState, Step } from '../http/state.js';
import { createRouteEvents, type Feed, type RouteEventsDeps } from './route-events.js';

type Change = FeedEvent<Deployment>['change'];

/** Words that clients compare. */
const DEPLOYMENT_TYPES = {
  created: 'ModelDeploymentCreated',
  updated: 'ModelDeploymentUpdated',
  statusUpdated: 'ModelDeploymentStatusUpdated',
  deletionMarkIsSet: 'ModelDeploymentDeletionMarkIsSet',
  deleted: 'ModelDeploymentDeleted',
} as const satisfies Record<Change, string>;
export interface EventsRoutesDeps extends RouteEventsDeps {
  deploymentFeed: Feed<Deployment>;
}

/** Changes in one order, for pollers that give back the cursor of the last answer. */
export function eventsRoutes(deps: EventsRoutesDeps) {
  const ofDeployment: Step = async (ctx) => {
    const { events, cursor } = await deps.deploymentFeed.read(parseCursor(ctx));
    const toEvent = ({ id, change, entity, at }: FeedEvent<Deployment>) => ({
      ...{ entityID: id, payload: entity ? toReply(entity) : {}, type: DEPLOYMENT_TYPES[change], datetime: at },
    });
    ctx.body = { events: events.map(toEvent), cursor };
  };

  const readRouteEvents = createRouteEvents(deps);
  const ofRoute: Step = async (ctx) => {
    ctx.body = await readRouteEvents(parseCursor(ctx));
  };

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
