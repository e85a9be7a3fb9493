import type { AnyResource, Kind } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import type { Revision } from './resource-log.js';
import type { StoredResources } from './stored-resources.js';

/** Scheduled upkeep of the resources of one kind. */
export interface ResourceUpkeep {
  /** Brings into the collection, and so into `list`, what writers committed before they died. @returns how many ids */
  heal(): Promise<number>;
  /**
   * Removes old revisions from the log, after healing. A day is plenty: the log is needed as long as a writer may be
   * paused in the middle of a write; less than an hour is never taken. @returns how many
   * @param onRemoval called with every removal that is in the log, before anything is taken from it
   * @param signal ends the purge between two removals
   */
  purge(
    before: Date,
    options?: { onRemoval?: (removal: Removal) => Promise<void>; signal?: AbortSignal },
  ): Promise<number>;
}

/** A resource that was removed; the id may have been given again since. */
export type Removal = Pick<Revision, 'id' | 'at'>;

const MIN_AGE_MS = 3_600_000;
const REMOVED_AT_ONCE = 500;
/** So many rows are read one by one. */
const FEW = 100;
/** About so many rows of a whole collection are read in the time of one that is read by itself. */
const ROWS_PER_READ = 4;

export interface UpkeepOptions {
  database: Database;
  kind: Kind;
  resources: Pick<StoredResources<AnyResource>, 'settle'>;
  now?: () => Date;
}

/** Reads whole logs, and much of the collections: for schedules and starts, not for requests. */
export function createResourceUpkeep({ database, kind, resources, now = database.now }: UpkeepOptions): ResourceUpkeep {
  const stored = database.table<Revision>(collections.entity(kind));
  const log = database.table<Revision>(collections.log(kind));

  async function settleAll(committed: Map<string, number>): Promise<number> {
    const leaveOut = ({ id, revision }: Pick<Revision, 'id' | 'revision'>) => {
      if (revision >= (committed.get(id) ?? Infinity)) committed.delete(id);
    };
    if (committed.size > FEW) {
      // One read of all rows costs less than one of each of a good part of them; it ends when it costs as much.
      let left = committed.size * ROWS_PER_READ;
      for await (const row of stored.members(['id', 'revision'])) {
        leaveOut(row);
        if (--left === 0) break;
      }
    }
    for (const id of committed.keys()) {
      const row = await stored.get(id);
      if (row !== undefined) leaveOut(row);
    }
    for (const id of committed.keys()) await resources.settle(id);
    return committed.size;
  }

  async function readLog(limit: string) {
    const committed = new Map<string, number>();
    const old: string[] = [];
    const removals: Removal[] = [];
    for await (const { _id, id, revision, at, change } of log.members(['id', 'revision', 'at', 'change'])) {
      committed.set(id, Math.max(revision, committed.get(id) ?? 0));
      if (at < limit) old.push(_id);
      if (change === 'deleted') removals.push({ id, at });
    }
    return { committed, old, removals };
  }

  return {
    heal: async () => settleAll((await readLog('')).committed),
    async purge(before, { onRemoval = async () => {}, signal } = {}) {
      const limit = new Date(Math.min(before.getTime(), now().getTime() - MIN_AGE_MS)).toISOString();
      const { committed, old, removals } = await readLog(limit);
      await settleAll(committed); // whatever is in the list is in the collection now
      for (const removal of removals) {
        signal?.throwIfAborted();
        await onRemoval(removal);
      }
      for (let from = 0; from < old.length; from += REMOVED_AT_ONCE) {
        signal?.throwIfAborted();
        await log.removeAll(old.slice(from, from + REMOVED_AT_ONCE));
      }
      return old.length;
    },
  };
}
