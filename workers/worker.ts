import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createBatchActivities } from '../activities/batch/batch.js';
import { createDeploymentActivities } from '../activities/deployment/deployment.js';
import { createRolloutActivities } from '../activities/deployment/rollout.js';
import { createReplicaMeter } from '../activities/deployment/replica-meter.js';
import { createImportActivities } from '../activities/imports/import.js';
import { createNotificationActivities } from '../activities/notifications/notification.js';
import { createPackagingActivities } from '../activities/packaging/packaging.js';
import { createPipelineActivities } from '../activities/pipeline/pipeline.js';
import { attestationKeys, attestationSigner } from '../platform/attestation/signing-key.js';
import { guardImages } from '../platform/outbound/guarded-images.js';
import { createPublicAgent } from '../platform/outbound/public-agent.js';
import { createSweepActivities } from '../activities/shared/sweep.js';
import { createUpkeepActivities } from '../activities/shared/upkeep.js';
import { createTriggerActivities } from '../activities/pipeline/trigger-checks.js';
import { createTriggers } from '../activities/pipeline/triggers.js';
import { createTrainingActivities } from '../activities/training/training.js';
import { createWatchActivities } from '../activities/notifications/watches/watches.js';
import { createInternalApi } from '../api/http/internal.js';
import { bucketRules, createValidationContext, imageRules } from '../api/lifecycle/validation-context.js';
import type { Settings } from '../config.js';
import type { Connection } from '../lifecycle/kinds/connection.js';
import { createObjectStoreFor } from '../lifecycle/stores/connection-objects.js';
import { publishMeasurements } from '../lifecycle/stores/measurements.js';
import { createDatasets } from '../reference/stores/datasets.js';
import { createRowWrites } from '../reference/stores/row-writes.js';
import { actOnEach } from '../platform/kinds/loop-items.js';
import { createRegistries } from '../platform/registry/client.js';
import { createEgressFindings } from '../platform/stores/egress-finding.js';
import { createAudit } from '../platform/stores/audit.js';
import { createTriggeredRuns } from '../lifecycle/stores/triggered-runs.js';
import { createEventStream } from '../platform/stores/event-stream.js';
import { createImports } from '../reference/stores/imports.js';
import { createReuse } from '../lifecycle/stores/reuse.js';
import { workflowBundle } from './compose/bundle.js';
import { createImportRuns, isImportOpen } from './compose/import-runs.js';
import { openSnapshots } from './compose/snapshots.js';
import { checkEgress } from '../platform/engines/egress-check.js';
import { openEngine } from './compose/engine.js';
import { createClockMetric } from './compose/clock-metric.js';
import { createLoopMetrics } from './compose/loop-metrics.js';
import { close, listen } from './compose/listen.js';
import { createNotificationMetrics } from './compose/notification-metrics.js';
import { createNotificationStores, openNotificationDeps } from './compose/notification-deps.js';
import { createWake, listEnded, listNotified } from './compose/notifications.js';
import { createReplicaMetrics } from './compose/replica-metrics.js';
import { type Close, runProcess, type StartContext } from './compose/process.js';
import { createRuns, isRunOpen } from './compose/runs.js';
import { createSchedules, ensureLoopSchedules } from './compose/schedules.js';
import { outboundRules } from './compose/outbound-rules.js';
import { openPipelineSubscriptions } from './compose/pipeline-subscriptions.js';
import { openQuotas } from './compose/quotas.js';
import { connectionBuckets } from './compose/bucket.js';
import { openStores } from './compose/stores.js';
import { queuesOf, workerOptions } from './compose/task-queues.js';
import { createLeaseRenewal, createTemporalClient } from './compose/temporal.js';
import { connectWorker, reachTemporal } from './compose/temporal-connection.js';
import { createHeals, createUpkeepParts } from './compose/upkeep.js';
import { ensureSearchAttributes } from './compose/search-attributes.js';
import { createImageUses } from '../lifecycle/stores/image-uses.js';
import { keptImages } from '../activities/shared/kept-images.js';
import { openRegistryAuth } from './compose/registry-auth.js';
import { openSecretBox } from './compose/secret-box.js';
import { openWatchDeps } from './compose/watches.js';
import { openWakePort } from './compose/wake-port.js';
import { VERSION } from './compose/version.js';
import { webhookPolicy } from './compose/webhook-policy.js';
import { deploymentOptions, takeTasks, workerVersion } from './compose/worker-version.js';
import type { WakePort } from '../activities/deployment/wake-port.js';
import type { OpenSecret } from '../platform/kinds/secret-places.js';

const RUNTIME = fileURLToPath(new URL('../runtime', import.meta.url));

await runProcess('worker', startWorker);

async function startWorker({ settings, log, startup }: StartContext): Promise<Close> {
  const queues = queuesOf(settings);
  Runtime.install({ shutdownSignals: [], logger: toTemporalLogger(log) });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const internal = await openInternal({ settings, metrics, checkReady: startup.checkReady });
  const wakes = await openWakePort({ host: settings.SLIPWAY_INTERNAL_HOST, port: settings.SLIPWAY_WAKE_PORT });
  const [activities, codePath, connection] = await Promise.all([
    createActivities({ settings, log, metrics, startup, wakePort: wakes.wakePort }),
    workflowBundle(settings.SLIPWAY_STATE_DIR, { encodesFailures: settings.TEMPORAL_ENCRYPT_PAYLOADS }),
    startup.awaitService('Temporal', () => connectWorker(settings)),
  ]);
  const server = { connection, settings, log };
  const deployment = await deploymentOptions(await workerVersion(), server);
  const parts = { settings, activities, codePath, connection, deployment };
  const workers = await Promise.all(queues.map((queue) => Worker.create(workerOptions(queue, parts))));
  let ending = false;
  const running = workers.map((worker) => worker.run());
  Promise.all(running).catch((err: unknown) => {
    if (ending) return;
    log.fatal({ err }, 'a worker ended');
    process.exit(1);
  });
  startup.finish(async () => void (await connection.workflowService.getSystemInfo({})));
  const starting = new AbortController();
  void takeTasks(deployment, server, starting);
  return async () => {
    ending = true;
    starting.abort();
    for (const worker of workers) worker.shutdown();
    // A queue that does not end in time must not cut the deliveries of another.
    await Promise.allSettled(running);
    await Promise.all(running);
    await connection.close();
    await wakes.close();
    if (internal !== undefined) await close(internal);
  };
}

/** Health and metrics of this process, if a port is set: several workers may share a machine. */
async function openInternal({ settings, metrics, checkReady }: InternalParts): Promise<Server | undefined> {
  const { SLIPWAY_INTERNAL_HOST: host, SLIPWAY_WORKER_INTERNAL_PORT: port } = settings;
  if (port === undefined) return undefined;
  const handle = createInternalApi({ metrics, checkReady }).callback();
  const server = createServer((req, res) => void handle(req, res));
  await listen(server, { host, port });
  return server;
}

interface InternalParts {
  settings: Settings;
  metrics: Registry;
  checkReady: () => Promise<void>;
}

/** The SDK's own messages in our log; what every start says of unused features is left out. */
function toTemporalLogger(log: Logger): DefaultLogger {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    if (message.startsWith('No ')) return;
    log[levels[level]](meta ?? {}, message);
  });
}

interface ActivityContext extends StartContext {
  metrics: Registry;
  wakePort: WakePort;
}

async function createActivities({ settings, log, metrics, startup, wakePort }: ActivityContext): Promise<object> {
  const { awaitService } = startup;
  const onError = (err: unknown): void => log.warn({ err }, 'the indexes of open runs could not be brought up to date');
  const stores = await openStores({ settings, awaitService, onError, documentBytes: 0 });
  if (settings.SLIPWAY_QUEUES.includes('control') && (await stores.database.scans())) void stores.indexes.start();
  createClockMetric(stores.database, metrics);
  const warn = (message: string): void => log.warn(message);
  const engine = checkEgress({
    engine: guardImages(await openEngine(settings, stores.database, warn), imageRules(settings)),
    image: settings.SLIPWAY_BUILDER_IMAGE,
    refuses: settings.SLIPWAY_EGRESS_CHECK === 'refuse',
    record: createEgressFindings(stores.database).record,
    warn,
  });
  const client = createTemporalClient(settings);
  await awaitService('Temporal', () => reachTemporal(() => ensureSearchAttributes(settings)));
  await awaitService('Temporal', () =>
    reachTemporal(() => ensureLoopSchedules(client, settings.SLIPWAY_SWEEP_SECONDS)),
  );
  const box = openSecretBox(settings);
  // Base64 is how clients send secrets; the box keeps what they sent.
  const openSecret: OpenSecret = (sealed, place) => Buffer.from(box.open(sealed, place), 'base64').toString('utf8');
  const buckets = connectionBuckets(settings, openSecret);
  const shared = {
    ...stores,
    now: stores.database.now,
    engine,
    openSecret,
    registryAuth: openRegistryAuth(settings, openSecret),
    imageUses: createImageUses({ database: stores.database }),
    openStore: async (connection: Connection) => createObjectStoreFor(connection, buckets),
    bucketRules: bucketRules(settings),
    imageMirrors: settings.SLIPWAY_IMAGE_MIRRORS,
    imagePolicy: settings.SLIPWAY_IMAGE_POLICY,
    attestationKeys: () => attestationKeys({ database: stores.database, box }),
    readySeconds: settings.SLIPWAY_READY_TIMEOUT,
    runner: `${RUNTIME}/slipway_runner`,
    builderImage: settings.SLIPWAY_BUILDER_IMAGE,
    pythonIndex: settings.SLIPWAY_PYTHON_INDEX,
    allowSourcePackages: settings.SLIPWAY_ALLOW_SOURCE_PACKAGES,
    localRoots: settings.SLIPWAY_LOCAL_REPOSITORIES,
    outbound: outboundRules(settings),
    registries: createRegistries(imageRules(settings)),
    sshFirstUse: settings.SLIPWAY_SSH_FIRST_USE,
    workspaceBytes: settings.SLIPWAY_MAX_WORKSPACE_GIB * 2 ** 30,
    diskBytes: settings.SLIPWAY_MAX_JOB_DISK_GIB * 2 ** 30,
  };
  // Loaded when an import comes, and let go of afterwards.
  const datasets = createDatasets({
    database: stores.database,
    snapshots: openSnapshots(settings, stores.objects),
    lazy: true,
    onError: (err, what) => log.warn({ err }, `${what} cannot be followed just now`),
  });
  await datasets.start();
  const imports = createImports(stores);
  const notificationStores = createNotificationStores(stores.database);
  const pipelineSubscriptions = openPipelineSubscriptions(notificationStores, stores, box);
  // Before any run goes on here: open runs of 0.1.0 claimed no subscription, and this version sends no notices by itself.
  await actOnEach(pipelineSubscriptions.repairs(), (pipeline, err) =>
    log.warn({ err, pipeline }, 'the subscriptions of a pipeline are left to the sweep'),
  );
  const loopMetrics = createLoopMetrics(metrics);
  const { quotas } = openQuotas({ settings, stores, onError });
  const audit = createAudit({ database: stores.database });
  const meter = createReplicaMeter({ engine });
  createReplicaMetrics(metrics, meter.revisions);
  publishMeasurements(stores.measurements, {
    source: `worker/${randomUUID()}`,
    measure: () => ({ replicas: meter.measure() }),
  });
  const admission = { quotas, audit, triggeredRuns: createTriggeredRuns({ ...shared, quotas, audit }) };
  const kept = {
    ...shared,
    days: settings.SLIPWAY_KEPT_IMAGE_DAYS,
    most: settings.SLIPWAY_KEPT_IMAGES,
    runSeconds: Math.max(settings.SLIPWAY_TRAINING_TIMEOUT, settings.SLIPWAY_PACKAGING_TIMEOUT),
  };
  const webhookAgent = createPublicAgent({ policy: webhookPolicy(settings, log), connectTimeoutMs: 5_000 });
  return {
    ...createNotificationActivities(
      openNotificationDeps({
        settings,
        log,
        client,
        webhookAgent,
        database: stores.database,
        metrics: createNotificationMetrics(metrics),
      }),
    ),
    ...createWatchActivities(openWatchDeps({ settings, log, client, datasets, ...stores })),
    ...createImportActivities({
      datasets,
      imports,
      writes: createRowWrites({ datasets }),
    }),
    ...createTrainingActivities({
      ...shared,
      renewLease: createLeaseRenewal(client),
      limitSeconds: settings.SLIPWAY_TRAINING_TIMEOUT,
      mostAtOnce: settings.SLIPWAY_MAX_TRAININGS,
      recordPrefix: settings.SLIPWAY_RECORD_PREFIX,
    }),
    ...createBatchActivities({
      ...shared,
      renewLease: createLeaseRenewal(client),
      limitSeconds: settings.SLIPWAY_BATCH_TIMEOUT,
      mostAtOnce: settings.SLIPWAY_MAX_BATCH_JOBS,
    }),
    ...createPackagingActivities({
      ...shared,
      integrations: stores.packagingIntegrations,
      attestation: {
        signer: () => attestationSigner({ database: stores.database, box }),
        builder: { id: settings.SLIPWAY_BASE_URL, version: VERSION },
      },
      server: `${RUNTIME}/slipway_server`,
      limitSeconds: settings.SLIPWAY_PACKAGING_TIMEOUT,
    }),
    ...createDeploymentActivities({
      ...{ ...shared, meter, renewLease: createLeaseRenewal(client), wakePort },
      guardSeconds: settings.SLIPWAY_GUARD_SECONDS,
      pausedBytes: settings.SLIPWAY_PAUSED_GIB * 2 ** 30,
      times: {
        stableMs: settings.SLIPWAY_SCALE_SECONDS * 1_000,
        pauseMs: settings.SLIPWAY_PAUSE_SECONDS * 1_000,
        stopMs: settings.SLIPWAY_STOP_SECONDS * 1_000,
      },
    }),
    ...createRolloutActivities({ ...shared, meter, renewLease: createLeaseRenewal(client) }),
    ...createPipelineActivities({
      ...shared,
      ...admission,
      validationContext: createValidationContext({ ...stores, toolchainIntegrations: stores.toolchains, settings }),
      runs: createRuns({ client, log }),
      trainingReuse: createReuse(stores.database, 'training'),
      schedules: createSchedules({ client, log }),
      pipelineEvents: createEventStream({ database: stores.database, stream: 'pipeline' }),
      pipelineSubscriptions,
      packagingReuse: createReuse(stores.database, 'packaging'),
      newId: randomUUID,
    }),
    ...createSweepActivities({
      ...shared,
      runs: createRuns({ client, log }),
      schedules: createSchedules({ client, log }),
      pipelineSubscriptions,
      ...notificationStores,
      wakeSubscription: createWake(client),
      listNotified: () => listNotified(client),
      listEnded: (since) => listEnded(client, since),
      isOpen: (kind, id) => isRunOpen(client, kind, id),
      imports,
      importRuns: createImportRuns({ client }),
      isImportOpen: (id) => isImportOpen(client, id),
      heals: createHeals(stores.database),
      graceMs: (settings.SLIPWAY_SWEEP_SECONDS * 1_000) / 2,
      metrics: { onDone: loopMetrics.repaired, onSkipped: loopMetrics.skippedBy('sweep') },
    }),
    ...createTriggerActivities({
      ...stores,
      triggers: createTriggers({ ...shared, ...admission }),
      runs: createRuns({ client, log }),
      options: { onSkipped: loopMetrics.skippedBy('triggers') },
    }),
    ...createUpkeepActivities({
      parts: [
        ...createUpkeepParts({
          ...stores,
          recordPrefix: settings.SLIPWAY_RECORD_PREFIX,
          recordDays: settings.SLIPWAY_RECORD_DAYS,
          lineageDays: settings.SLIPWAY_LINEAGE_DAYS,
          logDays: settings.SLIPWAY_LOG_DAYS,
        }),
        { name: 'images', items: () => keptImages(kept) },
      ],
      onDone: loopMetrics.removed,
      onSkipped: loopMetrics.skippedBy('upkeep'),
    }),
  };
}
