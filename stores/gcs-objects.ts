import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, Storage } from '@google-cloud/storage';
import type { File, FileMetadata } from '@google-cloud/storage';
import { SlipwayError } from '../resources/errors.js';
import type { ObjectInfo, ObjectStore } from './objects.js';

export interface GcsOptions {
  bucket: string;
  /** Address of a server that speaks the same API; unset means Google Cloud Storage itself. */
  apiEndpoint?: string;
  /** Text of a service account's JSON key; unset means the credentials of the surroundings. */
  jsonKey?: string;
}

/** Bodies above this are sent resumably: a second round trip, but a broken connection goes on where it stopped. */
const RESUMABLE_BYTES = 5 * 2 ** 20;

/** One bucket of Google Cloud Storage. `ensureBucket` creates it where it is missing. */
export function createGcsObjects({ bucket: name, apiEndpoint, jsonKey }: GcsOptions): ObjectStore & {
  ensureBucket(): Promise<void>;
} {
  const bucket = new Storage({
    // Another server takes any project and no credentials; without them the library must not go looking.
    ...(apiEndpoint !== undefined && { apiEndpoint, projectId: 'slipway', useAuthWithCustomEndpoint: false }),
    ...(jsonKey !== undefined && { credentials: parseKey(jsonKey) }),
    retryOptions: { maxRetries: 3, totalTimeout: 30, maxRetryDelay: 5 },
  }).bucket(name);

  const head = (key: string) =>
    reach(key, async () => {
      try {
        const [metadata] = await bucket.file(key).getMetadata();
        return toInfo(key, metadata);
      } catch (err) {
        if (statusOf(err) === 404) return undefined;
        throw err;
      }
    });

  return {
    put: (key, body, { contentType = 'application/octet-stream', metadata = {}, ifAbsent = false } = {}) =>
      reach(key, async () => {
        const resumable = body instanceof Readable || body.length > RESUMABLE_BYTES;
        const target = bucket.file(key).createWriteStream({
          resumable,
          metadata: { contentType, metadata: { ...metadata } },
          ...(ifAbsent && { preconditionOpts: { ifGenerationMatch: 0 } }),
        });
        try {
          await pipeline(body instanceof Readable ? body : Readable.from([Buffer.from(body)]), target);
          return { created: true };
        } catch (err) {
          if (ifAbsent && statusOf(err) === 412) return { created: false };
          throw err;
        }
      }),

    async open(key) {
      // Asked first, so that a missing object is an error of this call and not of a stream nobody listens to yet.
      if ((await head(key)) === undefined) throw missing(key);
      return mapped(key, bucket.file(key));
    },
    read: (key) => reach(key, async () => (await bucket.file(key).download())[0]),
    head,
    async *list(prefix) {
      let pageToken: string | undefined;
      do {
        const [files, next] = await reach(prefix, () =>
          bucket.getFiles({ prefix, autoPaginate: false, maxResults: 1_000, pageToken }),
        );
        for (const file of files) yield toInfo(file.name, file.metadata);
        pageToken = (next as { pageToken?: string } | null)?.pageToken;
      } while (pageToken !== undefined);
    },
    remove: (key) => reach(key, async () => void (await bucket.file(key).delete({ ignoreNotFound: true }))),

    ensureBucket: () =>
      reach(name, async () => {
        const [exists] = await bucket.exists();
        if (exists) return;
        await bucket.create().catch((err: unknown) => {
          if (statusOf(err) !== 409) throw err; // somebody else was faster
        });
      }),
  };
}

/** The bytes of a file, with the errors of this layer. */
function mapped(key: string, file: File): Readable {
  return Readable.from(
    (async function* () {
      try {
        // The library hashes what arrives and fails when it is not what was stored.
        yield* file.createReadStream() as AsyncIterable<Buffer>;
      } catch (err) {
        throw toError(key, err);
      }
    })(),
    { objectMode: false },
  );
}

function toInfo(key: string, { size, contentType, metadata, updated }: FileMetadata): ObjectInfo {
  const own = Object.entries(metadata ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    key,
    sizeBytes: Number(size),
    contentType: contentType ?? 'application/octet-stream',
    metadata: Object.fromEntries(own) as Record<string, string>,
    updatedAt: new Date(updated ?? 0).toISOString(),
  };
}

function parseKey(text: string): { client_email?: string; private_key?: string } {
  try {
    return JSON.parse(text) as { client_email?: string; private_key?: string };
  } catch {
    // The parser's own message quotes the text.
    throw new SlipwayError('validation_failed', 'keySecret is not a JSON key of a service account');
  }
}

async function reach<T>(key: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (err) {
    throw toError(key, err);
  }
}

const missing = (key: string, cause?: unknown) =>
  new SlipwayError('not_found', `object "${key}" is not found`, { cause });

function toError(key: string, err: unknown): SlipwayError {
  if (err instanceof SlipwayError) return err;
  const status = statusOf(err);
  if (status === 404) return missing(key, err);
  if (status === undefined || status === 408 || status === 429 || status >= 500) {
    return new SlipwayError('unavailable', 'object storage does not answer', { cause: err });
  }
  return new SlipwayError('internal', `object storage refused "${key}"`, { cause: err });
}

function statusOf(err: unknown): number | undefined {
  const code = err instanceof ApiError || err instanceof Error ? (err as { code?: unknown }).code : undefined;
  const status = Number(code);
  return Number.isInteger(status) ? status : undefined;
}
