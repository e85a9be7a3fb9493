import { randomUUID } from 'node:crypto';
import type { Settings } from '../config.js';
import type { Connection } from '../resources/connection.js';
import type { Deployment } from '../resources/deployment.js';
import type { PackagingIntegration } from '../resources/packaging-integration.js';
import type { Packaging } from '../resources/packaging.js';
import type { PipelineRun } from '../resources/pipeline-run.js';
import type { Pipeline } from '../resources/pipeline.js';
import type { ToolchainIntegration } from '../resources/toolchain-integration.js';
import type { Training } from '../resources/training.js';
import type { Database } from '../stores/database.js';
import { createGcsObjects } from '../stores/gcs-objects.js';
import { createLineageLog } from '../stores/lineage.js';
import { connectDatabase } from '../stores/mongo-database.js';
import { createPipelineRuns } from '../stores/pipeline-runs.js';
import { createRecordIndex } from '../stores/record-index.js';
import { createEndpoints } from '../stores/stored-endpoints.js';
import { createEntities } from '../stores/stored-entities.js';
import { createFeedbackMeter } from '../stores/stored-feedback-meter.js';
import { createLogs } from '../stores/stored-logs.js';

/** Every store of an installation, on its database and bucket. */
export async function openStores(settings: Settings) {
  const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const objects = createGcsObjects({ bucket: settings.SLIPWAY_BUCKET, apiEndpoint: settings.STORAGE_API_ENDPOINT });
  const recordIndex = createRecordIndex({ objects, prefix: settings.SLIPWAY_RECORD_PREFIX });
  // The uploaders of other gateways are as fast as ours.
  const settleMs = 2 * settings.SLIPWAY_RECORD_SECONDS * 1_000;
  return {
    database,
    objects,
    recordIndex,
    feedbackMeter: createFeedbackMeter({ database, objects, index: recordIndex, settleMs }),
    lineage: createLineageLog({ database }),
    logs: createLogs({ objects }),
    endpoints: createEndpoints({ database }),
    connections: createEntities<Connection>({ database, kind: 'Connection' }),
    toolchains: createEntities<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    packagingIntegrations: createEntities<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
    trainings: createEntities<Training>({ database, kind: 'ModelTraining' }),
    packagings: createEntities<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createEntities<Deployment>({ database, kind: 'ModelDeployment' }),
    ...openPipelineStores(database),
  };
}
function openPipelineStores(database: Database) {
  const pipelines = createEntities<Pipeline>({ database, kind: 'ModelPipeline' });
  const pipelineRuns = createEntities<PipelineRun>({ database, kind: 'PipelineRun' });
  const making = { now: () => new Date(), newId: randomUUID };
  return { pipelines, pipelineRuns, pipelineRunStore: createPipelineRuns({ pipelines, pipelineRuns, ...making }) };
}
export type Stores = Awaited<ReturnType<typeof openStores>>;
