import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SlipwayError } from '../resources/errors.js';

const HEAD_BYTES = 262;

/** A stream of tar bytes from a plain or gzip'd tar; told apart by content, because names do not tell. */
export async function decompress(archive: Readable): Promise<Readable> {
  const chunks = archive[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const head = await firstBytes(chunks);
  const whole = Readable.from(rejoin(head, chunks));
  if (head[0] === 0x1f && head[1] === 0x8b) {
    const gunzip = createGunzip();
    whole.on('error', (err) => gunzip.destroy(err));
    return whole.pipe(gunzip);
  }
  if (head.subarray(257, HEAD_BYTES).toString('latin1') === 'ustar') return whole;
  const zip = head.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
  throw new SlipwayError(
    'validation_failed',
    zip ? 'a zip must be converted to a tar first' : 'the file is no tar archive',
  );
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
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
