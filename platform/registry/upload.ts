import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../kinds/errors.js';
import { isTransient } from './failures.js';
import type { Answer, Session } from './session.js';

export interface BlobSource {
  /** `sha256:...` */
  digest: string;
  size: number;
  /** Gives the content from its begin; called again when an upload must start over. */
  open: () => Readable;
}

const CHUNK_BYTES = 16 * 2 ** 20;
const MOST_STARTS = 3;

/** The registry no longer knows an upload, or holds other bytes than were sent: it starts over. */
class LostUpload extends Error {}

/**
 * Uploads a blob in chunks. After a failure it asks how many bytes arrived and goes on from there (OCI distribution
 * specification, "Pushing a blob in chunks").
 */
export async function uploadBlob(
  session: Session,
  source: BlobSource,
  { chunkBytes = CHUNK_BYTES, arrived }: { chunkBytes?: number; arrived: (digest: string) => Promise<boolean> },
): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await uploadOnce(session, source, chunkBytes);
    } catch (err) {
      if (!(err instanceof LostUpload)) throw err;
      if (await arrived(source.digest)) return; // the answer to its end was lost
      if (starts === MOST_STARTS) throw new SlipwayError('unavailable', err.message, lostDetail(session));
    }
  }
}

const lostDetail = ({ reason }: Session) => ({
  publicMessage: 'the image registry cannot be used for now: it loses uploads',
  detail: { reason },
});

async function uploadOnce(session: Session, { digest, size, open }: BlobSource, chunkBytes: number): Promise<void> {
  const doing = `start an upload to ${session.path}`;
  const started = await session.askPatiently({ method: 'POST', url: 'blobs/uploads/', doing });
  if (started.status !== 202) throw await session.refuse(started, doing);
  await started.body.dump();
  const least = Number(started.header('oci-chunk-min-length') ?? 0);
  let url = locationOf(started);
  let at = 0;
  const stream = open();
  try {
    for await (const bytes of chunksOf(stream, Math.max(chunkBytes, least))) {
      const isLast = at + bytes.length >= size;
      url = await sendChunk(session, { url, at, bytes, digest: isLast ? digest : undefined });
      at += bytes.length;
    }
  } finally {
    stream.destroy();
  }
  if (at !== size) throw new SlipwayError('internal', `blob ${digest} has ${at} bytes, not ${size}`);
}

interface Chunk {
  url: string;
  /** Bytes before this chunk. */
  at: number;
  bytes: Buffer;
  /** Comes with the last chunk, which ends the upload. */
  digest: string | undefined;
}

/** @returns the address for the next chunk */
async function sendChunk(session: Session, chunk: Chunk): Promise<string> {
  const { at, bytes, digest } = chunk;
  const doing = `take a part of a blob for ${session.path}`;
  let { url } = chunk;
  let sent = 0;
  for (const pauseMs of [...session.pausesMs, undefined]) {
    try {
      const rest = bytes.subarray(sent);
      const headers = {
        'content-type': 'application/octet-stream',
        ...(rest.length > 0 && { 'content-range': `${at + sent}-${at + bytes.length - 1}` }),
      };
      const method = digest === undefined ? 'PATCH' : 'PUT';
      const to = digest === undefined ? url : withDigest(url, digest);
      const answer = await session.ask({ method, url: to, headers, body: rest, doing });
      if (answer.status === 404 || answer.status === 400) throw new LostUpload(`${doing}: ${answer.status}`);
      if (answer.status === (digest === undefined ? 202 : 201)) {
        await answer.body.dump();
        return digest === undefined ? locationOf(answer) : '';
      }
      if (answer.status !== 416) throw await session.refuse(answer, doing);
      await answer.body.dump();
    } catch (err) {
      if (pauseMs === undefined || !isTransient(err)) throw err;
      await sleep(pauseMs, undefined, { signal: session.signal });
    }
    const received = await receivedBytes(session, url);
    url = received.url;
    sent = received.count - at;
    if (sent < 0 || sent > bytes.length) throw new LostUpload(`${doing}: it has ${received.count} bytes`);
    if (sent === bytes.length && digest === undefined) return url;
  }
  throw new LostUpload(`${doing}: it takes no part of it`);
}

async function receivedBytes(session: Session, url: string): Promise<{ url: string; count: number }> {
  const doing = `say how much of an upload to ${session.path} arrived`;
  const answer = await session.askPatiently({ method: 'GET', url, doing });
  await answer.body.dump();
  if (answer.status !== 204) throw new LostUpload(`${doing}: ${answer.status}`);
  const end = Number(/^(?:bytes=)?0-(\d+)$/.exec(answer.header('range') ?? '')?.[1] ?? 0);
  // A range cannot say "nothing": registries answer 0-0.
  return { url: answer.header('location') === undefined ? url : locationOf(answer), count: end === 0 ? 0 : end + 1 };
}

const locationOf = (answer: Answer): string => new URL(answer.header('location') ?? '', answer.url).href;

function withDigest(url: string, digest: string): string {
  const target = new URL(url);
  target.searchParams.set('digest', digest);
  return target.href;
}

/** Parts of one size, the last of which may be smaller; an empty stream has one empty part. */
async function* chunksOf(stream: Readable, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  let count = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held.push(chunk);
    length += chunk.length;
    while (length >= size) {
      const all = Buffer.concat(held);
      yield all.subarray(0, size);
      count += 1;
      held = [all.subarray(size)];
      length = all.length - size;
    }
  }
  if (length > 0 || count === 0) yield Buffer.concat(held);
}
