import type { Settings } from '../../config.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { type BucketRules, platformFolders } from '../../lifecycle/kinds/object-location.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { DEFAULT_CONNECTIONS } from '../../lifecycle/kinds/built-in-rules.js';

export interface ValidationContextDeps {
  settings: Settings;
  connections: ResourceStore<Connection>;
  toolchainIntegrations: ResourceStore<ToolchainIntegration>;
  packagingIntegrations: ResourceStore<PackagingIntegration>;
}

export const bucketRules = ({ SLIPWAY_BUCKET, SLIPWAY_RECORD_PREFIX }: Settings): BucketRules => ({
  ambientBuckets: [SLIPWAY_BUCKET],
  closedFolders: platformFolders(SLIPWAY_RECORD_PREFIX),
});

/** Reads and rules of this installation that validators need. */
export function createValidationContext(deps: ValidationContextDeps): ValidationContext {
  const { settings, connections, toolchainIntegrations, packagingIntegrations } = deps;
  return {
    lookups: {
      connection: (id) => connections.get(id),
      toolchain: (id) => toolchainIntegrations.get(id),
      packagingIntegration: (id) => packagingIntegrations.get(id),
    },
    rules: {
      maxDeploymentIdLength: settings.SLIPWAY_MAX_DEPLOYMENT_ID_LENGTH,
      outputConnection: DEFAULT_CONNECTIONS.output,
      pullConnection: DEFAULT_CONNECTIONS.registry,
      nodePools: settings.SLIPWAY_NODE_POOLS,
      imagePolicy: settings.SLIPWAY_IMAGE_POLICY,
      ceilings: {
        replicas: settings.SLIPWAY_MAX_REPLICAS,
        cpu: settings.SLIPWAY_MAX_CPU,
        memory: settings.SLIPWAY_MAX_MEMORY,
      },
      ...bucketRules(settings),
      localRepositories: settings.SLIPWAY_LOCAL_REPOSITORIES,
    },
  };
}
