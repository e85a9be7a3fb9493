import { close, fdatasync, open, write } from 'node:fs';
import { rename, truncate } from 'node:fs/promises';
import { promisify } from 'node:util';
import { openPath, sealedPath } from './segment.js';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
const writeSome = promisify(write);

/** The segment that a gateway writes. */
export interface SpoolSegment {
  dir: string;
  name: string;
  fd: number;
  /** Written bytes of whole batches. */
  bytes: number;
  /** Milliseconds since 1970. */
  since: number;
  /** Whether bytes were written since the last sync. */
  dirty: boolean;
  syncing: Promise<void>;
}

export interface SegmentName {
  dir: string;
  /** Milliseconds since 1970; names sort by it, then by the number. */
  at: number;
  writer: string;
  number: number;
}

export async function openSegment({ dir, at, writer, number }: SegmentName): Promise<SpoolSegment> {
  const name = `${String(at).padStart(15, '0')}-${writer}-${String(number).padStart(9, '0')}`;
  const fd = await openFile(openPath(dir, name), 'a');
  return { dir, name, fd, bytes: 0, since: at, dirty: false, syncing: Promise.resolve() };
}

/** Appends a batch; when it fails, a part of the batch may be written after `bytes`. */
export async function writeSegment(segment: SpoolSegment, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await writeSome(segment.fd, bytes, at, bytes.length - at, null)).bytesWritten;
  }
  segment.bytes += bytes.length;
  segment.dirty = true;
}

/** Forces written bytes to disk. */
export async function syncSegment(segment: SpoolSegment): Promise<void> {
  if (!segment.dirty) return;
  segment.dirty = false;
  segment.syncing = syncFile(segment.fd);
  await segment.syncing;
}

/** Closes a segment that nothing is written to any more. @param torn the last batch was not written as a whole */
export async function closeSegment({ dir, name, fd, bytes, syncing }: SpoolSegment, torn: boolean): Promise<void> {
  await syncing;
  if (torn) await truncate(openPath(dir, name), bytes);
  await syncFile(fd);
  await closeFile(fd);
  await rename(openPath(dir, name), sealedPath(dir, name));
}
