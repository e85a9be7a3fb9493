import { beginningBehind, type LogBeginning } from '../reference/log-beginning.js';
import { entryId, type Placed } from '../resources/change.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';
import type { StreamLog } from './stream-log.js';

/** Where a log begins: what comes before is in snapshots alone. */
export interface LogRetention {
  /** Entries up to here may be gone; 0: none is. */
  purgedTo(): Promise<number>;
  /** The same, with what stood there. */
  beginning(): Promise<LogBeginning>;
  /**
   * Removes entries from the oldest on, a limited number at a time.
   * @param before the first that stays whatever its age
   * @param olderThan those of this time and later stay
   * @returns how many were removed
   */
  purge(limits: { before: number; olderThan: string; most?: number }): Promise<number>;
}

interface LogRetentionOptions<E extends Placed> {
  database: Database;
  log: StreamLog<E>;
  stream: string;
}

/** The mark stands at position 0, which no entry has; it is set before anything is removed. */
export function createLogRetention<E extends Placed>({ database, log, stream }: LogRetentionOptions<E>): LogRetention {
  const table = database.table<Row & LogBeginning>(collections.streams);
  const mark = entryId(stream, 0);
  const beginning = async (): Promise<LogBeginning> => (await table.get(mark)) ?? { purgedTo: 0 };

  return {
    beginning,
    purgedTo: async () => (await beginning()).purgedTo,
    async purge({ before, olderThan, most = 1_000 }) {
      const begun = await beginning();
      const { purgedTo: from } = begun;
      let next = begun;
      for (const end = Math.min(before - 1, from + most); next.purgedTo < end;) {
        const entry = await log.read(next.purgedTo + 1);
        if (entry !== undefined && entry.at >= olderThan) break;
        next = entry === undefined ? { ...next, purgedTo: next.purgedTo + 1 } : beginningBehind(next, entry);
      }
      const { purgedTo: to } = next;
      if (to === from) return 0;
      await table.put({ ...next, _id: mark });
      for (let position = from + 1; position <= to; position += 1) await log.remove(position);
      return to - from;
    },
  };
}
