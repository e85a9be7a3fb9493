import { Router } from '@koa/router';
import type { Deployment } from '../resources/deployment.js';
import { toReply } from '../resources/reply.js';
import type { FeedPage } from '../stores/feed.js';
import { badQuery, queryLists } from './query.js';
import type { ApiContext, ApiState, Step } from './state.js';

type Change = FeedPage<Deployment>['events'][number]['change'];

/** Words that clients compare. */
const TYPES = {
  created: 'ModelDeploymentCreated',
  updated: 'ModelDeploymentUpdated',
  statusUpdated: 'ModelDeploymentStatusUpdated',
  deletionMarkIsSet: 'ModelDeploymentDeletionMarkIsSet',
  deleted: 'ModelDeploymentDeleted',
} as const satisfies Record<Change, string>;

export interface EventsRoutesDeps {
  deploymentFeed: { read(after: number, limit?: number): Promise<FeedPage<Deployment>> };
}

/** Changes in one order, for pollers that give back the cursor of the last answer. */
export function eventsRoutes({ deploymentFeed }: EventsRoutesDeps) {
  const read: Step = async (ctx) => {
    const { events, cursor } = await deploymentFeed.read(parseCursor(ctx));
    ctx.body = {
      events: events.map(({ id, change, at, entity }) => ({
        entityID: id,
        payload: entity ? toReply(entity) : {},
        type: TYPES[change],
        datetime: at,
      })),
      cursor,
    };
  };
  return new Router<ApiState>({ prefix: '/api/v1/model' }).get('/deployment-events', read);
}

function parseCursor(ctx: ApiContext): number {
  const [text = '0'] = queryLists(ctx).cursor ?? [];
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw badQuery(
    `Incorrect "cursor" query parameter value: ${text}. Integer expected. Details: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
