import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ApiKeys } from '../../platform/stores/api-keys.js';
import type { ImportRuns } from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Imports } from '../../reference/stores/imports.js';
import { createReferenceAudits, type ReferenceAudits } from '../../reference/stores/reference-audits.js';
import type { AuditStore } from '../../platform/stores/audit.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { createHttpApp } from '../http/app.js';
import type { VerifyToken } from '../../platform/auth/token-verifier.js';
import { crossOrigin } from './cross-origin.js';
import { createIdentify, credentials } from './credentials.js';
import { createGraphShortCut } from './graph/short-cut.js';
import { graphiql } from './graph/graphiql.js';
import { createAnswerCall } from './graph/routes.js';
import { ledgerPage } from '../notifications/ledger-page.js';
import { createNotificationRoutes, type NotifyingOptions, type WatchingOptions } from '../notifications/routes.js';
import { createRowReads } from './row-reads.js';
import { createShortLookup } from './short-lookup.js';
import { withShortCut } from './short-cuts.js';
import { createPageTokens } from './page-token.js';
import { renderProblem } from '../http/problem.js';
import { createRefusals } from './refusals.js';
import { holdingSources, type ReferenceQuotas } from './quota.js';
import { rowFetch } from './row-fetch.js';
import { createRateLimit, limitRate } from '../http/rate-limit.js';
import { createReferenceRouter } from './route-table.js';
import { createReferenceRoutes } from './routes.js';
import type { Client, ReferenceState } from './state.js';

export interface ReferenceApiOptions {
  datasets: Datasets;
  keys: ApiKeys;
  reservedIds: ReservedIds;
  imports: Imports;
  importRuns: ImportRuns;
  verifyBearer: VerifyToken<Client>;
  /** Where the OpenID issuer gives tokens for client credentials; the document names it. */
  findTokenEndpoint?: () => Promise<string | undefined>;
  notifying: NotifyingOptions;
  watching: WatchingOptions;
  /** Seals page tokens, and the secrets of subscriptions. */
  tokens: SecretBox;
  logger: Logger;
  /** Counts refused credentials; by default nothing does. */
  metrics?: Registry;
  audit: AuditStore;
  /** Bounds datasets, subscriptions and open imports; by default nothing does. */
  quotas?: ReferenceQuotas;
  /** Audits references that lead to no row; by default an audit runs only when a request needs it. */
  audits?: ReferenceAudits;
  /** Whether browsers get a page to write graph queries on. */
  graphiql?: boolean;
  /** URL where clients reach the service, without a slash at the end. */
  baseUrl?: string;
  /** Version of the service, as its document says. */
  version?: string;
  /** Origins whose pages may call; further ones are named by keys. */
  origins?: readonly string[];
  /** Average limit of requests a second for one client. */
  ratePerSecond?: number;
}

/** The request listener, with its router for tests of the documents. */
export type ReferenceApi = RequestListener & { readonly router: Router<ReferenceState> };

/** Creates the API of reference data and notifications: everything under `/v2`. */
export function createReferenceApi(options: ReferenceApiOptions): ReferenceApi {
  const { datasets, keys, verifyBearer, tokens, logger } = options;
  const { baseUrl = '', version = '0.0.0', ratePerSecond = 200, origins = [] } = options;
  const { subscriptions } = options.notifying;
  for (const source of holdingSources({ ...options, subscriptions })) options.quotas?.include(source);
  const pageTokens = createPageTokens({ box: tokens });
  const answer = createAnswerCall({ datasets, tokens: pageTokens, logger });
  const notifications = createNotificationRoutes({ ...options, box: tokens, baseUrl, version });
  const identify = createIdentify({ keys, verifyBearer });
  const { audits = createReferenceAudits({ datasets }) } = options;
  const routes = createReferenceRoutes({ ...options, audits, identify, version, pageTokens, answer, notifications });

  const limit = createRateLimit({ perSecond: ratePerSecond });
  const onRefused = createRefusals({ logger, metrics: options.metrics });
  const { router, requireRoute } = createReferenceRouter(
    routes,
    [credentials(identify, onRefused), limitRate(limit)],
    options,
  );
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
  const listener = withShortCut(reads, { ...checks, otherwise: graphShort });
  return Object.assign(crossOrigin({ origins, keys }, listener), { router });
}

/** Reads come thousands of times a second. */
const levelOf = (method: string) => (method === 'GET' || method === 'HEAD' ? 'debug' : 'info');
