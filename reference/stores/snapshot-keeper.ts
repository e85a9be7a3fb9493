import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetIndex, SavedLookup } from '../dataset/dataset-index.js';
import type { Replica } from '../dataset/replica.js';
import type { LogEntry } from '../dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetLogRetention } from './dataset-log-retention.js';
import type { Snapshots } from './snapshots.js';
import type { StreamLog } from '../../platform/stores/stream-log.js';

/** When snapshots of a dataset are written, and for how long its log is kept. */
export interface SnapshotPolicy {
  /** After so many changes, and after a tenth of the rows; or after so long, if there was any. */
  changes?: number;
  everyMs?: number;
  /** Never more often. */
  pauseMs?: number;
  /** Processes that would write at the same moment wait for up to so long, and then look whether one did. */
  jitterMs?: number;
  logMs?: number;
}

export interface SnapshotKeeperOptions {
  name: string;
  replica: Replica;
  log: StreamLog<LogEntry>;
  retention: DatasetLogRetention;
  snapshots: Snapshots;
  /** Saved with each snapshot, where this process has one. */
  index?: DatasetIndex | undefined;
  policy?: SnapshotPolicy | undefined;
  now: () => Date;
  onError: (err: unknown) => void;
}

const DAY_MS = 86_400_000;

/** Brings a replica to the newest snapshot at its start, and writes new ones while it lives. */
export function createSnapshotKeeper(options: SnapshotKeeperOptions) {
  const { name, replica, log, retention, snapshots, index, now, onError } = options;
  const { changes: most = 10_000, everyMs = 15 * 60_000, pauseMs = 60_000, jitterMs = 5_000 } = options.policy ?? {};
  const { logMs = 7 * DAY_MS } = options.policy ?? {};
  /** Changes since the newest snapshot that is known. */
  let changed = 0;
  let newest = 0;
  let writtenAt = -Infinity; // of a clock that never goes back
  let isWriting = false;

  function isDue(): boolean {
    const age = performance.now() - writtenAt;
    if (changed === 0 || age < pauseMs) return false;
    return age >= everyMs || changed >= Math.max(most, replica.rows.live() / 10);
  }

  async function write(): Promise<void> {
    await sleep(Math.random() * jitterMs, undefined, { ref: false });
    const [last] = await snapshots.list(name);
    const noted = changed; // what comes from here on is not in it
    if (last !== undefined && last.position > newest)
      newest = last.position; // another process was faster
    else {
      const head = replica.head();
      if (head === undefined) return;
      const kept = await snapshots.save(name, replica, head, index?.encodeLookup());
      newest = head.position;
      const oldest = kept.at(-1)?.position ?? 0;
      await retention.purge({ before: oldest, olderThan: new Date(now().getTime() - logMs).toISOString() });
    }
    changed -= noted;
    writtenAt = performance.now();
  }

  return {
    /** Nothing may be forgotten meanwhile. */
    get isWriting() {
      return isWriting;
    },
    /** Told of every entry. */
    note(entry: LogEntry): void {
      if (entry.kind === 'heartbeat') return;
      changed += entry.kind === 'changes' ? entry.changes.length : 1;
    },
    /**
     * @returns the lookup index of that moment, if it was saved here
     * @throws internal when there is no snapshot and the log does not begin at its beginning
     */
    async restore(): Promise<SavedLookup | undefined> {
      // A disk that failed in the middle leaves a part of the rows: no second try may come on top of them.
      if (replica.rows.end() > 0)
        throw new SlipwayError('internal', `a snapshot of "${name}" was read in part: restart`);
      for (const snapshot of await snapshots.list(name)) {
        const entry = await log.read(snapshot.position);
        if (entry?.token !== snapshot.token) {
          await snapshots.forget(name, snapshot); // of another log, such as one of a database that was removed
          continue;
        }
        try {
          await snapshots.restore(name, snapshot, replica);
          newest = snapshot.position;
          // What follows it may be much: the next one is due by what comes, and not at once.
          writtenAt = performance.now();
          const bytes = index && (await snapshots.lookupOf(name, snapshot));
          return bytes && { bytes, position: snapshot.position };
        } catch (err) {
          if (replica.rows.end() > 0) throw err;
          onError(err); // the one before will do
        }
      }
      if ((await retention.purgedTo()) > 0) {
        throw new SlipwayError('internal', `the log of "${name}" was shortened and no snapshot can be read`);
      }
      return undefined;
    },
    /** Writes one if it is due; errors are told, and it is tried again after the pause. */
    async maintain(): Promise<void> {
      if (isWriting || !isDue()) return;
      isWriting = true;
      await write().catch((err: unknown) => {
        writtenAt = Math.max(writtenAt, performance.now() - everyMs + pauseMs);
        onError(err);
      });
      isWriting = false;
    },
  };
}
export type SnapshotKeeper = ReturnType<typeof createSnapshotKeeper>;
