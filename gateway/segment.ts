import { open, readdir, rename, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.js';
import { frameLength } from './frame.js';

/**
 * Segments of the spool: `<name>.open` while its gateway writes it, `<name>.sealed` when nothing is added any more.
 * The name begins with a time and ends with a number, so names sort in the order of writing.
 */
export interface Segment {
  name: string;
  path: string;
  sealed: boolean;
}

const OPEN = '.open';
const SEALED = '.sealed';
const READ_BYTES = 1024 * 1024;

export const openPath = (dir: string, name: string): string => join(dir, `${name}${OPEN}`);
export const sealedPath = (dir: string, name: string): string => join(dir, `${name}${SEALED}`);

export async function listSegments(dir: string): Promise<Segment[]> {
  const files = (await readdir(dir)).sort();
  return files.flatMap((file) => {
    const sealed = file.endsWith(SEALED);
    if (!sealed && !file.endsWith(OPEN)) return [];
    return [{ name: file.slice(0, file.lastIndexOf('.')), path: join(dir, file), sealed }];
  });
}

export async function spoolBytes(dir: string): Promise<number> {
  const sizes = await Promise.all(
    (await listSegments(dir)).map(({ path }) => stat(path).then(({ size }) => size, goneIsNothing)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Whole frames from `offset` on, until `maxBytes` are passed, the log ends or it is torn. */
export async function readFrames(path: string, offset: number, maxBytes: number): Promise<Buffer[]> {
  const file = await open(path);
  try {
    const frames: Buffer[] = [];
    let rest: Buffer = Buffer.alloc(0);
    for (let at = offset, taken = 0; taken < maxBytes;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let from = 0;
      for (let length; taken < maxBytes && (length = frameLength(rest, from)) !== undefined; from += length) {
        frames.push(rest.subarray(from, from + length));
        taken += length;
      }
      rest = rest.subarray(from);
    }
    return frames;
  } finally {
    await file.close();
  }
}

/** Closes a segment that its writer left open: a torn tail is cut off, then nothing is added any more. */
export async function sealSegment(dir: string, name: string): Promise<void> {
  const path = openPath(dir, name);
  let end = 0;
  for (;;) {
    const frames = await readFrames(path, end, READ_BYTES);
    if (frames.length === 0) break;
    end += frames.reduce((sum, frame) => sum + frame.length, 0);
  }
  await truncate(path, end);
  await rename(path, sealedPath(dir, name));
}

function goneIsNothing(err: unknown): number {
  if (errorCode(err) === 'ENOENT') return 0; // sealed or uploaded meanwhile
  throw err;
}
