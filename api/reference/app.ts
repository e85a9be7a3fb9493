import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
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
import { createHttpApp } from '../http/app.js';
import { createBatch } from './batch.js';
import type { VerifyBearer } from './bearer.js';
import { createIdentify, credentials } from './credentials.js';
import { createDangling } from './dangling.js';
import { createDatasetRoutes } from './dataset.js';
import { cacheAs } from './freshness.js';
import { createGraphShortCut } from './graph/short-cut.js';
import { graphiql } from './graph/graphiql.js';
import { createAnswerCall, createGraphRoutes } from './graph/routes.js';
import { createHealth } from './health.js';
import { createHistory } from './history.js';
import { createImportRoutes } from './import.js';
import { createKeyRoutes } from './key.js';
import { ledgerPage } from '../notifications/ledger-page.js';
import { createNotificationRoutes, type NotifyingOptions, type WatchingOptions } from '../notifications/routes.js';
import { createLookup } from './lookup.js';
import { createRowReads } from './row-reads.js';
import { createShortLookup } from './short-lookup.js';
import { withShortCut } from './short-cuts.js';
import { createOpenApi } from './openapi.js';
import { createPageTokens } from './page-token.js';
import { createPinRoutes } from './pin.js';
import { explainProblem, renderProblem } from '../http/problem.js';
import { rowFetch } from './row-fetch.js';
import { createRateLimit, limitRate } from '../http/rate-limit.js';
import { createReadEntity } from './read-row.js';
import { createReferenceRouter, route } from './route-table.js';
import { createSearchRoutes } from './search.js';
import type { ReferenceState } from './state.js';
import { createVersionRoutes } from './version.js';
import { createWriteEntity } from './write-row.js';

export interface ReferenceApiOptions {
  datasets: Datasets;
  keys: ApiKeys;
  reservedIds: ReservedIds;
  imports: Imports;
  importRuns: ImportRuns;
  verifyBearer: VerifyBearer;
  notifying: NotifyingOptions;
  watching: WatchingOptions;
  /** Seals page tokens, and the secrets of subscriptions. */
  tokens: SecretBox;
  logger: Logger;
  /** Audits references that lead to no row; by default an audit runs only when a request needs it. */
  audits?: ReferenceAudits;
  /** Whether browsers get a page to write graph queries on. */
  graphiql?: boolean;
  /** URL where clients reach the service, without a slash at the end. */
  baseUrl?: string;
  /** Version of the service, as its document says. */
  version?: string;
  /** Average limit of requests a second for one client. */
  ratePerSecond?: number;
}

/** The request listener, with its router for tests of the documents. */
export type ReferenceApi = RequestListener & { readonly router: Router<ReferenceState> };

/** Creates the API of reference data and notifications: everything under `/v2`. */
export function createReferenceApi(options: ReferenceApiOptions): ReferenceApi {
  const { datasets, keys, reservedIds, verifyBearer, tokens, logger } = options;
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
  const notifications = createNotificationRoutes({ ...options, box: tokens, baseUrl, version });
  const identify = createIdentify({ keys, verifyBearer });

  // prettier-ignore
  const ROUTES = [
    route('get',    '/v2/health',           'credential',     createHealth(options)),
    route('get',    '/v2/problems/:code',   'nothing',        explainProblem),
    route('get',    '/v2/openapi.json',     'nothing',        createOpenApi({ datasets, identify, version })),

    route('get',    '/v2/keys',             'keys:admin',     key.list),
    route('post',   '/v2/keys',             'keys:admin',     key.issue),
    route('get',    '/v2/keys/:id',         'keys:admin',     key.read),
    route('delete', '/v2/keys/:id',         'keys:admin',     key.revoke),
    route('post',   '/v2/keys/:id/rotate',  'keys:admin',     key.rotate),

    ...notifications,

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
  const subjectOf = ({ client }: Partial<ReferenceState>) => client?.actor;
  const app = createHttpApp<ReferenceState>({ logger, render: renderProblem, subjectOf, levelOf });
  if (options.graphiql) app.use(graphiql());
  app.use(ledgerPage()).use(requireRoute).use(router.routes());
  const handle = app.callback();
  const checks = { identify, limit };
  const graphShort = withShortCut(createGraphShortCut(answer), {
    ...checks,
    otherwise: (req, res) => void handle(req, res),
  });
  const reads = createRowReads({ reads: [rowFetch, createShortLookup()], datasets });
  return Object.assign(withShortCut(reads, { ...checks, otherwise: graphShort }), { router });
}

/** Reads come thousands of times a second. */
const levelOf = (method: string) => (method === 'GET' || method === 'HEAD' ? 'debug' : 'info');
