import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  type BucketLocationConstraint,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { SlipwayError } from '../kinds/errors.js';
import type { PublicHttpAgents } from '../outbound/public-http-agents.js';
import { failuresOf, missingBucket, toObjectError } from './object-failures.js';
import { upload } from './object-upload.js';
import { isWithin, type KeyRange, type ObjectInfo, type ObjectStore, type PutOptions } from './objects.js';

export interface S3Options {
  bucket: string;
  region?: string;
  /** Address of a server that speaks the same API; unset means Amazon's. */
  endpoint?: string;
  /** `ambient`: those of the process, or of the machine or workload that it runs on. */
  credentials: { accessKeyId: string; secretAccessKey: string } | 'ambient';
  /** Where connections may go; default: anywhere. */
  agents?: PublicHttpAgents;
}

/** The part begins after the end of the object. */
const NO_SUCH_RANGE = 416;
/** Heads at once of a list with details. */
const HEADS = 16;

/** One bucket of S3. `ensureBucket` creates it where it is missing. */
export function createS3Objects(options: S3Options): ObjectStore & { ensureBucket(): Promise<void> } {
  const { bucket: Bucket } = options;
  const region = options.region ?? 'us-east-1';
  const client = createClient(options, region);

  const head = (Key: string) =>
    reach(Key, async () => {
      try {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key }));
        return toInfo(Key, { ...found, Size: found.ContentLength });
      } catch (err) {
        if (statusOf(err) === 404) return undefined;
        throw err;
      }
    });

  async function get(Key: string, Range?: string): Promise<Readable> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
    return Body as Readable; // in Node.js it is one
  }

  async function* pages(Prefix: string, from: string | undefined) {
    let ContinuationToken: string | undefined;
    do {
      const StartAfter = from ? keyBefore(from) : undefined;
      const page = await reach(Prefix, () =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix, StartAfter, ContinuationToken })).catch(named),
      );
      yield (page.Contents ?? []).map((found) => toInfo(found.Key ?? '', found));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  const named = (err: unknown): never => {
    throw statusOf(err) === 404 ? missingBucket(Bucket, err) : (err as Error);
  };

  return {
    put: async (key, body, putOptions = {}) => ({
      created: await upload(body, uploadSteps(client, { Bucket, Key: key }, putOptions)),
    }),
    async open(key) {
      const body = await reach(key, () => get(key));
      return readable(key, () => body);
    },
    read: (key, part) =>
      reach(key, async () => {
        if (part === undefined) return buffer(await get(key));
        if (part.end <= part.start) return Buffer.alloc(0);
        try {
          return await buffer(await get(key, `bytes=${part.start}-${part.end - 1}`));
        } catch (err) {
          if (statusOf(err) === NO_SUCH_RANGE) return Buffer.alloc(0);
          throw err;
        }
      }),
    head,
    async *list(prefix, range = {}) {
      for await (const page of pages(prefix, range.from)) {
        const within = page.filter(({ key }) => isWithin(key, range));
        yield* range.details ? withDetails(within, head) : within;
        if (isPast(page.at(-1)?.key, range)) return;
      }
    },
    remove: (Key) => reach(Key, async () => void (await client.send(new DeleteObjectCommand({ Bucket, Key })))),

    ensureBucket: () =>
      reach(Bucket, async () => {
        try {
          await client.send(new HeadBucketCommand({ Bucket }));
        } catch (err) {
          if (statusOf(err) !== 404) throw err;
          const LocationConstraint = region as BucketLocationConstraint; // any region: the type lists those of its time
          const elsewhere = region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint } };
          await client.send(new CreateBucketCommand({ Bucket, ...elsewhere })).catch((lost: unknown) => {
            if (statusOf(lost) !== 409) throw lost; // 409: lost race
          });
        }
      }),
  };
}

function createClient({ endpoint, credentials, agents }: S3Options, region: string): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials !== 'ambient' && { credentials }),
    // Some seconds: what lasts longer is for the caller, who knows how long it may wait.
    maxAttempts: 3,
    requestHandler: { ...agents, connectionTimeout: 5_000, socketTimeout: 30_000 },
  });
}

function uploadSteps(
  client: S3Client,
  at: { Bucket: string; Key: string },
  { contentType: ContentType = 'application/octet-stream', metadata = {}, ifAbsent = false }: PutOptions,
) {
  const about = { ContentType, Metadata: { ...metadata } };
  const IfNoneMatch = ifAbsent ? '*' : undefined;
  const write = (operation: () => Promise<unknown>): Promise<boolean> =>
    reach(at.Key, async () => {
      try {
        await operation();
        return true;
      } catch (err) {
        if (ifAbsent && statusOf(err) === 412) return false;
        throw statusOf(err) === 404 ? missingBucket(at.Bucket, err) : err;
      }
    });

  return {
    whole: (Body: Buffer) => write(() => client.send(new PutObjectCommand({ ...at, ...about, Body, IfNoneMatch }))),
    begin: async () => {
      let UploadId: string | undefined;
      await write(async () => {
        ({ UploadId } = await client.send(new CreateMultipartUploadCommand({ ...at, ...about })));
      });
      const upload = { ...at, UploadId };
      const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
      return {
        add: (Body: Buffer, index: number) =>
          reach(at.Key, async () => {
            const PartNumber = index + 1;
            const { ETag } = await client.send(new UploadPartCommand({ ...upload, Body, PartNumber }));
            Parts.push({ ETag, PartNumber });
          }),
        commit: async () => {
          const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, IfNoneMatch });
          const created = await write(() => client.send(command));
          if (!created) await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
          return created;
        },
        abort: async () => void (await client.send(new AbortMultipartUploadCommand(upload))),
      };
    },
  };
}

/** A list of S3 has neither content types nor metadata. */
async function* withDetails(
  page: ObjectInfo[],
  head: (key: string) => Promise<ObjectInfo | undefined>,
): AsyncGenerator<ObjectInfo> {
  for (let at = 0; at < page.length; at += HEADS) {
    const found = await Promise.all(page.slice(at, at + HEADS).map(({ key }) => head(key)));
    yield* found.filter((info) => info !== undefined); // the others were removed meanwhile
  }
}

const isPast = (key: string | undefined, { to }: KeyRange): boolean =>
  key !== undefined && to !== undefined && key >= to;

/** The last key before another: a list begins after a key, and has to begin at one. No key of ours ends with U+10FFFF. */
function keyBefore(key: string): string {
  const points = [...key];
  const last = points.pop()?.codePointAt(0) ?? 0;
  return points.join('') + (last > 0x20 && last < 0xd800 ? `${String.fromCodePoint(last - 1)}\u{10ffff}` : '');
}

interface Found {
  Size?: number | undefined;
  ETag?: string | undefined;
  ContentType?: string | undefined;
  Metadata?: Record<string, string> | undefined;
  LastModified?: Date | undefined;
}

const toInfo = (key: string, { Size, ETag, ContentType, Metadata, LastModified }: Found): ObjectInfo => ({
  key,
  sizeBytes: Size ?? 0,
  checksum: ETag ?? '',
  contentType: ContentType ?? 'application/octet-stream',
  metadata: Metadata ?? {},
  updatedAt: (LastModified ?? new Date(0)).toISOString(),
});

/** 409 answers a conditional write that meets another one under way: a repeat learns which one won. */
function toError(key: string, err: unknown): SlipwayError {
  const status = statusOf(err);
  return toObjectError(key, status === 409 ? undefined : status, err);
}

const { reach, readable } = failuresOf(toError);

const statusOf = (err: unknown): number | undefined =>
  (err as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
