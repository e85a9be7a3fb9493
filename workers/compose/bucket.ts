import type { Settings } from '../../config.js';
import { objectLocation } from '../../lifecycle/kinds/object-location.js';
import { type BucketOptions, openBucket } from '../../lifecycle/stores/bucket-objects.js';

export const bucketOptions = (settings: Settings): BucketOptions => ({
  endpoints: {
    gcs: settings.STORAGE_API_ENDPOINT,
    s3: settings.SLIPWAY_S3_ENDPOINT,
    azure: settings.SLIPWAY_AZURE_ENDPOINT,
  },
  region: settings.SLIPWAY_BUCKET_REGION,
  azureKey: settings.SLIPWAY_AZURE_KEY,
});

/** The bucket of the platform itself. */
export const openPlatformBucket = (settings: Settings) =>
  openBucket(objectLocation({ type: 'object-store', uri: settings.SLIPWAY_BUCKET }), bucketOptions(settings));
