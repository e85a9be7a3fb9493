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

/** The buckets of the installation, and the folders in them that it keeps for itself. */
export interface BucketRules {
  /** Buckets that need no credentials in a connection, because the platform has its own. */
  ambientBuckets: readonly string[];
  /** Folders in these buckets that no training reads: they hold sources, logs and records of all owners. */
  closedFolders: readonly string[];
}

// prettier-ignore
const PLATFORM_FOLDERS = ['artifacts', 'bases', 'environments', 'feedback-data', 'imports', 'logs', 'snapshots', 'workspaces'];
const RECORD_FOLDERS = ['feedback', 'inference_detail', 'record_index', 'request_response', 'response_body'];

/** The folders that the platform itself writes. @param recordPrefix where the records of the gateway begin */
export function platformFolders(recordPrefix: string): string[] {
  return [...PLATFORM_FOLDERS, ...RECORD_FOLDERS.map((name) => partsOf(`${recordPrefix}/${name}`).join('/'))];
}

type Located = Pick<ConnectionSpec, 'type' | 'uri'>;

/** A connection at a path below its own (`remotePath` of a data binding, `path` of an object-storage source). */
export function atPath<Spec extends Located>(spec: Spec, path: string | undefined): Spec {
  const parts = partsOf(path ?? '');
  return parts.length === 0 ? spec : { ...spec, uri: [spec.uri.replace(/\/+$/, ''), ...parts].join('/') };
}

/** Google's rule for names. Any other character would change the URL of a request, and with it the bucket that is read. */
const BUCKET = /^[a-z0-9][a-z0-9._-]{0,221}$/;

/** Why no bucket can have the name in a connection's uri; `undefined` when one can, and for other providers. */
export function bucketProblem(spec: Located): string | undefined {
  const { provider, bucket } = objectLocation(spec);
  if (provider !== 'gcs' || bucket === '' || BUCKET.test(bucket)) return undefined;
  return `"${bucket}" is no name of a bucket: it has lower-case letters, digits, ".", "_" and "-"`;
}

/** The whole bucket of a connection. */
export function wholeBucket<Spec extends Located>(spec: Spec): Spec {
  const scheme = /^[^:/]+:\/\//.exec(spec.uri)?.[0] ?? '';
  return { ...spec, uri: `${scheme}${objectLocation(spec).bucket}` };
}

/** Why a training may not read there, as a sentence; `undefined` when it may. */
export function readProblem(spec: Located, path: string | undefined, rules: BucketRules): string | undefined {
  if (path?.startsWith('/')) return `the path "${path}" is absolute: give it below the path of the connection`;
  if (path?.split('/').includes('..')) return `the path "${path}" leads out of the path of the connection`;
  const { bucket, path: wanted } = objectLocation(atPath(spec, path));
  if (!rules.ambientBuckets.includes(bucket)) return undefined;
  const name = wanted === '' ? 'the whole bucket' : `"${wanted}"`;
  const closed = rules.closedFolders.find((folder) => isInside(wanted, folder) || isInside(folder, wanted));
  return closed && `${name} holds "${closed}", which the platform keeps for itself: give the path of other data`;
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [partsOf(path), partsOf(folder)];
  return outer.every((part, at) => inner[at] === part);
}

/** Reads the uri of a connection of one of the object store types. */
export function objectLocation({ type, uri }: Pick<ConnectionSpec, 'type' | 'uri'>): ObjectLocation {
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/s.exec(uri) ?? [];
  const provider = BY_TYPE.get(type) ?? BY_SCHEME.get(scheme.toLowerCase());
  const [host = '', ...path] = rest.split('/').filter(Boolean);
  // Azure: the host is the account, the first part of the path the container.
  const [bucket = '', ...folders] = provider === 'azure' ? path : [host, ...path];
  return { provider, bucket, path: folders.join('/') };
}
