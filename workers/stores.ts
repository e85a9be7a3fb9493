import type { Settings } from '../config.js';
import type { Connection } from '../resources/connection.js';
import type { Deployment } from '../resources/deployment.js';
import type { PackagingIntegration } from '../resources/packaging-integration.js';
import type { Packaging } from '../resources/packaging.js';
import type { ToolchainIntegration } from '../resources/toolchain-integration.js';
import type { Training } from '../resources/training.js';
import { createGcsObjects } from '../stores/gcs-objects.js';
import { connectDatabase } from '../stores/mongo-database.js';
import { createEndpoints } from '../stores/stored-endpoints.js';
import { createEntities } from '../stores/stored-entities.js';
import { createLogs } from '../stores/stored-logs.js';

/** Every store of an installation, on its database and bucket. */
export async function openStores(settings: Settings) {
  const database = await connectDatabase(settings.MONGODB_URI, settings.SLIPWAY_DATABASE);
  const objects = createGcsObjects({ bucket: settings.SLIPWAY_BUCKET, apiEndpoint: settings.STORAGE_API_ENDPOINT });
  return {
    database,
    objects,
    logs: createLogs({ objects }),
    endpoints: createEndpoints({ database }),
    connections: createEntities<Connection>({ database, kind: 'Connection' }),
    toolchains: createEntities<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    packagingIntegrations: createEntities<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
    trainings: createEntities<Training>({ database, kind: 'ModelTraining' }),
    packagings: createEntities<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createEntities<Deployment>({ database, kind: 'ModelDeployment' }),
  };
}
export type Stores = Awaited<ReturnType<typeof openStores>>;
