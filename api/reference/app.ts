import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { ApiKeys } from '../../platform/stores/api-keys.js';
import type { ImportRuns } from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import { createRowWrites } from '../../reference/stores/row-writes.js';
import type { Imports } from '../../reference/stores/imports.js';
import { createReferenceAudits, type ReferenceAudits } from '../../reference/stores/reference-audits.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { requestId } from '../http/request-id.js';
import { createBatch } from './batch.js';
import type { VerifyBearer } from './bearer.js';
import { createIdentify, credentials } from './credentials.js';
import { createDeliveryRoutes, type DeliveryRoutesOptions } from '../notifications/delivery.js';
import { createFeedRead } from '../notifications/feed.js';
import { createFeedConsumerRoutes, type FeedConsumerOptions } from '../notifications/feed-consumer.js';
import { createFeedSettlement } from '../notifications/feed-settlement.js';
import { createEventTypeRoutes } from '../notifications/event-types.js';
import { createDangling } from './dangling.js';
import { createDatasetRoutes } from './dataset.js';
import { cacheAs } from './freshness.js';
import { createAsk } from './graph/ask.js';
import { graphiql } from './graph/graphiql.js';
import { createAnswerCall, createGraphRoutes } from './graph/routes.js';
import { createHealth } from './health.js';
import { createHistory } from './history.js';
import { createImportRoutes } from './import.js';
import { createKeyRoutes } from './key.js';
import { ledgerPage } from './ledger-page.js';
import { createLookup } from './lookup.js';
import { createPlainLookup } from './plain-lookup.js';
import { createPlainReads } from './plain-read.js';
import { createOpenApi } from './openapi.js';
import { createPageTokens } from './page-token.js';
import { createPinRoutes } from './pin.js';
import { explainProblem, problems } from './problems.js';
import { plainFetch } from './fetch.js';
import { createRateLimit, limitRate } from './rate-limit.js';
import { createReadEntity } from './read-row.js';
import { createReferenceRouter, route } from './routes.js';
import { createRecoveryRoutes, type RecoveryRoutesOptions } from '../notifications/recovery.js';
import { createSearchRoutes } from './search.js';
import type { ReferenceState } from './state.js';
import { createSubscriptionRoutes, type SubscriptionRoutesOptions } from '../notifications/subscription.js';
import { createSubscriptionExplain, type SubscriptionExplainOptions } from '../notifications/subscription-explain.js';
import { createSubscriptionTest, type SubscriptionTestOptions } from '../notifications/subscription-test.js';
import { createWebhookKeys } from '../notifications/webhook-keys.js';
import { createVersionRoutes } from './version.js';
import { createWatchRoutes, type WatchRoutesOptions } from '../notifications/watch.js';
import { createWriteEntity } from './write-row.js';

export interface ReferenceApiOptions {
  datasets: Datasets;
  keys: ApiKeys;
  reservedIds: ReservedIds;
  imports: Imports;
  importRuns: ImportRuns;
  verifyBearer: VerifyBearer;
  /** Who is told of changes. */
  notifying: Omit<SubscriptionRoutesOptions, 'datasets' | 'box' | 'reservedIds'> &
    Omit<DeliveryRoutesOptions, 'load' | 'box' | 'userAgent'> &
    Pick<FeedConsumerOptions, 'consumers' | 'feed'> &
    Pick<SubscriptionTestOptions, 'sendTest'> &
    Pick<SubscriptionExplainOptions, 'readStream'> &
    Pick<RecoveryRoutesOptions, 'recoveries'>;
  /** Who is told when nothing changes. */
  watching: Omit<WatchRoutesOptions, 'datasets' | 'reservedIds'>;
  /** Seals page tokens, and the secrets of subscriptions. */
  tokens: SecretBox;
  logger: Logger;
  /** Looks for references to nothing; without it, only when somebody asks. */
  audits?: ReferenceAudits;
  /** Whether browsers get a page to write graph queries on. */
  graphiql?: boolean;
  /** Where clients reach the service, without a slash at the end. */
  baseUrl?: string;
  /** Of the service, as its document says. */
  version?: string;
  /** Requests a second of one client, on average. */
  ratePerSecond?: number;
}

/** Answers requests, and says what it has routes for. */
export type ReferenceApi = RequestListener & { readonly router: Router<ReferenceState> };

/** Reference data: everything under `/v2`. */
export function createReferenceApi(options: ReferenceApiOptions): ReferenceApi {
  const { datasets, keys, reservedIds, verifyBearer, notifying, tokens, logger } = options;
  const { baseUrl = '', version = '0.0.0', ratePerSecond = 200 } = options;
  const writes = createRowWrites({ datasets });
  const entity = {
    read: createReadEntity({ datasets }),
    history: createHistory({ datasets, tokens }),
    batch: createBatch({ datasets, writes }),
    ...createWriteEntity({ datasets, reservedIds, writes }),
  };
  const pageTokens = createPageTokens({ box: tokens });
  const { search, list } = createSearchRoutes({ datasets, tokens: pageTokens });
  const answer = createAnswerCall({ datasets, tokens: pageTokens, logger });
  const graph = createGraphRoutes(answer);
  const { audits = createReferenceAudits({ datasets }) } = options;
  const dataset = createDatasetRoutes({ datasets, declarations: createDeclarations({ datasets }), audits });
  const imported = createImportRoutes({ datasets, imports: options.imports, runs: options.importRuns });
  const pinned = createPinRoutes({ datasets, audits });
  const versions = createVersionRoutes({ datasets });
  const key = createKeyRoutes({ keys });
  const subscription = createSubscriptionRoutes({ ...notifying, datasets, reservedIds, box: tokens });
  const { load } = subscription;
  const eventType = createEventTypeRoutes({ datasets, baseUrl });
  const sendTest = createSubscriptionTest({ ...notifying, load, findType: eventType.findType, baseUrl });
  const explain = createSubscriptionExplain({ ...notifying, datasets, load });
  const feed = { ...notifying, box: tokens, load };
  const delivery = createDeliveryRoutes({ ...feed, userAgent: `Slipway/${version}` });
  const recovery = createRecoveryRoutes(feed);
  const readFeed = createFeedRead(feed);
  const consumer = createFeedConsumerRoutes({ ...feed, settle: createFeedSettlement(notifying) });
  const webhookKeys = createWebhookKeys({ ...notifying, box: tokens });

  const watch = createWatchRoutes({ ...options.watching, datasets, reservedIds });

  const identify = createIdentify({ keys, verifyBearer });

  // prettier-ignore
  const ROUTES = [
    route('get',    '/v2/health',           'credential',     createHealth(options)),
    route('get',    '/v2/problems/:code',   'nothing',        explainProblem),
    route('get',    '/v2/openapi.json',     'nothing',        createOpenApi({ datasets, identify, version })),

    route('get',    '/.well-known/webhook-keys', 'nothing',   webhookKeys),

    route('get',    '/v2/keys',             'keys:admin',     key.list),
    route('post',   '/v2/keys',             'keys:admin',     key.issue),
    route('get',    '/v2/keys/:id',         'keys:admin',     key.read),
    route('delete', '/v2/keys/:id',         'keys:admin',     key.revoke),
    route('post',   '/v2/keys/:id/rotate',  'keys:admin',     key.rotate),

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

    route('get',    '/v2/datasets',         'credential',     dataset.list),
    route('get',    '/v2/datasets/:name',   'data:read',      dataset.read),
    route('put',    '/v2/datasets/:name',   'datasets:admin', dataset.put),
    route('delete', '/v2/datasets/:name',   'datasets:admin', dataset.remove),
    route('post',   '/v2/datasets/:name/pin',      'datasets:admin', pinned.pin),
    route('post',   '/v2/datasets/:name/unpin',    'datasets:admin', pinned.unpin),
    route('get',    '/v2/datasets/:name/versions', 'data:read',      cacheAs('entity'), versions.list),
    route('get',    '/v2/datasets/:name/changes',  'data:read',      cacheAs('entity'), versions.changes),
    route('get',    '/v2/datasets/:name/diff',     'data:read',      cacheAs('entity'), versions.diff),
    route('get',    '/v2/datasets/:name/dangling', 'data:read',      cacheAs('entity'), createDangling({ datasets, audits })),

    route('get',    '/v2/graphql',          'credential',     cacheAs('entity'), graph.get),
    route('post',   '/v2/graphql',          'credential',     cacheAs('entity'), graph.post),

    route('get',    '/v2/:dataset',         'data:read',      cacheAs('entity'), list),
    route('get',    '/v2/:dataset/lookup',  'data:read',      cacheAs('lookup'), createLookup({ datasets })),
    route('get',    '/v2/:dataset/search',  'data:read',      cacheAs('entity'), search),
    route('post',   '/v2/:dataset',         'data:write',     entity.create),
    route('post',   '/v2/:dataset/imports',            'data:write', imported.create),
    route('get',    '/v2/:dataset/imports/:id',        'data:write', imported.read),
    route('patch',  '/v2/:dataset/imports/:id',        'data:write', imported.append),
    route('delete', '/v2/:dataset/imports/:id',        'data:write', imported.cancel),
    route('post',   '/v2/:dataset/imports/:id/commit', 'data:write', imported.start),
    route('post',   '/v2/:dataset/batch',   'data:write',     entity.batch),
    route('get',    '/v2/:dataset/:id/history', 'data:read',  cacheAs('entity'), entity.history),
    route('get',    '/v2/:dataset/:id',     'data:read',      cacheAs('entity'), entity.read),
    route('put',    '/v2/:dataset/:id',     'data:write',     entity.put),
    route('patch',  '/v2/:dataset/:id',     'data:write',     entity.patch),
    route('delete', '/v2/:dataset/:id',     'data:write',     entity.remove),
  ];

  const limit = createRateLimit({ perSecond: ratePerSecond });
  const { router, requireRoute } = createReferenceRouter(ROUTES, [credentials(identify), limitRate(limit)]);
  const app = new Koa<ReferenceState>();
  app.on('error', (err: unknown) => logger.warn({ err }, 'a reply broke off'));
  app.use(requestId()).use(problems({ logger }));
  if (options.graphiql) app.use(graphiql());
  app.use(ledgerPage());
  app.use(requireRoute).use(router.routes());
  const handle = app.callback();
  const otherwise: RequestListener = (req, res) => void handle(req, res);
  const ask = createAsk({ answer, identify, limit, otherwise });
  const reads = [plainFetch, createPlainLookup()];
  return Object.assign(createPlainReads({ reads, datasets, identify, limit, otherwise: ask }), { router });
}
