import type { LogEntryBase } from '../kinds/log-entry.js';
import { type Content, entryAfter, type EntryOffset, insertEntry } from './log-append.js';
import type { LogRetention } from './log-retention.js';
import type { StreamLog } from './stream-log.js';

/** The end of a log, for those who append and do not read what others appended. */
export interface LogEnd<E extends LogEntryBase> {
  /** Returns the position of the newest entry; 0: there is none. */
  position(): Promise<number>;
  /** @throws unavailable: the entry may or may not be in the log */
  append(content: Content<E>): Promise<E>;
}

export interface LogEndOptions<E extends LogEntryBase> {
  log: StreamLog<E>;
  retention: Pick<LogRetention, 'purgedTo'>;
  now?: () => Date;
  /** Milliseconds of a monotonic clock. */
  monotonic?: () => number;
}

/** An end that was seen so long ago is not trusted: it may be purged, and would look like the end for ever. */
export const TRUSTED_MS = 3_600_000;

export function createLogEnd<E extends LogEntryBase>({
  log,
  retention,
  now = () => new Date(),
  monotonic = () => performance.now(),
}: LogEndOptions<E>): LogEnd<E> {
  let known: (EntryOffset & { seenAt: number }) | undefined;
  let appended: Promise<unknown> = Promise.resolve();

  const isTrusted = (): boolean => known !== undefined && monotonic() - known.seenAt <= TRUSTED_MS;

  function note(end: EntryOffset, seenAt: number): void {
    if (known === undefined || !isTrusted() || end.position >= known.position) known = { ...end, seenAt };
  }

  async function find(): Promise<EntryOffset> {
    const seenAt = monotonic();
    const from = known !== undefined && isTrusted() ? known : await beginning(retention);
    const end = await findEnd(log, from);
    note(end, seenAt);
    return end;
  }

  async function appendNext(content: Content<E>): Promise<E> {
    let before = known !== undefined && isTrusted() ? known : await find();
    for (;;) {
      const seenAt = monotonic();
      const entry = entryAfter<E>(before, content, now());
      const { inserted } = await insertEntry(log, entry);
      if (inserted) {
        note(entry, seenAt);
        return entry;
      }
      before = await find();
    }
  }

  return {
    position: async () => (await find()).position,
    append(content) {
      // One after the other: concurrent appends would only take positions from each other.
      const mine = appended.then(() => appendNext(content));
      appended = mine.catch(() => {});
      return mine;
    },
  };
}

/** Returns where the entries that are kept begin. */
export async function beginning(retention: Pick<LogRetention, 'purgedTo'>): Promise<EntryOffset> {
  return { position: await retention.purgedTo(), at: '' };
}

/**
 * Finds the end by exponential search and bisection, since positions have no gaps: a few reads, however far it is.
 * @param from the offset of an entry, or the beginning of the log
 */
export async function findEnd<E extends LogEntryBase>(log: StreamLog<E>, from: EntryOffset): Promise<EntryOffset> {
  let { position: low, at } = from;
  let step = 1;
  let entry = await log.read(low + step);
  while (entry !== undefined) {
    ({ position: low, at } = entry);
    step *= 2;
    entry = await log.read(low + step);
  }
  for (step = Math.floor(step / 2); step >= 1; step = Math.floor(step / 2)) {
    const found = await log.read(low + step);
    if (found !== undefined) ({ position: low, at } = found);
  }
  return { position: low, at };
}
