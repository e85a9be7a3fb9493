import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createApi, createInternalApi, ensureBuiltIns, measureNotifications } from '../api/index.js';
import type { Deployment } from '../resources/deployment.js';
import { HEAD_LIMITS } from '../resources/request-head.js';
import { createAudit } from '../stores/audit.js';
import { createFeed } from '../stores/feed.js';
import { createIdempotency } from '../stores/idempotency.js';
import { createApprovals } from './approvals.js';
import { close, listen } from './listen.js';
import { type Close, type ProcessContext, runProcess } from './process.js';
import { createNotificationStores } from './notifying.js';
import { openReference } from './reference.js';
import { createRuns } from './runs.js';
import { createSchedules } from './schedules.js';
import { openSecretBox } from './secret-box.js';
import { openStores } from './stores.js';
import { createTemporalClient } from './temporal.js';
import { VERSION } from './version.js';

const REFERENCE_PATHS = /^\/(v2|\.well-known\/webhook-keys)(\/|\?|$)/;

await runProcess('api', startApi);

async function startApi({ settings, log }: ProcessContext): Promise<Close> {
  const stores = await openStores(settings);
  await stores.objects.ensureBucket();
  const toolchainIntegrations = stores.toolchains;
  await ensureBuiltIns({ ...stores, toolchainIntegrations, settings, now: () => new Date(), newId: randomUUID });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const client = createTemporalClient(settings);
  const api = createApi({
    ...stores,
    toolchainIntegrations,
    settings,
    version: VERSION,
    logger: log,
    metrics,
    secretBox: openSecretBox(settings),
    runs: createRuns({ client, log }),
    schedules: createSchedules({ client, log }),
    approvals: createApprovals({ client }),
    audit: createAudit({ database: stores.database }),
    idempotency: createIdempotency({ database: stores.database }),
    deploymentFeed: createFeed<Deployment>({ database: stores.database, kind: 'ModelDeployment' }),
  });
  measureNotifications({ metrics, ...createNotificationStores(stores.database) });
  const reference = await openReference({ settings, log, client, metrics, ...stores });
  const checkReady = async (): Promise<void> => void (await stores.connections.get('models-output'));
  // Koa answers what its handler rejects with by itself.
  const handle = api.callback();
  const handleReference = reference.handle;
  const server = createServer(HEAD_LIMITS, (req, res) => {
    void (REFERENCE_PATHS.test(req.url ?? '') ? handleReference(req, res) : handle(req, res));
  });
  const handleInternal = createInternalApi({ metrics, checkReady }).callback();
  const internal = createServer((req, res) => void handleInternal(req, res));
  const host = settings.SLIPWAY_HOST;
  await listen(server, { host, port: settings.SLIPWAY_API_PORT });
  await listen(internal, { host, port: settings.SLIPWAY_API_INTERNAL_PORT });
  return async () => {
    await Promise.all([close(server), close(internal)]);
    await reference.close();
  };
}
