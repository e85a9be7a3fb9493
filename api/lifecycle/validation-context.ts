import type { Settings } from '../../config.js';
import type { Connection } from '../../lifecycle/kinds/connection.js';
import { type BucketRules, bucketUri, objectLocation, platformFolders } from '../../lifecycle/kinds/object-location.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ImageRules } from '../../platform/kinds/image-rules.js';
import { parseNetwork } from '../../platform/kinds/network-addresses.js';
import { EVERYWHERE, type WebhookPolicy } from '../../platform/kinds/webhook-url.js';
import { openNetworks } from '../../platform/outbound/open-networks.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { DEFAULT_CONNECTIONS } from '../../lifecycle/kinds/built-in-rules.js';

export interface ValidationContextDeps {
  settings: Settings;
  connections: ResourceStore<Connection>;
  toolchainIntegrations: ResourceStore<ToolchainIntegration>;
  packagingIntegrations: ResourceStore<PackagingIntegration>;
}

export function bucketRules(settings: Settings): BucketRules {
  const ownBucket = bucketUri(objectLocation({ type: 'object-store', uri: settings.SLIPWAY_BUCKET }));
  return {
    ownBucket,
    ambientBuckets: [ownBucket, ...settings.SLIPWAY_AMBIENT_BUCKETS],
    closedFolders: platformFolders(settings.SLIPWAY_RECORD_PREFIX),
  };
}

/** Registries where a connection without credentials uses the identity of the platform. */
export const ambientRegistries = ({ SLIPWAY_REGISTRY, SLIPWAY_AMBIENT_REGISTRIES }: Settings): string[] => [
  SLIPWAY_REGISTRY,
  ...SLIPWAY_AMBIENT_REGISTRIES,
];

/** The images that this installation pulls. A mirrored reference is never pulled itself, so that it may be any. */
export function imageRules(settings: Settings): ImageRules {
  const { SLIPWAY_IMAGE_REGISTRIES, SLIPWAY_REGISTRY, SLIPWAY_TOOLCHAIN_IMAGE, SLIPWAY_BUILDER_IMAGE } = settings;
  return {
    registries: SLIPWAY_IMAGE_REGISTRIES?.map((each) => each.toLowerCase()),
    own: SLIPWAY_REGISTRY.toLowerCase(),
    images: [SLIPWAY_TOOLCHAIN_IMAGE, SLIPWAY_BUILDER_IMAGE, ...Object.values(settings.SLIPWAY_IMAGE_MIRRORS)],
    networks: openNetworks(settings.NODE_ENV === 'production', settings.SLIPWAY_OUTBOUND_NETWORKS),
  };
}

/** The addresses that webhooks may use by the settings. */
export function webhookRules(settings: Settings): WebhookPolicy {
  const { SLIPWAY_WEBHOOK_PRIVATE: everywhere, SLIPWAY_WEBHOOK_NETWORKS: some } = settings;
  return {
    networks: everywhere ? EVERYWHERE : some.flatMap((text) => parseNetwork(text) ?? []),
    http: everywhere || settings.SLIPWAY_WEBHOOK_HTTP,
    ports: everywhere ? 'any' : settings.SLIPWAY_WEBHOOK_PORTS,
  };
}

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
      images: {
        ...imageRules(settings),
        images: [...imageRules(settings).images, ...Object.keys(settings.SLIPWAY_IMAGE_MIRRORS)],
      },
      webhooks: webhookRules(settings),
      nodePools: settings.SLIPWAY_NODE_POOLS,
      imagePolicy: settings.SLIPWAY_IMAGE_POLICY,
      ceilings: {
        replicas: settings.SLIPWAY_MAX_REPLICAS,
        cpu: settings.SLIPWAY_MAX_CPU,
        memory: settings.SLIPWAY_MAX_MEMORY,
      },
      ...bucketRules(settings),
      ambientRegistries: ambientRegistries(settings),
      localRepositories: settings.SLIPWAY_LOCAL_REPOSITORIES,
    },
  };
}
