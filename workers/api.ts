import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createApi } from '../api/app.js';
import { createInternalApi } from '../api/http/internal.js';
import { createFindDegradations } from '../api/http/degradations.js';
import { createFindOutages } from '../api/http/outages.js';
import { ensureBuiltIns } from '../api/lifecycle/built-ins.js';
import { measureNotifications } from '../api/notifications/notification-metrics.js';
import type { Deployment } from '../lifecycle/kinds/deployment.js';
import type { Route } from '../lifecycle/kinds/route.js';
import { FOREIGN_HOST, refuseFlawed } from '../gateway/unreadable.js';
import { createHostCheck } from '../platform/kinds/allowed-hosts.js';
import { HEAD_LIMITS } from '../platform/kinds/request-head.js';
import { createAudit } from '../platform/stores/audit.js';
import { createFeed } from '../platform/stores/resource-feed.js';
import { RELOAD_MS } from '../platform/stores/followed-resources.js';
import { createKeptLists } from '../platform/stores/kept-lists.js';
import { createIdempotency } from '../platform/stores/idempotency.js';
import { createIssuer } from '../platform/auth/issuer.js';
import { createApprovals } from './compose/approvals.js';
import { createRollouts } from './compose/rollouts.js';
import { close, listen } from './compose/listen.js';
import { ownHosts } from './compose/own-hosts.js';
import { type Close, runProcess, type StartContext } from './compose/process.js';
import { createNotificationStores } from './compose/notification-deps.js';
import { openReference } from './compose/reference.js';
import { createRuns } from './compose/runs.js';
import { createSchedules } from './compose/schedules.js';
import { missingSearchAttributes } from './compose/search-attributes.js';
import { openSecretBox } from './compose/secret-box.js';
import { openPipelineSubscriptions } from './compose/pipeline-subscriptions.js';
import { openConnectionTest } from './compose/connection-test.js';
import { openImageVerification } from './compose/image-verification.js';
import { openInstallationChecks } from './compose/installation-checks.js';
import { openServiceProbes } from './compose/service-probes.js';
import { openQuotas } from './compose/quotas.js';
import { openStores } from './compose/stores.js';
import { createTemporalClient } from './compose/temporal.js';
import { createClockMetric } from './compose/clock-metric.js';
import { VERSION } from './compose/version.js';

const REFERENCE_PATHS = /^\/(v2|\.well-known\/webhook-keys)(\/|\?|$)/;

await runProcess('api', startApi);

async function startApi({ settings, log, startup }: StartContext): Promise<Close> {
  const { SLIPWAY_INTERNAL_HOST: host, SLIPWAY_API_PORT, SLIPWAY_API_INTERNAL_PORT } = settings;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const handleInternal = createInternalApi({ metrics, checkReady: startup.checkReady }).callback();
  const internal = createServer((req, res) => void handleInternal(req, res));
  await listen(internal, { host, port: SLIPWAY_API_INTERNAL_PORT });
  const onError = (err: unknown): void => log.warn({ err }, 'the lists in memory could not be brought up to date');
  const stores = await openStores({ settings, awaitService: startup.awaitService, onError });
  if (await stores.database.scans()) void stores.indexes.start();
  const toolchainIntegrations = stores.toolchains;
  await startup.awaitService('the database', () =>
    ensureBuiltIns({ ...stores, toolchainIntegrations, settings, now: stores.database.now, newId: randomUUID }),
  );
  createClockMetric(stores.database, metrics);
  const lists = createKeptLists({ ...stores, kinds: ['Subscription'], reloadMs: RELOAD_MS, onError });
  void lists.start();
  const notificationStores = createNotificationStores(stores.database, lists);
  const client = createTemporalClient(settings);
  const issuer = createIssuer({ url: settings.OIDC_ISSUER });
  const secretBox = openSecretBox(settings);
  const { quotas, stop: stopQuotas } = openQuotas({ settings, stores, onError });
  const api = createApi({
    ...stores,
    quotas,
    toolchainIntegrations,
    settings,
    issuer,
    version: VERSION,
    now: stores.database.now,
    logger: log,
    metrics,
    secretBox,
    testConnection: openConnectionTest(settings, secretBox),
    ...openImageVerification({ settings, ...stores, box: secretBox }),
    pipelineSubscriptions: openPipelineSubscriptions(notificationStores, stores, secretBox),
    runs: createRuns({ client, log }),
    schedules: createSchedules({ client, log }),
    findOutages: createFindOutages(openServiceProbes({ settings, client, ...stores })),
    findDegradations: createFindDegradations(
      openInstallationChecks({ ...stores, missingSearchAttributes: () => missingSearchAttributes(client) }),
    ),
    approvals: createApprovals({ client }),
    rollouts: createRollouts({ client }),
    audit: createAudit({ database: stores.database }),
    idempotency: createIdempotency({ database: stores.database }),
    deploymentFeed: createFeed<Deployment>({ database: stores.database, kind: 'ModelDeployment' }),
    routeFeed: createFeed<Route>({ database: stores.database, kind: 'ModelRoute' }),
  });
  measureNotifications({ metrics, ...notificationStores });
  const reference = await openReference({
    settings,
    log,
    client,
    metrics,
    issuer,
    notificationStores,
    quotas,
    ...stores,
  });
  // Koa answers what its handler rejects with by itself.
  const handle = api.callback();
  const handleReference = reference.handle;
  const isAllowedHost = createHostCheck(ownHosts(settings));
  const server = createServer(HEAD_LIMITS, (req, res) => {
    if (!isAllowedHost(req.headers.host)) return refuseFlawed(res, FOREIGN_HOST);
    void (REFERENCE_PATHS.test(req.url ?? '') ? handleReference(req, res) : handle(req, res));
  });
  await listen(server, { host, port: SLIPWAY_API_PORT });
  startup.finish(async () => {
    reference.checkLoaded();
    await stores.connections.get('models-output');
  });
  return async () => {
    await Promise.all([close(server), close(internal)]);
    await reference.close();
    await Promise.all([stores.indexes.stop(), lists.stop(), stopQuotas()]);
    issuer.close();
  };
}
