import type { RequestListener } from 'node:http';
import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { createBearer } from '../../api/reference/bearer.js';
import type { ReferenceQuotas } from '../../api/reference/quota.js';
import { createReferenceApi } from '../../api/reference/app.js';
import { createProbe } from '../../activities/notifications/probe.js';
import { createPublicAgent } from '../../platform/outbound/public-agent.js';
import { resolveHost } from '../../platform/outbound/resolve-host.js';
import { createWebhookSender } from '../../activities/notifications/webhook-sender.js';
import { createApiKeys } from '../../platform/stores/api-keys.js';
import { type Issuer, tokenEndpoint } from '../../platform/auth/issuer.js';
import type { Database } from '../../platform/stores/database.js';
import { BUILT_IN_DATASETS } from '../../reference/dataset/built-in-datasets.js';
import { createDatasets, type Datasets } from '../../reference/stores/datasets.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import { createImports } from '../../reference/stores/imports.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createAudit } from '../../platform/stores/audit.js';
import { createReferenceAudits } from '../../reference/stores/reference-audits.js';
import { createReservedIds } from '../../platform/stores/reserved-ids.js';
import { openSnapshots } from './snapshots.js';
import { createImportRuns } from './import-runs.js';
import { createNotifications } from './notifications.js';
import { createNotificationMetrics } from './notification-metrics.js';
import {
  baseUrlOf,
  type NotificationStores,
  openEventFaults,
  openSchemaCheck,
  openTestEvent,
  USER_AGENT,
} from './notification-deps.js';
import { openFeed } from './feed.js';
import type { Close, ProcessContext } from './process.js';
import { openSecretBox } from './secret-box.js';
import { VERSION } from './version.js';
import { createWatchRouteStores, createWatchStart } from './watches.js';
import { webhookPolicy } from './webhook-policy.js';

interface ReferenceContext extends ProcessContext {
  client: Client;
  database: Database;
  objects: ObjectStore;
  metrics: Registry;
  issuer: Issuer;
  notificationStores: NotificationStores;
  quotas?: ReferenceQuotas;
}

interface Reference {
  handle: RequestListener;
  /** @throws replica.loading until the datasets that were there at the start are loaded, or one try has failed */
  checkLoaded: () => void;
  close: Close;
}

/** Reference data of the API's process. Datasets are loaded while it serves already: each answers when it is there. */
export async function openReference(context: ReferenceContext): Promise<Reference> {
  const { settings, log, client, database, objects, metrics, issuer, notificationStores, quotas } = context;
  const onError = (err: unknown, what = 'keys'): void => log.warn({ err }, `${what} cannot be followed just now`);
  const snapshots = openSnapshots(settings, objects);
  // One that cannot be loaded must not take the process from its clients: they may want to remove it.
  const failed = new Set<string>();
  const datasets = createDatasets({
    ...{ database, indexed: true, snapshots, snapshotPolicy: {} },
    onError: (err, what) => {
      failed.add(what);
      onError(err, what);
    },
  });
  const keys = createApiKeys({ database, mostDays: settings.SLIPWAY_MAX_KEY_DAYS, onError });
  const policy = webhookPolicy(settings, log);
  const box = openSecretBox(settings);
  const notificationMetrics = createNotificationMetrics(metrics);
  const feed = openFeed({
    ...notificationStores,
    database,
    baseUrl: baseUrlOf(settings),
    check: openSchemaCheck(log, notificationMetrics),
    onFault: openEventFaults(log, notificationMetrics),
    onError: (err) => onError(err, 'feeds'),
  });
  await Promise.all([datasets.start(), keys.start()]);
  const atStart = datasets.all();
  let isDeclared = !settings.SLIPWAY_BUILT_IN_DATASETS;
  if (!isDeclared) {
    void declareBuiltIns(datasets)
      .catch((err: unknown) => onError(err, 'the built-in datasets'))
      .finally(() => (isDeclared = true));
  }
  const webhookAgent = createPublicAgent({ policy });
  const audits = createReferenceAudits({ datasets, onError });
  audits.start();
  const sender = createWebhookSender({ dispatcher: webhookAgent });
  const handle = createReferenceApi({
    metrics,
    datasets,
    audits,
    audit: createAudit({ database }),
    keys,
    verifyBearer: createBearer({
      issuer,
      audience: settings.OIDC_AUDIENCE,
      ownScopes: settings.OIDC_TOKEN_SCOPES,
      roleClaims: settings.OIDC_ROLE_CLAIMS,
      roleMap: settings.OIDC_ROLE_MAP,
    }),
    findTokenEndpoint: () => tokenEndpoint(issuer),
    reservedIds: createReservedIds({ database }),
    imports: createImports({ database, objects, maxBytes: settings.SLIPWAY_MAX_IMPORT_MIB * 2 ** 20 }),
    ...(quotas && { quotas }),
    importRuns: createImportRuns({ client }),
    notifying: {
      ...notificationStores,
      now: database.now,
      feed: feed.source,
      activateSettings: feed.bringIntoForce,
      notifications: createNotifications({ client, log, lost: notificationStores.lostWakeUps }),
      policy,
      resolve: resolveHost,
      probe: createProbe({ sender, userAgent: USER_AGENT, origin: new URL(settings.SLIPWAY_BASE_URL).hostname }),
      sendTest: openTestEvent({ box, sender }),
    },
    watching: { ...createWatchRouteStores(database), now: database.now, start: createWatchStart({ client, log }) },
    tokens: box,
    logger: log,
    baseUrl: baseUrlOf(settings),
    version: VERSION,
    graphiql: settings.NODE_ENV !== 'production',
    origins: settings.SLIPWAY_DATA_ORIGINS,
    ratePerSecond: settings.SLIPWAY_DATA_RATE,
  });
  const checkLoaded = (): void => {
    const loading = atStart.filter(({ name, isReady }) => !isReady && !failed.has(name)).map(({ name }) => name);
    if (loading.length > 0)
      throw new SlipwayError('replica.loading', `datasets are being loaded: ${loading.join(', ')}`);
    if (!isDeclared && failed.size === 0) {
      throw new SlipwayError('replica.loading', 'the built-in datasets are being declared');
    }
  };
  const close = async (): Promise<void> => {
    audits.stop();
    await Promise.all([datasets.stop(), keys.stop(), feed.stop(), webhookAgent.destroy()]);
  };
  return { handle, checkLoaded, close };
}

async function declareBuiltIns(datasets: Datasets): Promise<void> {
  const declarations = createDeclarations({ datasets });
  for (const [name, spec] of BUILT_IN_DATASETS) await declarations.declareFirst({ name, spec, actor: 'slipway' });
}
