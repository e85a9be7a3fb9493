import { randomUUID } from 'node:crypto';
import { close, fdatasync, open, write } from 'node:fs';
import { mkdir, rename, statfs, truncate } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { encodeFrame, type Frame } from './frame.js';
import { countRefused } from './refused.js';
import { openPath, sealedPath, spoolBytes } from './segment.js';
import { adoptSegments } from './spool-owner.js';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fdatasync);
const writeSome = promisify(write);

/** The append-only log between request path and uploader. A finished write survives the death of this process. */
export interface Spool {
  /** @returns whether the frame was written; false when it was dropped (spool full, disk broken, closing). */
  append(frame: Frame): Promise<boolean>;
  /** Bytes that wait for the uploader, frames dropped since the start, files that storage refused. */
  stats(): { bytes: number; dropped: number; refused: number };
  close(): Promise<void>;
}

export interface SpoolOptions {
  /** A folder of this gateway alone; its uploader reads the same folder. */
  dir: string;
  log: Pick<Logger, 'warn' | 'error'>;
  /** More than this waiting for the uploader: new records are dropped and counted. */
  limitBytes?: number;
  /** A segment is sealed at this size or age. */
  segmentBytes?: number;
  segmentMs?: number;
  /** How often written bytes are forced to disk: what a loss of power may cost. */
  syncMs?: number;
  now?: () => number;
}

interface OpenSegment {
  name: string;
  fd: number;
  bytes: number;
  since: number;
  dirty: boolean;
  syncing: Promise<void>;
}

interface Waiting {
  bytes: Buffer;
  resolve: (written: boolean) => void;
}

/** The spool takes at most this part of what the disk has left, so that it never fills the disk for others. */
const DISK_SHARE = 0.8;
/** Bytes that may wait in memory for a slow disk. */
const PENDING_BYTES = 64 * 1024 * 1024;

export async function createSpool({
  dir,
  log,
  limitBytes = 10 * 1024 ** 3,
  segmentBytes = 8 * 1024 ** 2,
  segmentMs = 60_000,
  syncMs = 1_000,
  now = Date.now,
}: SpoolOptions): Promise<Spool> {
  await mkdir(dir, { recursive: true });
  const writer = randomUUID();
  const owner = await adoptSegments({ dir, own: writer, log });
  let segment: OpenSegment | undefined;
  let nextNumber = 0;
  let waiting: Waiting[] = [];
  let pendingBytes = 0;
  let dropped = 0;
  let refused = 0;
  let used = 0;
  let limit = limitBytes;
  let closed = false;
  let draining: Promise<void> | undefined;
  let sealing: Promise<unknown> = Promise.resolve();

  async function openSegment(): Promise<OpenSegment> {
    const number = String(nextNumber++).padStart(9, '0');
    const name = `${String(now()).padStart(15, '0')}-${writer}-${number}`;
    const fd = await openFile(openPath(dir, name), 'a');
    return { name, fd, bytes: 0, since: now(), dirty: false, syncing: Promise.resolve() };
  }

  /** Nothing is written to the segment any more when this begins: it runs beside the next one's writes. */
  async function seal({ name, fd, bytes, syncing }: OpenSegment, torn: boolean): Promise<void> {
    await syncing;
    if (torn) await truncate(openPath(dir, name), bytes);
    await syncFile(fd);
    await closeFile(fd);
    await rename(openPath(dir, name), sealedPath(dir, name));
  }

  function rotate({ torn = false } = {}): void {
    if (segment === undefined) return;
    const old = segment;
    segment = undefined;
    const sealed = seal(old, torn).catch((err: unknown) => log.error({ err }, 'a spool segment was not sealed'));
    sealing = Promise.all([sealing, sealed]);
  }

  async function writeBatch(bytes: Buffer): Promise<boolean> {
    try {
      segment ??= await openSegment();
      for (let at = 0; at < bytes.length;) {
        at += (await writeSome(segment.fd, bytes, at, bytes.length - at, null)).bytesWritten;
      }
      segment.bytes += bytes.length;
      segment.dirty = true;
      used += bytes.length;
      if (segment.bytes >= segmentBytes) rotate();
      return true;
    } catch (err) {
      log.error({ err }, 'the spool cannot be written');
      rotate({ torn: true });
      return false;
    }
  }

  /** One write for all that a turn of the event loop brought; what comes meanwhile goes into the next. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      pendingBytes = 0;
      const written = await writeBatch(Buffer.concat(batch.map(({ bytes }) => bytes)));
      if (!written) dropped += batch.length;
      for (const { resolve } of batch) resolve(written);
    }
    draining = undefined;
  }

  async function tick(): Promise<void> {
    const current = segment;
    if (current?.dirty) {
      current.dirty = false;
      current.syncing = syncFile(current.fd);
      await current.syncing;
    }
    if (segment !== undefined && segment === current && now() - segment.since >= segmentMs && !draining) rotate();
    used = await spoolBytes(dir);
    refused = await countRefused(dir);
    const { bavail, bsize } = await statfs(dir);
    limit = Math.min(limitBytes, DISK_SHARE * (bavail * bsize + used));
  }
  await tick();
  const timer = setInterval(() => {
    tick().catch((err: unknown) => log.error({ err }, 'the spool was not forced to disk'));
  }, syncMs);
  timer.unref();

  return {
    append(frame) {
      const bytes = encodeFrame(frame);
      if (closed || pendingBytes + bytes.length > PENDING_BYTES || used + pendingBytes + bytes.length > limit) {
        dropped += 1;
        return Promise.resolve(false);
      }
      pendingBytes += bytes.length;
      return new Promise((resolve) => {
        waiting.push({ bytes, resolve });
        draining ??= new Promise<void>((done) => setImmediate(done)).then(drain);
      });
    },
    stats: () => ({ bytes: used, dropped, refused }),
    async close() {
      closed = true;
      clearInterval(timer);
      await draining;
      rotate();
      await sealing;
      await owner.release();
    },
  };
}
