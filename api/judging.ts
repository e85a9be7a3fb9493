import type { Settings } from '../config.js';
import type { Connection } from '../resources/connection.js';
import type { PackagingIntegration } from '../resources/packaging-integration.js';
import type { ToolchainIntegration } from '../resources/toolchain-integration.js';
import type { Judging } from '../resources/validation.js';
import type { EntityStore } from '../stores/entities.js';
import { DEFAULT_CONNECTIONS } from '../resources/built-in-rules.js';

export interface JudgingDeps {
  settings: Settings;
  connections: EntityStore<Connection>;
  toolchainIntegrations: EntityStore<ToolchainIntegration>;
  packagingIntegrations: EntityStore<PackagingIntegration>;
}

/** What validators ask of this installation. */
export function createJudging(deps: JudgingDeps): Judging {
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
      ambientBuckets: [settings.SLIPWAY_BUCKET],
      localRepositories: settings.SLIPWAY_LOCAL_REPOSITORIES,
    },
  };
}
