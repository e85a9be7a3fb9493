import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { TokenCredential } from '@azure/identity';
import { type BlockBlobClient, ContainerClient, newPipeline, StorageSharedKeyCredential } from '@azure/storage-blob';
import { SlipwayError } from '../kinds/errors.js';
import type { PublicHttpAgents } from '../outbound/public-http-agents.js';
import { failuresOf, missingBucket, toObjectError } from './object-failures.js';
import { upload } from './object-upload.js';
import { isWithin, type ObjectInfo, type ObjectStore, type PutOptions } from './objects.js';

export interface AzureOptions {
  container: string;
  /** Address of the account, without a query. */
  endpoint: string;
  /** `ambient`: the identity of the process, or of the machine or workload that it runs on. */
  credentials: { sas: string } | { account: string; key: string } | 'ambient';
  /** Where connections may go; default: anywhere. */
  agents?: PublicHttpAgents;
}

/** One container of Azure Blob Storage. `ensureBucket` creates it where it is missing. */
export function createAzureObjects(options: AzureOptions): ObjectStore & { ensureBucket(): Promise<void> } {
  const container = openContainer(options);
  const blob = (key: string): BlockBlobClient => container.getBlockBlobClient(key);

  return {
    put: async (key, body, putOptions = {}) => ({
      created: await upload(body, uploadSteps(blob(key), putOptions)),
    }),
    async open(key) {
      const { readableStreamBody } = await reach(key, () => blob(key).download());
      return readable(key, () => bodyOf(readableStreamBody));
    },
    read: (key, part) =>
      reach(key, async () => {
        if (part === undefined) return blob(key).downloadToBuffer();
        if (part.end <= part.start) return Buffer.alloc(0);
        try {
          const { readableStreamBody } = await blob(key).download(part.start, part.end - part.start);
          return await buffer(bodyOf(readableStreamBody));
        } catch (err) {
          if (statusOf(err) === 416) return Buffer.alloc(0); // the object ends before the part begins
          throw err;
        }
      }),
    head: (key) =>
      reach(key, async () => {
        try {
          return toInfo(key, await blob(key).getProperties());
        } catch (err) {
          if (statusOf(err) === 404) return undefined;
          throw err;
        }
      }),
    async *list(prefix, range = {}) {
      const asked = { prefix, includeMetadata: range.details ?? false, startFrom: range.from || undefined };
      try {
        for await (const { name, properties, metadata } of container.listBlobsFlat(asked)) {
          if (range.to !== undefined && name >= range.to) return;
          if (isWithin(name, range)) yield toInfo(name, { ...properties, metadata });
        }
      } catch (err) {
        throw statusOf(err) === 404 ? missingBucket(options.container, err) : toError(prefix, err);
      }
    },
    remove: (key) => reach(key, async () => void (await blob(key).deleteIfExists())),
    ensureBucket: () => reach(options.container, async () => void (await container.createIfNotExists())),
  };
}

function openContainer({ container, endpoint, credentials, agents }: AzureOptions): ContainerClient {
  const url = `${endpoint.replace(/\/+$/, '')}/${container}`;
  const settings = {
    // Some seconds: what lasts longer is for the caller, who knows how long it may wait.
    retryOptions: { maxTries: 3, tryTimeoutInMs: 30_000, retryDelayInMs: 200, maxRetryDelayInMs: 2_000 },
    redirectOptions: { maxRetries: 0 },
    // The library prefers it to a proxy that the environment names.
    ...(agents !== undefined && { agent: url.startsWith('https:') ? agents.httpsAgent : agents.httpAgent }),
  };
  if (credentials === 'ambient') {
    return new ContainerClient(url, newPipeline(identityOfProcess(), settings));
  }
  if ('sas' in credentials) return new ContainerClient(`${url}?${credentials.sas}`, newPipeline(undefined, settings));
  const { account, key } = credentials;
  return new ContainerClient(url, newPipeline(new StorageSharedKeyCredential(account, key), settings));
}

/** Loaded with the first token: most installations need none. */
function identityOfProcess(): TokenCredential {
  let credential: Promise<TokenCredential> | undefined;
  return {
    getToken: async (scopes, options) => {
      credential ??= import('@azure/identity').then(({ DefaultAzureCredential }) => new DefaultAzureCredential());
      return (await credential).getToken(scopes, options);
    },
  };
}

function uploadSteps(
  target: BlockBlobClient,
  { contentType: blobContentType = 'application/octet-stream', metadata = {}, ifAbsent = false }: PutOptions,
) {
  const conditions = ifAbsent ? { ifNoneMatch: '*' } : {};
  const about = (md5: Hash) => ({
    conditions,
    metadata: renamed(metadata, toStoredName),
    blobHTTPHeaders: { blobContentType, blobContentMD5: md5.digest() },
  });
  const write = (operation: () => Promise<unknown>): Promise<boolean> =>
    reach(target.name, async () => {
      try {
        await operation();
        return true;
      } catch (err) {
        if (ifAbsent && [409, 412].includes(statusOf(err) ?? 0)) return false;
        throw statusOf(err) === 404 ? missingBucket(target.containerName, err) : err;
      }
    });

  return {
    whole: (bytes: Buffer) => write(() => target.upload(bytes, bytes.length, about(createHash('md5').update(bytes)))),
    begin: async () => {
      const md5 = createHash('md5');
      // Blocks of another upload to the same name have other ids.
      const upload = randomUUID();
      const ids: string[] = [];
      return {
        add: async (bytes: Buffer, index: number) => {
          const id = Buffer.from(`${upload}-${String(index).padStart(6, '0')}`).toString('base64');
          md5.update(bytes);
          await write(() => target.stageBlock(id, bytes, bytes.length));
          ids.push(id);
        },
        commit: () => write(() => target.commitBlockList(ids, about(md5))),
        abort: async () => undefined, // the store itself removes blocks that are in no list
      };
    },
  };
}

/** Names of metadata are identifiers there, without hyphens. */
const toStoredName = (name: string): string => name.replaceAll('-', '__');
const fromStoredName = (name: string): string => name.replaceAll('__', '-');
const renamed = (metadata: Readonly<Record<string, string>>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [rename(name), value]));

function bodyOf(body: NodeJS.ReadableStream | undefined): Readable {
  return body as Readable; // in Node.js it is one
}

interface Found {
  contentLength?: number | undefined;
  contentMD5?: Uint8Array | undefined;
  etag?: string | undefined;
  contentType?: string | undefined;
  metadata?: Record<string, string> | undefined;
  lastModified?: Date | undefined;
}

const toInfo = (key: string, found: Found): ObjectInfo => ({
  key,
  sizeBytes: found.contentLength ?? 0,
  checksum: found.contentMD5 === undefined ? (found.etag ?? '') : Buffer.from(found.contentMD5).toString('base64'),
  contentType: found.contentType ?? 'application/octet-stream',
  metadata: renamed(found.metadata ?? {}, fromStoredName),
  updatedAt: (found.lastModified ?? new Date(0)).toISOString(),
});

/** The library makes an error of its own from that of a connection, and keeps code and message only. */
function toError(key: string, err: unknown): SlipwayError {
  const { code, message } = err as { code?: unknown; message?: string };
  if (code === 'url.not_allowed') return new SlipwayError(code, message ?? '', { cause: err });
  return toObjectError(key, statusOf(err), err);
}

const { reach, readable } = failuresOf(toError);

const statusOf = (err: unknown): number | undefined => (err as { statusCode?: number }).statusCode;
