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
   * Removes the oldest entries, a limited number per call.
   * @param before position of the first entry that stays whatever its age
   * @param olderThan entries of this time and later stay
   * @returns how many were removed
   */
  purge(limits: { before: number; olderThan: string; most?: number }): Promise<number>;
}

export interface LogRetentionOptions<E extends LogEntryBase, Beginning extends LogBeginning = LogBeginning> {
  database: Database;
  log: StreamLog<E>;
  stream: string;
  /** The beginning once the oldest entry is removed; by default its position only. */
  advance?: (before: Beginning | LogBeginning, entry: E) => Beginning | LogBeginning;
}

/** The beginning is stored at position 0, which no entry has, before anything is removed. */
export function createLogRetention<E extends LogEntryBase, Beginning extends LogBeginning = LogBeginning>({
  database,
  log,
  stream,
  advance = (_, { position: purgedTo }) => ({ purgedTo }),
}: LogRetentionOptions<E, Beginning>): LogRetention<Beginning> {
  const table = database.table<Row & (Beginning | LogBeginning)>(collections.streams);
  const id = entryId(stream, 0);
  const beginning = async (): Promise<Beginning | LogBeginning> => (await table.get(id)) ?? { purgedTo: 0 };

  return {
    beginning,
    purgedTo: async () => (await beginning()).purgedTo,
    async purge({ before, olderThan, most = 1_000 }) {
      const stored = await beginning();
      const { purgedTo: from } = stored;
      let next = stored;
      for (const end = Math.min(before - 1, from + most); next.purgedTo < end;) {
        const entry = await log.read(next.purgedTo + 1);
        if (entry !== undefined && entry.at >= olderThan) break;
        next = entry === undefined ? { ...next, purgedTo: next.purgedTo + 1 } : advance(next, entry);
      }
      const { purgedTo: to } = next;
      if (to === from) return 0;
      await table.put({ ...next, _id: id });
      for (let position = from + 1; position <= to; position += 1) await log.remove(position);
      return to - from;
    },
  };
}
