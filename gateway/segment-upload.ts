import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { recordRoot } from '../lifecycle/stores/record-path.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { ObjectStore } from '../platform/stores/objects.js';
import { createRecordObjects } from './record-objects.js';
import { readFrames, type Segment } from './segment.js';
import { createChunkFiles, keyOf, planUpload } from './upload-plan.js';
import type { UploadState, UploadStates } from './upload-state.js';

interface SegmentUploadOptions {
  spoolDir: string;
  objects: ObjectStore;
  states: UploadStates;
  log: Pick<Logger, 'warn'>;
  prefix: string;
  chunkBytes: number;
  chunkMs: number;
  now: () => number;
}

const MAX_COUNTER = 1_000_000;

/** Uploads one segment of a spool, chunk by chunk, and removes it when it is complete. */
export function createSegmentUpload(options: SegmentUploadOptions) {
  const { spoolDir, states, log, prefix, chunkBytes, chunkMs, now } = options;
  const { freeCounter, store } = createRecordObjects(options);
  const root = recordRoot(prefix);

  /** The plan of the next chunk of a segment, if it is due. */
  async function planNext(segment: Segment, offset: number, all: boolean): Promise<UploadState | undefined> {
    const frames = await readFrames(segment.path, offset, chunkBytes);
    const force = all || segment.sealed;
    const state = planUpload({ frames, offset, chunkBytes, chunkMs, now: now(), force });
    for (const object of state?.plan?.objects ?? []) object.n = await freeCounter(`${root}${object.path}_`);
    return state;
  }

  /** Stores the objects of a plan, each under a free name; the name is on disk before the object is written. */
  async function carryOut(segment: Segment, state: UploadState): Promise<number> {
    const { plan, offset } = state;
    if (plan === undefined) return 0;
    const { objects, to } = plan;
    const frames = await readFrames(segment.path, offset, to - offset);
    const fileOf = createChunkFiles({ frames, objects, root, range: `${segment.name}:${offset}-${to}` });
    for (const [index, object] of objects.entries()) {
      const file = fileOf(object);
      if (file === undefined)
        throw new SlipwayError('internal', `spool segment "${segment.name}" changed under its plan`);
      for (; ; object.n += 1) {
        if (object.n > MAX_COUNTER) throw new SlipwayError('internal', `no free name under "${object.path}"`);
        await states.put(segment.name, state);
        if (await store(keyOf(root, object), file, `${segment.name}-${offset}-${index}`)) break;
      }
    }
    await states.put(segment.name, { offset: to });
    return objects.length;
  }

  /** Removes the segment before its state: without its state it would be uploaded again. */
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

  /** Uploads the chunks that are due, with `all` also younger ones. @returns how many objects were written */
  return async function uploadSegment(segment: Segment, all: boolean): Promise<number> {
    let written = 0;
    for (;;) {
      const state = await states.get(segment.name);
      const next = state.plan === undefined ? await planNext(segment, state.offset, all) : state;
      if (next === undefined) {
        if (segment.sealed) await removeSegment(segment, state.offset);
        return written;
      }
      written += await carryOut(segment, next);
    }
  };
}
