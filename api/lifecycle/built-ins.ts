import { bucketUri, objectLocation } from '../../lifecycle/kinds/object-location.js';
import type { Settings } from '../../config.js';
import { builtInConnections, builtInPackagers, builtInToolchains } from '../../lifecycle/kinds/built-in.js';
import type { BuiltIn, BuiltInSettings } from '../../lifecycle/kinds/built-in.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import type { Resource, Kind } from '../../platform/kinds/resource.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { firstGeneration } from './generations.js';
import type { ResourceIdentity } from './generations.js';

export interface BuiltInsDeps extends ResourceIdentity {
  settings: Settings;
  connections: ResourceStore<Connection>;
  toolchainIntegrations: ResourceStore<ToolchainIntegration>;
  packagingIntegrations: ResourceStore<PackagingIntegration>;
}

/** Stores what an installation starts with; what is there already, changed or not, is left alone. */
export async function ensureBuiltIns(deps: BuiltInsDeps): Promise<void> {
  const { settings, connections, toolchainIntegrations, packagingIntegrations } = deps;
  const from = builtInSettings(settings);
  for (const each of builtInConnections(from)) await insertOnce(connections, each, deps);
  for (const each of builtInToolchains(from)) await insertOnce(toolchainIntegrations, each, deps);
  for (const each of builtInPackagers(from)) await insertOnce(packagingIntegrations, each, deps);
}

export const builtInSettings = (settings: Settings): BuiltInSettings => ({
  bucket: bucketUri(objectLocation({ type: 'object-store', uri: settings.SLIPWAY_BUCKET })),
  registry: settings.SLIPWAY_REGISTRY,
  toolchainImage: settings.SLIPWAY_TOOLCHAIN_IMAGE,
  builderImage: settings.SLIPWAY_BUILDER_IMAGE,
});

async function insertOnce<Spec extends object>(
  store: ResourceStore<Resource<Spec, Record<string, never>>>,
  builtIn: BuiltIn<Kind, Spec>,
  making: ResourceIdentity,
): Promise<void> {
  if ((await store.get(builtIn.id)) !== undefined) return;
  try {
    await store.insert(firstGeneration({ ...builtIn, status: {} }, { sub: 'slipway' }, making));
  } catch (err) {
    // Another process of the same installation was faster.
    if (!(err instanceof SlipwayError && err.code === 'already_exists')) throw err;
  }
}
