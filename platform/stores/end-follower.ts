import type { LogEntryBase } from '../kinds/log-entry.js';
import { createLogFollower, type LogFollower } from './log-follower.js';
import type { LogRetention } from './log-retention.js';
import type { StreamLog } from './stream-log.js';

export interface EndFollowerOptions<E extends LogEntryBase> {
  log: StreamLog<E>;
  retention: Pick<LogRetention, 'purgedTo'>;
  now?: () => Date;
}

/** A follower that begins at the end of its log: for those who append, and for those who read what follows. */
export interface EndFollower<E extends LogEntryBase> {
  follower: LogFollower<E>;
  /** Finds the end of the log unless it is known; must be called before an append. */
  open: () => Promise<void>;
  /** Reads to the end of the log. */
  catchUp: () => Promise<void>;
}

/** A follower that did not look for so long begins again: what it knows as the end may be purged. */
export const TRUSTED_MS = 3_600_000;

export function createEndFollower<E extends LogEntryBase>({
  log,
  retention,
  now,
}: EndFollowerOptions<E>): EndFollower<E> {
  const follower = createLogFollower<E>({ log, apply: () => {}, now });
  let opening: Promise<void> | undefined;
  let isOpen = false;

  async function readEnd(): Promise<void> {
    follower.resumeAt(await findEnd(log, retention));
    await follower.catchUp();
    isOpen = true;
  }

  async function open(): Promise<void> {
    // A known end that is old may have been purged, and would look like the end for ever.
    if (isOpen && follower.lagMs() > TRUSTED_MS) {
      opening = undefined;
      isOpen = false;
    }
    opening ??= readEnd();
    await opening.catch((err: unknown) => {
      opening = undefined;
      throw err;
    });
  }

  return {
    follower,
    open,
    async catchUp() {
      await open();
      await follower.catchUp();
    },
  };
}

/** Finds the end by exponential search and bisection, since positions have no gaps. */
export async function findEnd<E extends LogEntryBase>(
  log: StreamLog<E>,
  retention: Pick<LogRetention, 'purgedTo'>,
): Promise<Pick<LogEntryBase, 'position' | 'at'>> {
  let low = await retention.purgedTo();
  let step = 1;
  let entry = await log.read(low + step);
  let at = '';
  while (entry !== undefined) {
    ({ position: low, at } = entry);
    step *= 2;
    entry = await log.read(low + step);
  }
  for (; step >= 1; step = Math.floor(step / 2)) {
    const found = await log.read(low + step);
    if (found !== undefined) ({ position: low, at } = found);
  }
  return { position: low, at };
}
