import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../kinds/errors.js';
import { isTransient } from './failures.js';
import type { Answer, Session } from './session.js';

export interface BlobSource {
  /** `sha256:...` */
  digest: string;
  size: number;
  /** Gives the content from a position on; called again when an upload goes on or starts over. */
  open: (start: number) => Readable;
}

const MOST_STARTS = 3;

/** The registry no longer knows an upload, or holds other bytes than were sent: it starts over. */
class LostUpload extends Error {}

/**
 * Uploads a blob as one stream, which every registry takes. After a failure it asks how many bytes arrived and goes on
 * from there (OCI distribution specification, "Pushing a blob in chunks").
 * @param arrived whether the registry has a blob, should the answer to its end be lost
 */
export async function uploadBlob(
  session: Session,
  source: BlobSource,
  arrived: (digest: string) => Promise<boolean>,
): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await uploadOnce(session, source);
    } catch (err) {
      if (!(err instanceof LostUpload)) throw err;
      if (await arrived(source.digest)) return;
      if (starts === MOST_STARTS) throw new SlipwayError('unavailable', err.message, lostDetail(session));
    }
  }
}

const lostDetail = ({ reason }: Session) => ({
  publicMessage: 'the image registry cannot be used for now: it loses uploads',
  detail: { reason },
});

async function uploadOnce(session: Session, source: BlobSource): Promise<void> {
  const doing = `start an upload to ${session.path}`;
  const started = await session.askPatiently({ method: 'POST', url: 'blobs/uploads/', doing });
  if (started.status !== 202) throw await session.refuse(started, doing);
  await started.body.dump();
  const url = await sendContent(session, source, locationOf(started));
  await finish(session, source.digest, url);
}

/** @returns the address that ends the upload */
async function sendContent(session: Session, source: BlobSource, first: string): Promise<string> {
  const doing = `take a blob for ${session.path}`;
  let upload = { url: first, at: 0 };
  for (const pauseMs of [...session.pausesMs, undefined]) {
    try {
      const answer = await sendRest(session, source, upload, doing);
      if (answer.status === 202) {
        await answer.body.dump();
        return locationOf(answer);
      }
      if (answer.status === 404 || answer.status === 400) throw new LostUpload(`${doing}: ${answer.status}`);
      if (answer.status !== 416) throw await session.refuse(answer, doing);
      await answer.body.dump();
    } catch (err) {
      if (pauseMs === undefined || !isTransient(err)) throw err;
      await sleep(pauseMs, undefined, { signal: session.signal });
    }
    upload = await received(session, upload.url);
    if (upload.at > source.size) throw new LostUpload(`${doing}: it has ${upload.at} bytes`);
    if (upload.at === source.size) return upload.url;
  }
  throw new LostUpload(`${doing}: it takes no part of it`);
}

interface Upload {
  url: string;
  /** Bytes that the registry has. */
  at: number;
}

function sendRest(session: Session, { size, open }: BlobSource, { url, at }: Upload, doing: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(size - at),
    ...(at > 0 && { 'content-range': `${at}-${size - 1}` }),
  };
  return session.ask({ method: 'PATCH', url, headers, body: () => open(at), doing });
}

async function received(session: Session, url: string): Promise<Upload> {
  const doing = `say how much of an upload to ${session.path} arrived`;
  const answer = await session.askPatiently({ method: 'GET', url, doing });
  await answer.body.dump();
  if (answer.status !== 204) throw new LostUpload(`${doing}: ${answer.status}`);
  const end = Number(/^(?:bytes=)?0-(\d+)$/.exec(answer.header('range') ?? '')?.[1] ?? 0);
  // A range cannot say "nothing": registries answer 0-0.
  return { url: answer.header('location') === undefined ? url : locationOf(answer), at: end === 0 ? 0 : end + 1 };
}

async function finish(session: Session, digest: string, url: string): Promise<void> {
  const doing = `take the blob ${digest} for ${session.path}`;
  const target = new URL(url);
  target.searchParams.set('digest', digest);
  const answer = await session.askPatiently({ method: 'PUT', url: target.href, body: Buffer.alloc(0), doing });
  // Also the second answer to a first one that was lost.
  if (answer.status === 404 || answer.status === 400) throw new LostUpload(`${doing}: ${answer.status}`);
  if (answer.status !== 201) throw await session.refuse(answer, doing);
  await answer.body.dump();
}

const locationOf = (answer: Answer): string => new URL(answer.header('location') ?? '', answer.url).href;
