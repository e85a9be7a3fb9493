import { basename } from 'node:path/posix';
import type { ConnectionSpec } from '../kinds/connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { bucketProblem, bucketUri, type ObjectLocation, objectLocation } from '../kinds/object-location.js';
import { azureAccess, isRegion, s3Keys } from '../kinds/store-credentials.js';
import type { PublicHttpAgents } from '../../platform/outbound/public-http-agents.js';
import { createAzureObjects } from '../../platform/stores/azure-objects.js';
import { createGcsObjects } from '../../platform/stores/gcs-objects.js';
import { isWithin, type ObjectStore } from '../../platform/stores/objects.js';
import { createS3Objects } from '../../platform/stores/s3-objects.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';
import { type BucketOptions, openBucket } from './bucket-objects.js';

export interface ConnectionObjectsOptions extends BucketOptions {
  /** Plain text of a sealed secret. */
  openSecret: OpenSecret;
  /** Buckets where a connection without credentials uses the platform's identity. */
  ambientBuckets: readonly string[];
  /** Where connections to addresses that no setting names may go. */
  agents: PublicHttpAgents;
}

type StoreConnection = { id: string; spec: Pick<ConnectionSpec, 'type' | 'uri' | 'region' | 'keyID' | 'keySecret'> };

/**
 * Opens the bucket of a connection; keys are relative to the path in its uri. A path that names one object is a
 * folder with this object in it.
 * @throws validation_failed when the uri or the credentials cannot be used
 */
export function createObjectStoreFor({ id, spec }: StoreConnection, options: ConnectionObjectsOptions): ObjectStore {
  const location = objectLocation(spec);
  const problem = bucketProblem(spec) ?? (isRegion(spec.region || 'none') ? undefined : 'its region is no region');
  if (problem !== undefined) throw new SlipwayError('validation_failed', problem);
  const open = (field: 'keyID' | 'keySecret'): string | undefined =>
    spec[field] ? options.openSecret(spec[field], secretPlaces.connection(id, field)).trim() : undefined;
  const objects = openWith({ location, region: spec.region || undefined, open }, options);
  return location.path === '' ? objects : below(objects, location.path);
}

interface Opened {
  location: ObjectLocation;
  region: string | undefined;
  open: (field: 'keyID' | 'keySecret') => string | undefined;
}

/** A connection has credentials of its own, or is for a bucket that an operator opened to all. */
function openWith({ location, region, open }: Opened, options: ConnectionObjectsOptions): ObjectStore {
  const { provider, bucket } = location;
  const { endpoints, ambientBuckets, agents } = options;
  // The credentials of a connection for Google are not sent to another server, which takes none.
  if (provider === 'gcs' && endpoints.gcs !== undefined) return openBucket(location, options);
  const keySecret = open('keySecret');
  if (provider === undefined || (keySecret === undefined && ambientBuckets.includes(bucketUri(location)))) {
    return openBucket(location, { ...options, region: region ?? options.region });
  }
  if (keySecret === undefined) throw noCredentials(location);
  if (provider === 'gcs') return createGcsObjects({ bucket, jsonKey: keySecret });
  if (provider === 's3') {
    const credentials = s3Keys(open('keyID'), keySecret);
    if (credentials === undefined) throw noCredentials(location);
    const { s3: endpoint } = endpoints;
    return createS3Objects({ bucket, region, endpoint, credentials, ...(endpoint === undefined && { agents }) });
  }
  const access = azureAccess(keySecret, bucket);
  if (access === undefined) throw noCredentials(location);
  return createAzureObjects({ container: bucket, endpoint: access.endpoint, credentials: { sas: access.sas }, agents });
}

const noCredentials = (location: ObjectLocation) =>
  new SlipwayError(
    'validation_failed',
    `the connection has no usable credentials for ${bucketUri(location)}: update its keySecret, or ask an operator to add the bucket to SLIPWAY_AMBIENT_BUCKETS`,
  );

/** The part of a store below a path. */
export function below(objects: ObjectStore, path: string): ObjectStore {
  const name = basename(path);
  const inside = (key: string) => `${path}/${key}`;
  const existing = async (key: string) =>
    key === name && (await objects.head(path)) !== undefined ? path : inside(key);
  return {
    put: (key, body, options) => objects.put(inside(key), body, options),
    open: async (key) => objects.open(await existing(key)),
    read: async (key, part) => objects.read(await existing(key), part),
    async head(key) {
      const info = await objects.head(await existing(key));
      return info && { ...info, key };
    },
    async *list(prefix, { from, to, details } = {}) {
      const only = name.startsWith(prefix) && isWithin(name, { from, to }) ? await objects.head(path) : undefined;
      if (only !== undefined) yield { ...only, key: name };
      const range = { from: from && inside(from), to: to && inside(to), ...(details && { details }) };
      for await (const info of objects.list(inside(prefix), range))
        yield { ...info, key: info.key.slice(path.length + 1) };
    },
    remove: async (key) => objects.remove(await existing(key)),
  };
}
