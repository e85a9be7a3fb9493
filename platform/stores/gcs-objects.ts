import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { IdempotencyStrategy, Storage } from '@google-cloud/storage';
import type { File, FileMetadata } from '@google-cloud/storage';
import { SlipwayError } from '../kinds/errors.js';
import { failuresOf, missingBucket, missingObject, toObjectError } from './object-failures.js';
import type { ByteRange, ObjectInfo, ObjectStore, PutOptions } from './objects.js';

export interface GcsOptions {
  bucket: string;
  /** Address of a server that speaks the same API; unset means Google Cloud Storage itself. */
  apiEndpoint?: string;
  /** Text of a service account's JSON key; unset means the credentials of the surroundings. */
  jsonKey?: string;
}

/**
 * Longer bodies are sent resumably in chunks of this size: a broken connection goes on where it stopped. Shorter ones
 * are collected and sent at once, which saves a round trip.
 */
const CHUNK_BYTES = 8 * 2 ** 20;

/** One bucket of Google Cloud Storage. `ensureBucket` creates it where it is missing. */
export function createGcsObjects({ bucket: name, apiEndpoint, jsonKey }: GcsOptions): ObjectStore & {
  ensureBucket(): Promise<void>;
} {
  const bucket = new Storage({
    // Another server takes any project and no credentials; without them the library must not go looking.
    ...(apiEndpoint !== undefined && { apiEndpoint, projectId: 'slipway', useAuthWithCustomEndpoint: false }),
    ...(jsonKey !== undefined && { credentials: parseKey(jsonKey) }),
    // Some seconds: what lasts longer is for the caller, who knows how long it may wait. Every write here may be repeated.
    retryOptions: { maxRetries: 2, totalTimeout: 30, idempotencyStrategy: IdempotencyStrategy.RetryAlways },
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
    put: async (key, body, options = {}) => ({ created: await upload(bucket.file(key), body, options) }),

    async open(key) {
      // Asked first, so that a missing object is an error of this call and not of a stream without a listener.
      if ((await head(key)) === undefined) throw missingObject(key);
      // The library hashes what arrives and fails when it is not what was stored.
      return readable(key, () => bucket.file(key).createReadStream() as AsyncIterable<Buffer>);
    },
    read: (key, part) => reach(key, () => download(bucket.file(key), part)),
    head,
    async *list(prefix, { from, to } = {}) {
      const query = { prefix, startOffset: from, endOffset: to, autoPaginate: false, maxResults: 1_000 };
      let pageToken: string | undefined;
      do {
        const [files, next] = await reach(prefix, () =>
          bucket.getFiles({ ...query, pageToken }).catch((err: unknown) => {
            throw statusOf(err) === 404 ? missingBucket(name, err) : (err as Error);
          }),
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
          if (statusOf(err) !== 409) throw err; // 409: lost race
        });
      }),
  };
}

/** @returns false when `ifAbsent` met an object */
async function upload(file: File, body: Readable | Buffer | string, options: PutOptions): Promise<boolean> {
  const { contentType = 'application/octet-stream', metadata = {}, ifAbsent = false } = options;
  const { first, rest } = await begin(body instanceof Readable ? body : Readable.from([Buffer.from(body)]));
  const target = file.createWriteStream({
    ...(rest === undefined ? { resumable: false } : { resumable: true, chunkSize: CHUNK_BYTES }),
    ...(ifAbsent && { preconditionOpts: { ifGenerationMatch: 0 } }),
    metadata: { contentType, metadata: { ...metadata } },
  });
  let source: { broken: unknown } | undefined;
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* first;
    try {
      if (rest !== undefined) yield* rest;
    } catch (err) {
      source = { broken: err };
      throw err;
    }
  }
  try {
    await pipeline(bytes, target);
    return true;
  } catch (err) {
    if (source !== undefined) throw source.broken; // the caller's own error, as it is
    if (ifAbsent && statusOf(err) === 412) return false;
    if (statusOf(err) === 404) throw missingBucket(file.bucket.name, err);
    throw toError(file.name, err);
  }
}

/** Reads until the body ends or is longer than a chunk; then `rest` has what follows. */
async function begin(body: Readable): Promise<{ first: Buffer[]; rest?: AsyncIterable<Buffer> }> {
  const chunks = (body as AsyncIterable<Buffer | string>)[Symbol.asyncIterator]();
  const next = async () => {
    const result = await chunks.next();
    return result.done ? undefined : Buffer.from(result.value);
  };
  const first: Buffer[] = [];
  for (let sizeBytes = 0; sizeBytes <= CHUNK_BYTES;) {
    const chunk = await next();
    if (chunk === undefined) return { first };
    first.push(chunk);
    sizeBytes += chunk.length;
  }
  return {
    first,
    rest: (async function* () {
      try {
        for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk;
      } finally {
        body.destroy(); // also when the store gave up
      }
    })(),
  };
}

async function download(file: File, part?: ByteRange): Promise<Buffer> {
  if (part === undefined) return (await file.download())[0];
  if (part.end <= part.start) return Buffer.alloc(0);
  try {
    return (await file.download({ start: part.start, end: part.end - 1 }))[0];
  } catch (err) {
    if (statusOf(err) === 416) return Buffer.alloc(0); // the object ends before the part begins
    throw err;
  }
}

function toInfo(key: string, { size, crc32c, contentType, metadata, updated }: FileMetadata): ObjectInfo {
  const own = Object.entries(metadata ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    key,
    sizeBytes: Number(size),
    checksum: crc32c ?? '',
    contentType: contentType ?? 'application/octet-stream',
    metadata: Object.fromEntries(own) as Record<string, string>,
    updatedAt: new Date(updated ?? 0).toISOString(),
  };
}

/**
 * Takes nothing but the account and its key: the library also knows keys that name a file, a URL or a program of this
 * machine as the source of a token, and the server that gets it.
 */
function parseKey(text: string): { client_email: string; private_key: string } {
  const { client_email, private_key } = parseObject(text);
  if (typeof client_email === 'string' && typeof private_key === 'string') return { client_email, private_key };
  throw notServiceAccount();
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    // The parser's own message quotes the text.
    throw notServiceAccount();
  }
}

const notServiceAccount = () =>
  new SlipwayError(
    'validation_failed',
    'keySecret is not a JSON key of a service account: it needs client_email and private_key',
  );

const toError = (key: string, err: unknown): SlipwayError => toObjectError(key, statusOf(err), err);
const { reach, readable } = failuresOf(toError);

/** HTTP status of an answer: `code` in most of the library, `status` where it uploads resumably. */
function statusOf(err: unknown): number | undefined {
  const { code, status } = err as { code?: unknown; status?: unknown };
  return [code, status].map(Number).find((number) => number >= 400);
}
