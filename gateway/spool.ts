import { randomUUID } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { encodeFrame, type Frame } from './frame.js';
import { countRefused } from './refused.js';
import { spoolBytes } from './segment.js';
import { createSpoolBatches } from './spool-batches.js';
import { adoptSegments } from './spool-owner.js';
import { hasRoom, spoolLimit, type SpoolRoom } from './spool-room.js';
import { closeSegment, openSegment, type SpoolSegment, syncSegment, writeSegment } from './spool-segment.js';

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
  let segment: SpoolSegment | undefined;
  let nextNumber = 0;
  let dropped = 0;
  let refused = 0;
  const room: SpoolRoom = { used: 0, limit: limitBytes };
  let closed = false;
  let sealing: Promise<unknown> = Promise.resolve();

  /** Seals the segment beside the writes of the next one. */
  function rotate({ torn = false } = {}): void {
    if (segment === undefined) return;
    const sealed = closeSegment(segment, torn).catch((err: unknown) => {
      log.error({ err }, 'a spool segment was not sealed');
    });
    segment = undefined;
    sealing = Promise.all([sealing, sealed]);
  }

  const batches = createSpoolBatches(async (batch) => {
    try {
      segment ??= await openSegment({ dir, at: now(), writer, number: nextNumber++ });
      await writeSegment(segment, batch);
      room.used += batch.length;
      if (segment.bytes >= segmentBytes) rotate();
      return true;
    } catch (err) {
      log.error({ err }, 'the spool cannot be written');
      rotate({ torn: true });
      return false;
    }
  });

  async function tick(): Promise<void> {
    const current = segment;
    if (current !== undefined) await syncSegment(current);
    const isOld = current !== undefined && now() - current.since >= segmentMs;
    if (isOld && segment === current && !batches.isDraining()) rotate();
    room.used = await spoolBytes(dir);
    refused = await countRefused(dir);
    const disk = await statfs(dir);
    room.limit = spoolLimit(limitBytes, room.used, disk);
  }
  await tick();
  const timer = setInterval(() => {
    tick().catch((err: unknown) => log.error({ err }, 'the spool was not forced to disk'));
  }, syncMs);
  timer.unref();

  return {
    append(frame) {
      const bytes = encodeFrame(frame);
      if (!closed && hasRoom(room, batches.pendingBytes(), bytes.length)) return batches.add(bytes);
      dropped += 1;
      return Promise.resolve(false);
    },
    stats: () => ({ bytes: room.used, dropped: dropped + batches.dropped(), refused }),
    async close() {
      closed = true;
      clearInterval(timer);
      await batches.drained();
      rotate();
      await sealing;
      await owner.release();
    },
  };
}
