import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar, { type Extract } from 'tar-stream';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { decompress } from './compression.js';
import { isSystemError } from './system-errors.js';
import {
  createUnpackedFolder,
  hostile,
  UNPACK_LIMITS,
  type UnpackedFolder,
  type UnpackLimits,
} from './unpacked-folder.js';
import { unzip } from './unzip.js';

export interface UnpackOptions {
  /** Leading path parts to drop. */
  strip?: number;
  limits?: UnpackLimits;
}

/**
 * Unpacks a tar or gzip'd tar from an untrusted source.
 * @throws validation_failed for anything but plain files, folders and inner links, and past the limits
 */
export async function unpackInto(
  archive: Readable,
  folder: string,
  { strip, limits = UNPACK_LIMITS }: UnpackOptions = {},
): Promise<void> {
  const unpacked = createUnpackedFolder(folder, { strip, limits });
  const extract = tar.extract();
  const done = pipeline(await decompress(archive, limits), extract);
  // The loop below reports first; this keeps a broken pipe from being an unhandled rejection meanwhile.
  done.catch(() => undefined);
  try {
    for await (const entry of extract) {
      await addEntry(unpacked, entry);
      entry.resume();
    }
  } catch (err) {
    extract.destroy();
    // The error of the source explains more than the broken pipe that follows it.
    const cause: unknown = await done.catch((reason: unknown) => reason);
    throw err instanceof SlipwayError || isSystemError(err) ? err : (cause ?? err);
  }
  await done;
}

/** Unpacks a tar, gzip'd tar or zip, recognized by its first bytes. @throws validation_failed, as `unpackInto` */
export async function unpackFile(file: string, folder: string, options: UnpackOptions = {}): Promise<void> {
  const { strip, limits = UNPACK_LIMITS } = options;
  if (await isZip(file)) await unzip(file, createUnpackedFolder(folder, { strip, limits }), limits);
  else await unpackInto(createReadStream(file), folder, options);
}

async function isZip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === 'PK\u0003\u0004';
  } finally {
    await handle.close();
  }
}

type ArchiveEntry = Extract extends AsyncIterable<infer Entry> ? Entry : never;

async function addEntry(unpacked: UnpackedFolder, entry: ArchiveEntry): Promise<void> {
  const { name, type, mode = 0o644, size = 0, linkname } = entry.header;
  if (type === 'directory') return unpacked.folder(name);
  if (type === 'file' || type === 'contiguous-file')
    return unpacked.file(name, { mode, sizeBytes: size }, chunksOf(entry));
  if (type === 'symlink' && linkname) return unpacked.link(name, linkname);
  if (type === 'link' && linkname) return unpacked.hardLink(name, linkname);
  throw hostile(`"${name}" is a ${type}`);
}

/** Node's `pipeline` never ends for an entry that was destroyed before it began; an iteration does. */
async function* chunksOf(entry: ArchiveEntry): AsyncGenerator<Buffer> {
  yield* entry as AsyncIterable<Buffer>;
}
