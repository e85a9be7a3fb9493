import { basename } from 'node:path/posix';
import type { ConnectionSpec } from '../kinds/connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { bucketProblem, objectLocation } from '../kinds/object-location.js';
import { createGcsObjects } from '../../platform/stores/gcs-objects.js';
import { isWithin, type ObjectStore } from '../../platform/stores/objects.js';
import { type OpenSecret, secretPlaces } from '../../platform/kinds/secret-places.js';

export interface ConnectionObjectsOptions {
  /** Where Google Cloud Storage is; unset means the real one. Credentials of connections are not sent to another. */
  apiEndpoint?: string;
  /** Plain text of a sealed secret. */
  openSecret: OpenSecret;
}

/**
 * Opens the bucket of a connection; keys are relative to the path in its uri. A path that names one object is a
 * folder with this object in it.
 * @throws validation_failed when the provider is not supported, or the bucket's name is none
 */
export function createObjectStoreFor(
  { id, spec: { type, uri, keySecret } }: { id: string; spec: Pick<ConnectionSpec, 'type' | 'uri' | 'keySecret'> },
  { apiEndpoint, openSecret }: ConnectionObjectsOptions,
): ObjectStore {
  const { provider, bucket, path } = objectLocation({ type, uri });
  if (provider !== 'gcs') {
    const name = provider ?? 'this provider';
    throw new SlipwayError('validation_failed', `objects of ${name} can not be read yet: use a gs:// uri`);
  }
  const problem = bucketProblem({ type, uri });
  if (problem !== undefined) throw new SlipwayError('validation_failed', problem);
  const jsonKey =
    keySecret && apiEndpoint === undefined
      ? openSecret(keySecret, secretPlaces.connection(id, 'keySecret'))
      : undefined;
  const objects = createGcsObjects({ bucket, apiEndpoint, jsonKey });
  return path === '' ? objects : below(objects, path);
}

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
    async *list(prefix, { from, to } = {}) {
      const only = name.startsWith(prefix) && isWithin(name, { from, to }) ? await objects.head(path) : undefined;
      if (only !== undefined) yield { ...only, key: name };
      const range = { from: from && inside(from), to: to && inside(to) };
      for await (const info of objects.list(inside(prefix), range))
        yield { ...info, key: info.key.slice(path.length + 1) };
    },
    remove: async (key) => objects.remove(await existing(key)),
  };
}
