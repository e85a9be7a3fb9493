import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { lock } from 'proper-lockfile';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { ObjectStore } from '../platform/stores/objects.js';
import { indexPath, isIndexPath } from '../lifecycle/stores/record-index.js';
import { counterOf, recordRoot } from '../lifecycle/stores/record-path.js';
import { errorCode } from './error-code.js';
import { decodeFrame } from './frame.js';
import { type SpoolFile, toIndexFile } from './index-file.js';
import { toRecords } from './records.js';
import { putAside } from './refused.js';
import { listSegments, openPath, readFrames, sealedPath, type Segment } from './segment.js';
import { createUploadStates, type PlannedObject, type UploadState } from './upload-state.js';

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

/** Metadata that ties an object to the part of the spool it was built from. */
const RANGE = 'slipway-spool';
const MAX_COUNTER = 1_000_000;

/**
 * Turns spooled frames into record files: newline-delimited JSON, grouped by tag, model, version and hour, and last the
 * part of the index that says where they are. Each record is stored exactly once: the plan is on disk before the first object, an object is created only if its name is free,
 * and an object that exists is ours exactly when it carries our range.
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
  const root = recordRoot(prefix);
  const keyOf = ({ path, n }: PlannedObject): string => `${root}${path}_${n}.${isIndexPath(path) ? 'idx' : 'json'}`;

  /** The next chunk of a segment, if it is due. */
  async function makePlan(segment: Segment, offset: number, all: boolean): Promise<UploadState | undefined> {
    const frames = await readFrames(segment.path, offset, chunkBytes);
    const [oldest] = frames;
    if (oldest === undefined) return undefined;
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    const due = all || segment.sealed || bytes >= chunkBytes || now() - decodeFrame(oldest).head.at >= chunkMs;
    if (!due) return undefined;
    const paths = [...groupLines(frames).keys(), indexPath(now())];
    return { offset, plan: { to: offset + bytes, objects: paths.map((path) => ({ path, n: 0 })) } };
  }

  /** The first counter that nobody has used: others write into the same hour. */
  async function freeCounter(path: string): Promise<number> {
    let next = 0;
    for await (const { key } of objects.list(`${root}${path}_`)) next = Math.max(next, counterOf(key) + 1);
    return next;
  }

  /**
   * Stores one file under `key`. What the store refuses for good is put aside: it would hold up all that comes after it.
   * @returns false when the name is somebody else's
   */
  async function store(key: string, { body, contentType, metadata }: SpoolFile, name: string): Promise<boolean> {
    const range = metadata[RANGE];
    try {
      const { created } = await objects.put(key, body, { contentType, metadata, ifAbsent: true });
      return created || (await objects.head(key))?.metadata[RANGE] === range;
    } catch (err) {
      if (!(err instanceof SlipwayError && err.code === 'storage_refused')) throw err;
      const file = await putAside(spoolDir, { name, body, about: { key, contentType, metadata } });
      log.warn({ err, key, file }, 'object storage refuses records for good: they were put aside');
      return true;
    }
  }

  async function carryOut(segment: Segment, state: UploadState): Promise<number> {
    const { plan, offset } = state;
    if (plan === undefined) return 0;
    const frames = await readFrames(segment.path, offset, plan.to - offset);
    const groups = groupLines(frames);
    const range = `${segment.name}:${offset}-${plan.to}`;
    for (const [index, object] of plan.objects.entries()) {
      const content = isIndexPath(object.path)
        ? toIndexFile(frames, new Map(plan.objects.map((each) => [each.path, keyOf(each)])), range)
        : toRecordFile(groups.get(object.path));
      if (content === undefined)
        throw new SlipwayError('internal', `spool segment "${segment.name}" changed under its plan`);
      const file = { ...content, metadata: { ...content.metadata, [RANGE]: range } };
      for (; ; object.n += 1) {
        if (object.n > MAX_COUNTER) throw new SlipwayError('internal', `no free name under "${object.path}"`);
        const key = keyOf(object);
        await states.put(segment.name, state);
        if (await store(key, file, `${segment.name}-${offset}-${index}`)) break;
      }
    }
    await states.put(segment.name, { offset: plan.to });
    return plan.objects.length;
  }

  async function uploadSegment(segment: Segment, all: boolean): Promise<number> {
    let written = 0;
    for (;;) {
      const state = await states.get(segment.name);
      const next = state.plan === undefined ? await makePlan(segment, state.offset, all) : state;
      if (next === undefined) {
        if (segment.sealed) await removeSegment(segment, state.offset);
        return written;
      }
      if (state.plan === undefined) {
        for (const object of next.plan?.objects ?? []) object.n = await freeCounter(object.path);
      }
      written += await carryOut(segment, next);
    }
  }

  /** The segment first: without its state it would be uploaded again. */
  async function removeSegment({ name, path }: Segment, offset: number): Promise<void> {
    const { size } = await stat(path);
    if (size === offset) {
      await rm(path);
    } else {
      log.warn({ segment: name, offset, size }, 'a spool segment is damaged and was put aside');
      await rename(path, join(spoolDir, `${name}.damaged`));
    }
    await states.remove(name);
  }

  async function runOnce({ all = false } = {}): Promise<number> {
    let written = 0;
    for (const segment of await listSegments(spoolDir)) {
      try {
        written += await uploadSegment(segment, all);
      } catch (err) {
        // Sealed by its gateway since we listed it: the next round finds it under its new name.
        if (!(await isGone(segment.path))) throw err;
      }
    }
    for (const name of await states.segments()) {
      // In this order: a segment goes from open to sealed, and is never seen as gone in between.
      const gone = (await isGone(openPath(spoolDir, name))) && (await isGone(sealedPath(spoolDir, name)));
      if (gone) await states.remove(name);
    }
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

  return {
    runOnce,
    async run(signal) {
      let lost = false;
      const onLost = (): void => void (lost = true);
      let unlock = await onlyUploader(signal, onLost);
      let failing = false;
      while (!signal.aborted) {
        if (lost) {
          lost = false;
          unlock = await onlyUploader(signal, onLost);
        }
        try {
          await runOnce();
          if (failing) log.info('records are uploaded again');
          failing = false;
        } catch (err) {
          if (!failing) log.warn({ err }, 'records wait: they cannot be uploaded');
          failing = true;
        }
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
      if (!lost) await unlock?.();
    },
  };
}

function toRecordFile(lines: readonly string[] | undefined): SpoolFile | undefined {
  return lines && { body: Buffer.from(`${lines.join('\n')}\n`), contentType: 'application/x-ndjson', metadata: {} };
}

function groupLines(frames: readonly Buffer[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { path, json } of frames.map(decodeFrame).flatMap(toRecords)) {
    const lines = groups.get(path);
    if (lines === undefined) groups.set(path, [json]);
    else lines.push(json);
  }
  return groups;
}

async function isGone(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (err: unknown) => errorCode(err) === 'ENOENT',
  );
}
