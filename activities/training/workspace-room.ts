import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runFailed } from '../../platform/kinds/reasons.js';

/** The disk space that one training may still take for its source and data. */
export interface WorkspaceRoom {
  left(): number;
  /** @throws run_failed, reason DataCopyFailed, when there is not so much left */
  take(bytes: number): void;
}

/** @param what the files, as messages name them */
export function createRoom(maxBytes = Infinity, what = SOURCE): WorkspaceRoom {
  let left = maxBytes;
  return {
    left: () => left,
    take(bytes) {
      left -= bytes;
      if (left < 0) throw tooLarge(maxBytes, what);
    },
  };
}

const SOURCE = { name: 'source and data of a training', remedy: 'bind less data, or read it in the program' };

const tooLarge = (maxBytes: number, { name, remedy }: typeof SOURCE): Error =>
  runFailed({
    reason: 'DataCopyFailed',
    message:
      `${name} have at most ${Number((maxBytes / 2 ** 30).toFixed(3))} GiB ` + `(SLIPWAY_MAX_WORKSPACE_GIB): ${remedy}`,
  });

/** Passes a stream on as long as there is room for it. */
export const countInto = (room: WorkspaceRoom): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        room.take(chunk.length);
        done(null, chunk);
      } catch (err) {
        done(err as Error); // `take` throws errors alone
      }
    },
  });

interface Watched {
  folder: string;
  room: WorkspaceRoom;
  signal: AbortSignal;
  /** Between two looks at the folder. */
  pollMs?: number;
}

/**
 * Runs what fills a folder by a program of its own; its signal ends it when the folder outgrows the room.
 * @throws as `take` of the room, and whatever `work` throws
 */
export async function withinRoom<T>(
  { folder, room, signal, pollMs = 1_000 }: Watched,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const most = room.left();
  const full = new AbortController();
  const done = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted) {
      await sleep(pollMs, undefined, { signal: done.signal }).catch(() => undefined);
      if (!done.signal.aborted && (await sizeOf(folder, most)) > most) return full.abort();
    }
  };
  const watching = most === Infinity ? undefined : watch();
  try {
    const result = await work(AbortSignal.any([signal, full.signal]));
    if (most < Infinity) room.take(await sizeOf(folder, most));
    return result;
  } catch (err) {
    if (full.signal.aborted) room.take(most + 1);
    throw err;
  } finally {
    done.abort();
    await watching;
  }
}

/** Bytes of the files below a folder; counts no further than beyond `most`. A file that goes meanwhile has none. */
async function sizeOf(folder: string, most: number): Promise<number> {
  let bytes = 0;
  const open = [folder];
  for (let at = open.pop(); at !== undefined && bytes <= most; at = open.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) bytes += await stat(path).then(({ size }) => size, gone);
    }
  }
  return bytes;
}

const gone = (): number => 0;
