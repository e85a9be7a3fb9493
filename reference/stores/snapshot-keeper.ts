import { setTimeout as sleep } from 'node:timers/promises';
import type { DatasetIndex, SavedLookup } from '../dataset/dataset-index.js';
import type { Replica } from '../dataset/replica.js';
import type { LogEntry } from '../dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { DatasetLogRetention } from './dataset-log-retention.js';
import type { Snapshots } from './snapshots.js';
import type { StreamLog } from '../../platform/stores/stream-log.js';

/** When snapshots of a dataset are written, and how long its log is retained. */
export interface SnapshotPolicy {
  /** After this many changes and a tenth of the rows; or after this time, if there was any change. */
  changes?: number;
  everyMs?: number;
  /** Shortest pause between two snapshots. */
  pauseMs?: number;
  /** Upper bound of a random delay, after which each process checks whether another one wrote a snapshot. */
  jitterMs?: number;
  logMs?: number;
}

export interface SnapshotKeeperOptions {
  name: string;
  replica: Replica;
  log: StreamLog<LogEntry>;
  retention: DatasetLogRetention;
  snapshots: Snapshots;
  /** Saved with each snapshot, when this process has one. */
  index?: DatasetIndex | undefined;
  policy?: SnapshotPolicy | undefined;
  now: () => Date;
  onError: (err: unknown) => void;
}

const DAY_MS = 86_400_000;

/** Restores a replica from the newest snapshot at start, and writes new ones while it runs. */
export function createSnapshotKeeper(options: SnapshotKeeperOptions) {
  const { name, replica, log, retention, snapshots, index, now, onError } = options;
  const { changes: most = 10_000, everyMs = 15 * 60_000, pauseMs = 60_000, jitterMs = 5_000 } = options.policy ?? {};
  const { logMs = 7 * DAY_MS } = options.policy ?? {};
  /** Number of changes since the newest known snapshot. */
  let changed = 0;
  let newest = 0;
  let writtenAt = -Infinity; // on a monotonic clock
  let isWriting = false;

  function isDue(): boolean {
    const age = performance.now() - writtenAt;
    if (changed === 0 || age < pauseMs) return false;
    return age >= everyMs || changed >= Math.max(most, replica.rows.live() / 10);
  }

  async function write(): Promise<void> {
    await sleep(Math.random() * jitterMs, undefined, { ref: false });
    const [last] = await snapshots.list(name);
    const noted = changed; // later changes are not in the snapshot
    if (last !== undefined && last.position > newest)
      newest = last.position; // another process wrote one
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
    /** Nothing may be forgotten while this is true. */
    get isWriting() {
      return isWriting;
    },
    /** Counts an applied entry. */
    note(entry: LogEntry): void {
      if (entry.kind === 'heartbeat') return;
      changed += entry.kind === 'changes' ? entry.changes.length : 1;
    },
    /**
     * @returns the lookup index of the snapshot, if it was saved on this machine
     * @throws internal when there is no readable snapshot and the log was purged
     */
    async restore(): Promise<SavedLookup | undefined> {
      // A disk error leaves part of the rows: a second attempt must not add to them.
      if (replica.rows.end() > 0)
        throw new SlipwayError('internal', `a snapshot of "${name}" was read in part: restart`);
      for (const snapshot of await snapshots.list(name)) {
        const entry = await log.read(snapshot.position);
        if (entry?.token !== snapshot.token) {
          await snapshots.forget(name, snapshot); // of another log, such as that of a removed database
          continue;
        }
        try {
          await snapshots.restore(name, snapshot, replica);
          newest = snapshot.position;
          // Many entries may follow the snapshot: the next one is due by later changes, not at once.
          writtenAt = performance.now();
          const bytes = index && (await snapshots.lookupOf(name, snapshot));
          return bytes && { bytes, position: snapshot.position };
        } catch (err) {
          if (replica.rows.end() > 0) throw err;
          onError(err); // try the previous snapshot
        }
      }
      if ((await retention.purgedTo()) > 0) {
        throw new SlipwayError('internal', `the log of "${name}" was shortened and no snapshot can be read`);
      }
      return undefined;
    },
    /** Writes a snapshot if it is due; errors are reported, and the next attempt follows after the pause. */
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
