import { type Route, route } from '../reference/route-table.js';
import type { ReferenceQuotas } from '../reference/quota.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { createDeliveryRoutes, type DeliveryRoutesOptions } from './delivery.js';
import { createEventTypeRoutes } from './event-types.js';
import { createFeedConsumerRoutes, type FeedConsumerOptions } from './feed-consumer.js';
import { createFeedSettlement } from './feed-settlement.js';
import { createFeedRead } from './feed.js';
import { createRecoveryRoutes, type RecoveryRoutesOptions } from './recovery.js';
import { createSubscriptionExplain, type SubscriptionExplainOptions } from './subscription-explain.js';
import { createSubscriptionTest, type SubscriptionTestOptions } from './subscription-test.js';
import { createSubscriptionRoutes, type SubscriptionRoutesOptions } from './subscription.js';
import { createWatchRoutes, type WatchRoutesOptions } from './watch.js';
import { createWebhookKeys } from './webhook-keys.js';

/** The stores and functions of subscriptions, their deliveries and feeds. */
export type NotifyingOptions = Omit<SubscriptionRoutesOptions, 'datasets' | 'box' | 'reservedIds'> &
  Omit<DeliveryRoutesOptions, 'load' | 'box' | 'userAgent'> &
  Pick<FeedConsumerOptions, 'consumers' | 'feed'> &
  Pick<SubscriptionTestOptions, 'sendTest'> &
  Pick<SubscriptionExplainOptions, 'readStream'> &
  Pick<RecoveryRoutesOptions, 'recoveries'>;

export type WatchingOptions = Omit<WatchRoutesOptions, 'datasets' | 'reservedIds'>;

export interface NotificationRoutesOptions {
  datasets: Datasets;
  reservedIds: ReservedIds;
  notifying: NotifyingOptions;
  quotas?: ReferenceQuotas;
  watching: WatchingOptions;
  /** Seals the secrets of subscriptions and the tokens of their lists. */
  box: SecretBox;
  baseUrl: string;
  /** Version of the service, for the header `User-Agent` of webhooks. */
  version: string;
}

/** Subscriptions, deliveries, feeds, event types and watches: rows of the route table of `/v2`. */
export function createNotificationRoutes(options: NotificationRoutesOptions): readonly Route[] {
  const { datasets, reservedIds, notifying, watching, box, baseUrl, version } = options;
  const subscription = createSubscriptionRoutes({ ...notifying, datasets, reservedIds, box, quotas: options.quotas });
  const { load } = subscription;
  const eventType = createEventTypeRoutes({ datasets, baseUrl });
  const sendTest = createSubscriptionTest({ ...notifying, load, findType: eventType.findType, baseUrl });
  const explain = createSubscriptionExplain({ ...notifying, datasets, load });
  const feed = { ...notifying, box, load };
  const delivery = createDeliveryRoutes({ ...feed, userAgent: `Slipway/${version}` });
  const recovery = createRecoveryRoutes(feed);
  const readFeed = createFeedRead(feed);
  const consumer = createFeedConsumerRoutes({ ...feed, settle: createFeedSettlement(notifying) });
  const webhookKeys = createWebhookKeys({ ...notifying, box });
  const watch = createWatchRoutes({ ...watching, datasets, reservedIds });

  // prettier-ignore
  return [
    route('get',    '/.well-known/webhook-keys', 'nothing',   webhookKeys),
    route('get',    '/v2/subscriptions',                 'subscriptions:read',  subscription.list),
    route('post',   '/v2/subscriptions',                 'subscriptions:write', subscription.create),
    route('get',    '/v2/subscriptions/:id',             'subscriptions:read',  subscription.read),
    route('patch',  '/v2/subscriptions/:id',             'subscriptions:write', subscription.patch),
    route('delete', '/v2/subscriptions/:id',             'subscriptions:write', subscription.remove),
    route('post',   '/v2/subscriptions/:id/pause',       'subscriptions:write', subscription.pause),
    route('post',   '/v2/subscriptions/:id/resume',      'subscriptions:write', subscription.resume),
    route('post',   '/v2/subscriptions/:id/probe',       'subscriptions:write', subscription.probe),
    route('post',   '/v2/subscriptions/:id/test',        'subscriptions:write', sendTest),
    route('post',   '/v2/subscriptions/:id/explain',     'subscriptions:read',  explain),
    route('post',   '/v2/subscriptions/:id/secrets',     'subscriptions:write', subscription.rotate),
    route('delete', '/v2/subscriptions/:id/secrets/:kid', 'subscriptions:write', subscription.cut),
    route('get',    '/v2/subscriptions/:id/deliveries',  'subscriptions:read',  delivery.list),
    route('get',    '/v2/subscriptions/:id/deliveries/:sequence', 'subscriptions:read', delivery.read),
    route('get',    '/v2/subscriptions/:id/deliveries/:sequence/request', 'subscriptions:read', delivery.request),
    route('post',   '/v2/subscriptions/:id/deliveries/:sequence/resend', 'subscriptions:write', delivery.resend),
    route('post',   '/v2/subscriptions/:id/deliveries/:sequence/confirm', 'subscriptions:write', delivery.confirm),
    route('post',   '/v2/subscriptions/:id/deliveries/:sequence/cancel', 'subscriptions:write', delivery.cancel),
    route('post',   '/v2/subscriptions/:id/replay',      'subscriptions:write', recovery.replay),
    route('post',   '/v2/subscriptions/:id/recover',     'subscriptions:write', recovery.recover),
    route('get',    '/v2/subscriptions/:id/recoveries',  'subscriptions:read',  recovery.list),
    route('get',    '/v2/subscriptions/:id/recoveries/:recovery', 'subscriptions:read', recovery.read),
    route('get',    '/v2/failed-deliveries',             'subscriptions:read',  delivery.listFailed),
    route('get',    '/v2/feed/:id',                      'subscriptions:read',  readFeed),
    route('get',    '/v2/feed/:id/consumers',            'subscriptions:read',  consumer.list),
    route('get',    '/v2/feed/:id/consumers/:name',      'subscriptions:read',  consumer.read),
    route('put',    '/v2/feed/:id/consumers/:name',      'subscriptions:write', consumer.put),
    route('delete', '/v2/feed/:id/consumers/:name',      'subscriptions:write', consumer.remove),
    route('get',    '/v2/feed/:id/consumers/:name/next', 'subscriptions:write', consumer.next),
    route('post',   '/v2/feed/:id/consumers/:name/ack',  'subscriptions:write', consumer.ack),
    route('post',   '/v2/feed/:id/consumers/:name/seek', 'subscriptions:write', consumer.seek),
    route('get',    '/v2/event-types',                'credential', eventType.list),
    route('get',    '/v2/event-types/:type/:version', 'credential', eventType.read),
    route('get',    '/v2/watches',             'watches:read',  watch.list),
    route('post',   '/v2/watches',             'watches:write', watch.create),
    route('get',    '/v2/watches/:id',         'watches:read',  watch.read),
    route('patch',  '/v2/watches/:id',         'watches:write', watch.patch),
    route('delete', '/v2/watches/:id',         'watches:write', watch.remove),
    route('post',   '/v2/watches/:id/pause',   'watches:write', watch.pause),
    route('post',   '/v2/watches/:id/resume',  'watches:write', watch.resume),
    route('get',    '/v2/watches/:id/gaps',    'watches:read',  watch.gaps),
    route('get',    '/v2/watches/:id/explain', 'watches:read',  watch.explain),
  ];
}
