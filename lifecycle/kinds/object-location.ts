import { canonical } from './aliases.js';
import type { ConnectionSpec } from './connection.js';

export type StoreProvider = 'gcs' | 's3' | 'azure';

/** Where the objects of a connection lie. `path` has no slash at either end. */
export interface ObjectLocation {
  /** Undefined when the scheme names none that we know. */
  provider: StoreProvider | undefined;
  /** The account of Azure; `''` elsewhere. */
  account: string;
  bucket: string;
  path: string;
}

// prettier-ignore
const BY_TYPE: ReadonlyMap<string, StoreProvider> = new Map([['gcs', 'gcs'], ['s3', 's3'], ['azureblob', 'azure']]);
// prettier-ignore
const BY_SCHEME: ReadonlyMap<string, StoreProvider> = new Map([['', 'gcs'], ['gs', 'gcs'], ['s3', 's3'], ['az', 'azure']]);

export const isObjectStore = (type: string): boolean => canonical('connectionType', type) === 'object-store';

/** The buckets of the installation, and the folders that it keeps for itself. Buckets are as `bucketUri` writes them. */
export interface BucketRules {
  /** Buckets that need no credentials in a connection, because the platform's own identity is used there. */
  ambientBuckets: readonly string[];
  /** The platform's own bucket; a client that validates offline does not know it. */
  ownBucket?: string;
  /** Folders in it that no training reads: they hold sources, logs and records of all owners. */
  closedFolders: readonly string[];
}

// prettier-ignore
const PLATFORM_FOLDERS = ['artifacts', 'bases', 'batch-plans', 'environments', 'feedback-data', 'imports', 'logs', 'snapshots', 'workspaces'];
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

/** The rules for names. Any other character would change the URL of a request, and with it the bucket that is read. */
const BUCKETS: Readonly<Record<StoreProvider, { form: RegExp; text: string }>> = {
  gcs: { form: /^[a-z0-9][a-z0-9._-]{0,221}$/, text: 'it has lower-case letters, digits, ".", "_" and "-"' },
  s3: { form: /^[a-z0-9][a-z0-9.-]{0,62}$/, text: 'it has at most 63 lower-case letters, digits, "." and "-"' },
  azure: { form: /^[a-z0-9][a-z0-9-]{0,62}$/, text: 'it has at most 63 lower-case letters, digits and "-"' },
};
const ACCOUNT = /^[a-z0-9]{1,24}$/;

/** Why no bucket can have the name in a connection's uri; `undefined` when one can, and for other providers. */
export function bucketProblem(spec: Located): string | undefined {
  const { provider, account, bucket } = objectLocation(spec);
  if (provider === undefined || spec.uri === '') return undefined;
  if (provider === 'azure' && !ACCOUNT.test(account)) {
    return `"${account}" is no name of an account: give az://ACCOUNT/CONTAINER`;
  }
  const { form, text } = BUCKETS[provider];
  return form.test(bucket) ? undefined : `"${bucket}" is no name of a bucket: ${text}`;
}

const SCHEMES = { gcs: 'gs', s3: 's3', azure: 'az' } as const satisfies Record<StoreProvider, string>;

/** One text for each bucket, whatever the type and uri that name it. */
export function bucketUri({ provider = 'gcs', account, bucket }: ObjectLocation): string {
  return `${SCHEMES[provider]}://${account === '' ? '' : `${account}/`}${bucket}`;
}

/** The whole bucket of a connection. */
export const wholeBucket = <Spec extends Located>(spec: Spec): Spec => ({
  ...spec,
  uri: bucketUri(objectLocation(spec)),
});

/** Why a training may not read there, as a sentence; `undefined` when it may. */
export function readProblem(spec: Located, path: string | undefined, rules: BucketRules): string | undefined {
  if (path?.startsWith('/')) return `the path "${path}" is absolute: give it below the path of the connection`;
  if (path?.split('/').includes('..')) return `the path "${path}" leads out of the path of the connection`;
  const location = objectLocation(atPath(spec, path));
  if (bucketUri(location) !== rules.ownBucket) return undefined;
  const wanted = location.path;
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
  return {
    provider,
    account: provider === 'azure' ? (host.split('.', 1)[0] ?? '') : '',
    bucket,
    path: folders.join('/'),
  };
}
