import { bucketRules } from '../../api/lifecycle/validation-context.js';
import type { Settings } from '../../config.js';
import { objectLocation } from '../../lifecycle/kinds/object-location.js';
import { type BucketOptions, openBucket } from '../../lifecycle/stores/bucket-objects.js';
import type { ConnectionObjectsOptions } from '../../lifecycle/stores/connection-objects.js';
import type { OpenSecret } from '../../platform/kinds/secret-places.js';
import { createPublicHttpAgents } from '../../platform/outbound/public-http-agents.js';
import { outboundRules } from './outbound-rules.js';

const bucketOptions = (settings: Settings): BucketOptions => ({
  endpoints: {
    gcs: settings.STORAGE_API_ENDPOINT,
    s3: settings.SLIPWAY_S3_ENDPOINT,
    azure: settings.SLIPWAY_AZURE_ENDPOINT,
  },
  region: settings.SLIPWAY_BUCKET_REGION,
  azureKey: settings.SLIPWAY_AZURE_KEY,
});

/** How the buckets of connections are opened. */
export const connectionBuckets = (settings: Settings, openSecret: OpenSecret): ConnectionObjectsOptions => ({
  ...bucketOptions(settings),
  openSecret,
  ambientBuckets: bucketRules(settings).ambientBuckets,
  agents: createPublicHttpAgents({ policy: outboundRules(settings) }),
});

/** The bucket of the platform itself. */
export const openPlatformBucket = (settings: Settings) =>
  openBucket(objectLocation({ type: 'object-store', uri: settings.SLIPWAY_BUCKET }), bucketOptions(settings));
