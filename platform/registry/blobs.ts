import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../kinds/errors.js';
import { connectionFailed, isTransient } from './failures.js';
import type { Descriptor } from './media-types.js';
import type { Session } from './session.js';
import { type BlobSource, uploadBlob } from './upload.js';

export function createBlobs(session: Session) {
  const { registry, path, signal, reason } = session;

  /** Whether the repository has a blob. */
  async function has(digest: string): Promise<boolean> {
    const doing = `say whether ${path} has ${digest}`;
    const answer = await session.askPatiently({ method: 'HEAD', url: `blobs/${digest}`, doing }, true);
    await answer.body.dump();
    if (answer.status === 404) return false;
    if (answer.status !== 200) throw await session.refuse(answer, doing);
    return true;
  }

  /** The content from a position on, as far as one answer gives it. */
  async function* readFrom(digest: string, start: number): AsyncGenerator<Buffer> {
    const doing = `give ${digest} of ${path}`;
    const headers: Record<string, string> = start === 0 ? {} : { range: `bytes=${start}-` };
    const answer = await session.askPatiently({ method: 'GET', url: `blobs/${digest}`, headers, doing }, true);
    if (answer.status !== 200 && answer.status !== 206) throw await session.refuse(answer, doing);
    let skipped = answer.status === 200 ? start : 0;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        const skip = Math.min(skipped, chunk.length);
        skipped -= skip;
        if (skip < chunk.length) yield chunk.subarray(skip);
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw connectionFailed({ registry, doing, reason }, cause);
    }
  }

  /** Goes on where a connection broke off; checks the size, and the digest of a whole. */
  async function* readRest(
    { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
    start: number,
  ): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    const pauses = [...session.pausesMs];
    let at = start;
    for (;;) {
      try {
        for await (const chunk of readFrom(digest, at)) {
          at += chunk.length;
          if (at > size) break;
          hash.update(chunk);
          yield chunk;
        }
        break;
      } catch (err) {
        const pauseMs = pauses.shift();
        if (pauseMs === undefined || !isTransient(err)) throw err;
        await sleep(pauseMs, undefined, { signal });
      }
    }
    if (at === size && (start > 0 || `sha256:${hash.digest('hex')}` === digest)) return;
    throw new SlipwayError('internal', `registry ${registry} gave other content for ${digest} of ${path}`);
  }

  return {
    hasBlob: has,

    /** The content of a blob, from a position on; the stream of a whole fails when it is not the content of its digest. */
    readBlob: (blob: Pick<Descriptor, 'digest' | 'size'>, start = 0): Readable =>
      Readable.from(readRest(blob, start), { objectMode: false }),

    /** Takes a blob over from another repository of the registry. @returns whether it did */
    async mountBlob(digest: string, from: string): Promise<boolean> {
      const doing = `mount ${digest} of ${from} in ${path}`;
      const url = `blobs/uploads/?${new URLSearchParams({ mount: digest, from }).toString()}`;
      const answer = await session.askPatiently({ method: 'POST', url, from, doing });
      await answer.body.dump();
      if (answer.status === 201) return true;
      if (answer.status !== 202) return false; // an upload by hand tells what is wrong
      const upload = answer.header('location');
      // The registry began an upload instead, which stays empty.
      if (upload !== undefined) {
        const { href } = new URL(upload, answer.url);
        const ended = await session.ask({ method: 'DELETE', url: href, doing }).catch(() => undefined);
        await ended?.body.dump();
      }
      return false;
    },

    /** Makes a blob present; can be repeated. */
    async uploadBlob(source: BlobSource): Promise<void> {
      if (!(await has(source.digest))) await uploadBlob(session, source, has);
    },
  };
}
