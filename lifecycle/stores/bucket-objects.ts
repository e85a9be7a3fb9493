import { SlipwayError, unreachable } from '../../platform/kinds/errors.js';
import { createAzureObjects } from '../../platform/stores/azure-objects.js';
import { createGcsObjects } from '../../platform/stores/gcs-objects.js';
import { createS3Objects } from '../../platform/stores/s3-objects.js';
import type { ObjectLocation } from '../kinds/object-location.js';

/** Addresses of servers that speak a cloud's interface, by settings; unset means the cloud itself. */
export interface StoreEndpoints {
  gcs?: string | undefined;
  s3?: string | undefined;
  azure?: string | undefined;
}

export interface BucketOptions {
  endpoints: StoreEndpoints;
  region?: string | undefined;
  /** Key of the account of Azure; unset means a token of the platform's identity. */
  azureKey?: string | undefined;
}

/**
 * Opens a bucket with the platform's own identity: keys in the environment of the process, or what the cloud gives to the
 * machine or workload. Only for the platform's own bucket, and for those that an operator named.
 */
export function openBucket(
  { provider, account, bucket }: ObjectLocation,
  { endpoints, region, azureKey }: BucketOptions,
) {
  switch (provider) {
    case 'gcs':
      return createGcsObjects({ bucket, apiEndpoint: endpoints.gcs });
    case 's3':
      return createS3Objects({ bucket, region, endpoint: endpoints.s3, credentials: 'ambient' });
    case 'azure':
      return createAzureObjects({
        container: bucket,
        endpoint: endpoints.azure ?? `https://${account}.blob.core.windows.net`,
        credentials: azureKey === undefined ? 'ambient' : { account, key: azureKey },
      });
    case undefined:
      throw new SlipwayError('validation_failed', 'the uri names no object store: use a gs://, s3:// or az:// uri');
    default:
      return unreachable(provider);
  }
}
