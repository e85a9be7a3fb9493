import { entryId, type LogEntryBase } from '../kinds/log-entry.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';
import type { StreamLog } from './stream-log.js';

export interface LogBeginning {
  /** Entries up to this position may be removed; 0: none is. */
  purgedTo: number;
}

/** The beginning of a log. Earlier entries are in snapshots only. */
export interface LogRetention<Beginning extends LogBeginning = LogBeginning> {
  /** Entries up to this position may be removed; 0: none is. */
  purgedTo(): Promise<number>;
  /** The same, with the state that the removed entries left. */
  beginning(): Promise<Beginning | LogBeginning>;
  /**
   * Removes the oldest entries, a limited number per call, and those that an interrupted call left.
   * @param before position of the first entry that stays whatever its age
   * @param olderThan entries of this time and later stay
   * @returns how many were removed; 0: there are no more
   */
  purge(limits: { before: number; olderThan: string; most?: number }): Promise<number>;
}

export interface LogRetentionOptions<E extends LogEntryBase, Beginning extends LogBeginning = LogBeginning> {
  database: Database;
  log: StreamLog<E>;
  stream: string;
  /** The beginning once the oldest entry is removed; by default its position only. */
  advance?: (before: Beginning | LogBeginning, entry: E) => Beginning | LogBeginning;
  /** Called before entries are removed, and again when that was interrupted. */
  onRemove?: (entries: readonly E[]) => Promise<void>;
}

/** Concurrent point reads. */
const AT_ONCE = 100;

/** The beginning is stored at position 0, which no entry has, before anything is removed. */
export function createLogRetention<E extends LogEntryBase, Beginning extends LogBeginning = LogBeginning>({
  database,
  log,
  stream,
  advance = (_, { position: purgedTo }) => ({ purgedTo }),
  onRemove = async () => {},
}: LogRetentionOptions<E, Beginning>): LogRetention<Beginning> {
  /** `removedTo`: the entries from there to `purgedTo` are still to be removed; absent when there are none. */
  type Stored = (Beginning | LogBeginning) & { removedTo?: number };
  const table = database.table<Row & Stored>(collections.streams);
  const id = entryId(stream, 0);
  const beginning = async (): Promise<Stored> => (await table.get(id)) ?? { purgedTo: 0 };

  /** Reads the entries after a position to the last one, in order; a position without an entry is left out. */
  async function* readRange(after: number, last: number): AsyncGenerator<E | undefined> {
    for (let from = after + 1; from <= last; from += AT_ONCE) {
      const size = Math.min(AT_ONCE, last - from + 1);
      yield* await Promise.all(Array.from({ length: size }, (_, index) => log.read(from + index)));
    }
  }

  async function remove(after: number, last: number, entries: readonly E[]): Promise<void> {
    await onRemove(entries);
    await log.removeRange(after + 1, last);
  }

  /** Ends what an interrupted call began. @returns the beginning, with nothing left before it */
  async function completeRemoval({ removedTo, ...stored }: Stored): Promise<Stored> {
    if (removedTo === undefined) return stored;
    const left: E[] = [];
    for await (const entry of readRange(removedTo, stored.purgedTo)) if (entry !== undefined) left.push(entry);
    await remove(removedTo, stored.purgedTo, left);
    return stored;
  }

  return {
    beginning,
    purgedTo: async () => (await beginning()).purgedTo,
    async purge({ before, olderThan, most = 1_000 }) {
      const stored = await completeRemoval(await beginning());
      const { purgedTo: from } = stored;
      let next: Beginning | LogBeginning = stored;
      const old: E[] = [];
      for await (const entry of readRange(from, Math.min(before - 1, from + most))) {
        if (entry !== undefined && entry.at >= olderThan) break;
        next = entry === undefined ? { ...next, purgedTo: next.purgedTo + 1 } : advance(next, entry);
        if (entry !== undefined) old.push(entry);
      }
      const { purgedTo: to } = next;
      if (to === from) return 0;
      await table.put({ ...next, _id: id, removedTo: from });
      await remove(from, to, old);
      await table.put({ ...next, _id: id });
      return to - from;
    },
  };
}
