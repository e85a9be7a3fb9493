import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import type { InferenceService } from '../../lifecycle/kinds/inference-service.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import type { PipelineRun } from '../../lifecycle/kinds/pipeline-run.js';
import type { Pipeline } from '../../lifecycle/kinds/pipeline.js';
import type { Route } from '../../lifecycle/kinds/route.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { AnyResource, Kind } from '../../platform/kinds/resource.js';
import { createKeptIndexes } from '../../platform/stores/kept-indexes.js';
import { ensureIndexes } from '../../platform/stores/indexes.js';
import { createLineageLog } from '../../lifecycle/stores/lineage.js';
import type { Database } from '../../platform/stores/database.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { createPipelineRuns } from '../../lifecycle/stores/pipeline-runs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { createRecordIndex } from '../../lifecycle/stores/record-index.js';
import { createRecordedCalls } from '../../lifecycle/stores/recorded-calls.js';
import { createEndpoints } from '../../lifecycle/stores/stored-endpoints.js';
import { createDeploymentRevisions } from '../../lifecycle/stores/deployment-revisions.js';
import { createMeasurements } from '../../lifecycle/stores/measurements.js';
import { createRouteReaders } from '../../lifecycle/stores/route-readers.js';
import { createResources } from '../../notifications/stores/resources.js';
import { createFeedbackMeter } from '../../lifecycle/stores/stored-feedback-meter.js';
import { createLogs } from '../../platform/stores/stored-logs.js';
import { openPlatformBucket } from './bucket.js';
import { openRecordObjects } from './record-objects.js';
import type { AwaitService } from './startup.js';

interface StoresContext {
  settings: Settings;
  awaitService: AwaitService;
  onError?: (err: unknown) => void;
  /** Room for the documents of each kind in the memory of the `indexes`. */
  documentBytes?: number;
}

/**
 * Every store of an installation, on its database and bucket. A process that serves lists, or looks for open runs,
 * starts the `indexes` where the database only scans.
 */
export async function openStores({ settings, awaitService, onError, documentBytes }: StoresContext) {
  const { MONGODB_URI, SLIPWAY_DATABASE } = settings;
  const database = await awaitService('the database', () => connectDatabase(MONGODB_URI, SLIPWAY_DATABASE));
  await awaitService('the database', () => ensureIndexes(database));
  const objects = openPlatformBucket(settings);
  await awaitService('object storage', () => objects.ensureBucket());
  const indexes = createKeptIndexes({ database, onError, documentBytes });
  const resources = <E extends AnyResource>(kind: Kind) => createResources<E>({ database, kind, indexes });
  const connections = resources<Connection>('Connection');
  const recordObjects = openRecordObjects({ settings, connections, objects });
  const prefix = settings.SLIPWAY_RECORD_PREFIX;
  const recordIndex = createRecordIndex({ objects: recordObjects, prefix });
  // The uploaders of other gateways are as fast as ours.
  const settleMs = 2 * settings.SLIPWAY_RECORD_SECONDS * 1_000;
  return {
    database,
    objects,
    recordObjects,
    recordIndex,
    recordedCalls: createRecordedCalls({ objects: recordObjects, index: recordIndex, prefix }),
    feedbackMeter: createFeedbackMeter({ database, objects: recordObjects, index: recordIndex, settleMs }),
    lineage: createLineageLog({ database }),
    logs: createLogs({ objects, maxBytes: settings.SLIPWAY_LOG_LIMIT_MIB * 2 ** 20 }),
    endpoints: createEndpoints({ database }),
    routeReaders: createRouteReaders({ database }),
    revisions: createDeploymentRevisions({ database }),
    measurements: createMeasurements({ database }),
    connections,
    toolchains: resources<ToolchainIntegration>('ToolchainIntegration'),
    packagingIntegrations: resources<PackagingIntegration>('PackagingIntegration'),
    trainings: resources<Training>('ModelTraining'),
    packagings: resources<Packaging>('ModelPackaging'),
    deployments: resources<Deployment>('ModelDeployment'),
    routes: resources<Route>('ModelRoute'),
    inferenceServices: resources<InferenceService>('InferenceService'),
    inferenceJobs: resources<InferenceJob>('InferenceJob'),
    ...openPipelineStores(resources, database),
    indexes,
  };
}

function openPipelineStores(resources: <E extends AnyResource>(kind: Kind) => ResourceStore<E>, { now }: Database) {
  const pipelines = resources<Pipeline>('ModelPipeline');
  const pipelineRuns = resources<PipelineRun>('PipelineRun');
  const making = { now, newId: randomUUID };
  return { pipelines, pipelineRuns, pipelineRunStore: createPipelineRuns({ pipelines, pipelineRuns, ...making }) };
}
export type Stores = Awaited<ReturnType<typeof openStores>>;
