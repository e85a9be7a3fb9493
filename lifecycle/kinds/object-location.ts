import { canonical } from './aliases.js';
import type { ConnectionSpec } from './connection.js';

export type StoreProvider = 'gcs' | 's3' | 'azure';

/** Where the objects of a connection lie. `path` has no slash at either end. */
export interface ObjectLocation {
  /** Undefined when the scheme names none that we know. */
  provider: StoreProvider | undefined;
  bucket: string;
  path: string;
}

// prettier-ignore
const BY_TYPE: ReadonlyMap<string, StoreProvider> = new Map([['gcs', 'gcs'], ['s3', 's3'], ['azureblob', 'azure']]);
// prettier-ignore
const BY_SCHEME: ReadonlyMap<string, StoreProvider> = new Map([['', 'gcs'], ['gs', 'gcs'], ['s3', 's3'], ['az', 'azure']]);

export const isObjectStore = (type: string): boolean => canonical('connectionType', type) === 'object-store';

/** Reads the uri of a connection of one of the object store types. */
export function objectLocation({ type, uri }: Pick<ConnectionSpec, 'type' | 'uri'>): ObjectLocation {
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/s.exec(uri) ?? [];
  const provider = BY_TYPE.get(type) ?? BY_SCHEME.get(scheme.toLowerCase());
  const [host = '', ...path] = rest.split('/').filter(Boolean);
  // Azure: the host is the account, the first part of the path the container.
  const [bucket = '', ...folders] = provider === 'azure' ? path : [host, ...path];
  return { provider, bucket, path: folders.join('/') };
}
