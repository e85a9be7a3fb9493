import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { lock } from 'proper-lockfile';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { ObjectStore } from '../platform/stores/objects.js';
import { errorCode } from './error-code.js';
import { listSegments, openPath, type Segment, sealedPath } from './segment.js';
import { createSegmentUpload } from './segment-upload.js';
import { createUploadStates } from './upload-state.js';

export interface UploaderOptions {
  /** The folder of the gateway's spool. */
  spoolDir: string;
  objects: ObjectStore;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Put before every key; empty for none. */
  prefix?: string;
  /** A chunk is uploaded at this size, or when its first record is this old. */
  chunkBytes?: number;
  chunkMs?: number;
  pollMs?: number;
  now?: () => number;
}

export interface Uploader {
  /** Uploads what is due; one caller per spool folder at a time. With `all` also what is younger. @returns how many objects were written. */
  runOnce(options?: { all?: boolean }): Promise<number>;
  /** Goes on until the signal, alone on its spool folder; a store that does not answer only delays it. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Turns spooled frames into record files: newline-delimited JSON, grouped by tag, model, version and hour, and last the
 * part of the index that says where they are. Each record is stored exactly once: the plan is on disk before the first
 * object, an object is created only if its name is free, and an object that exists is ours exactly when it carries our
 * range.
 */
export function createUploader({
  spoolDir,
  objects,
  log,
  prefix = '',
  chunkBytes = 8 * 1024 ** 2,
  chunkMs = 60_000,
  pollMs = 1_000,
  now = Date.now,
}: UploaderOptions): Uploader {
  const states = createUploadStates(spoolDir);
  const uploadSegment = createSegmentUpload({ spoolDir, objects, states, log, prefix, chunkBytes, chunkMs, now });

  /** Segments that failed in the last round. */
  const skipped = new Set<string>();

  function noteSkipped({ name }: Segment, err: unknown): void {
    if (!skipped.has(name)) log.warn({ err, segment: name }, 'a spool segment is skipped, and tried again each round');
    skipped.add(name);
  }

  async function runOnce({ all = false } = {}): Promise<number> {
    let written = 0;
    let failure: Error | undefined;
    for (const segment of await listSegments(spoolDir)) {
      try {
        written += await uploadSegment(segment, all);
        skipped.delete(segment.name);
      } catch (err) {
        // Sealed by its gateway since we listed it: the next round finds it under its new name.
        if (await isGone(segment.path)) continue;
        // A store that is away fails them all; any other fault may be one of this segment alone.
        if (!(err instanceof Error) || (err instanceof SlipwayError && err.code === 'unavailable')) throw err;
        noteSkipped(segment, err);
        failure = err;
      }
    }
    for (const name of await states.segments()) {
      // In this order: a segment goes from open to sealed, and is never seen as gone in between.
      const gone = (await isGone(openPath(spoolDir, name))) && (await isGone(sealedPath(spoolDir, name)));
      if (gone) await states.remove(name);
    }
    if (failure !== undefined) throw failure;
    return written;
  }

  /** Two uploaders of one spool would store its records twice. A killed one's lock goes stale after ten seconds. */
  async function onlyUploader(signal: AbortSignal, onLost: () => void): Promise<(() => Promise<void>) | undefined> {
    while (!signal.aborted) {
      try {
        const dir = join(spoolDir, 'uploads');
        await mkdir(dir, { recursive: true });
        return await lock(dir, { stale: 10_000, onCompromised: onLost });
      } catch (err) {
        log.info({ err }, 'waiting for the other uploader of this spool');
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  const run = (signal: AbortSignal): Promise<void> =>
    repeat({ work: runOnce, takeLock: onlyUploader, log, pollMs }, signal);
  return { runOnce, run };
}

interface Repetition {
  work: () => Promise<unknown>;
  /** @returns the release of the lock; undefined when `signal` aborted first */
  takeLock: (signal: AbortSignal, onLost: () => void) => Promise<(() => Promise<void>) | undefined>;
  log: Pick<Logger, 'info' | 'warn'>;
  pollMs: number;
}

/** Repeats `work` under the lock until the signal; a series of failures is logged once, at its start and at its end. */
async function repeat({ work, takeLock, log, pollMs }: Repetition, signal: AbortSignal): Promise<void> {
  let lost = false;
  const onLost = (): void => void (lost = true);
  let unlock = await takeLock(signal, onLost);
  let failing = false;
  while (!signal.aborted) {
    if (lost) {
      lost = false;
      unlock = await takeLock(signal, onLost);
    }
    try {
      await work();
      if (failing) log.info('records are uploaded again');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'records wait: they cannot be uploaded');
      failing = true;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  if (!lost) await unlock?.();
}

/** Whether there is no file at `path`. */
async function isGone(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (err: unknown) => errorCode(err) === 'ENOENT',
  );
}
