import { pipeline, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { hostile, type UnpackLimits } from './unpacked-folder.js';

const HEAD_BYTES = 262;

/**
 * A stream of tar bytes from a plain or gzip'd tar, recognized by content, because names may be wrong.
 * @throws validation_failed for anything else; the stream does so past the ratio of `limits`
 */
export async function decompress(archive: Readable, limits: UnpackLimits): Promise<Readable> {
  const chunks = archive[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const head = await firstBytes(chunks);
  if (head[0] === 0x1f && head[1] === 0x8b) return unzipped(head, chunks, limits);
  if (head.subarray(257, HEAD_BYTES).toString('latin1') === 'ustar') return Readable.from(rejoin(head, chunks));
  archive.destroy();
  throw new SlipwayError('validation_failed', 'the file is no tar archive');
}

function unzipped(head: Buffer, chunks: AsyncIterator<Buffer>, { ratio, freeBytes }: UnpackLimits): Readable {
  let packed = 0;
  let unpacked = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  const judge = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      if (unpacked > freeBytes && unpacked > ratio * packed)
        done(hostile(`it unpacks to more than ${ratio} times its size`));
      else done(null, chunk);
    },
  });
  // Ends the source as soon as the reader gives up. What goes wrong reaches the reader through `judge`.
  pipeline(Readable.from(rejoin(head, chunks)), count, createGunzip(), judge, () => undefined);
  return judge;
}

async function firstBytes(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* rejoin(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
