import { createDatasetIndex, type DatasetIndex, type SavedLookup } from '../dataset/dataset-index.js';
import { createPages, type Pages } from '../dataset/page.js';
import { createReplica, type Replica } from '../dataset/replica.js';
import { acceptsRow, rewriteRow } from '../rows/row-validation.js';
import type { LogEntry } from '../dataset/change.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type ChangeRecords, createChangeRecords } from './change-records.js';
import { type ChangeWriter, createChangeWriter } from './change-writer.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createLogFollower, type LogFollower } from '../../platform/stores/log-follower.js';
import { createDatasetLogRetention, type DatasetLogRetention } from './dataset-log-retention.js';
import { createSnapshotKeeper, type SnapshotPolicy } from './snapshot-keeper.js';
import type { Snapshots } from './snapshots.js';
import { createStreamLog, type StreamLog } from '../../platform/stores/stream-log.js';

/** One dataset in this process: its log, the state folded from it in memory, and its writer. */
export interface LiveDataset {
  readonly name: string;
  readonly replica: Replica;
  readonly follower: LogFollower<LogEntry>;
  /** For readers of entries: the newest entry is at `position` of the follower. */
  readonly log: StreamLog<LogEntry>;
  readonly retention: DatasetLogRetention;
  readonly records: ChangeRecords;
  readonly writer: ChangeWriter;
  /** For searches; undefined in a process that only writes. */
  readonly index: DatasetIndex | undefined;
  readonly pages: Pages;
  /** Whether the end of the log was reached once: before that, the state is incomplete. */
  readonly isReady: boolean;
  /** Reads to the end of the log, then follows it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LiveDatasetOptions {
  database: Database;
  name: string;
  /** Whether this process searches rows. */
  indexed?: boolean;
  /** How long, and for how many dataset versions, replaced states remain readable. */
  keptMs?: number;
  keptVersions?: number;
  /** Start from these; without them a start reads the whole log. */
  snapshots?: Snapshots;
  /** Undefined: this process writes none. */
  snapshotPolicy?: SnapshotPolicy;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

const TIDY_EVERY_MS = 1_000;

export function createLiveDataset(options: LiveDatasetOptions): LiveDataset {
  const { database, name, indexed = false, now = database.now, onError = () => {} } = options;
  const { keptMs = 3_600_000, keptVersions = 1_000 } = options;
  const replica = createReplica({ accepts: acceptsRow, rewrite: rewriteRow });
  const index = indexed ? createDatasetIndex(replica.rows) : undefined;
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: name });
  const retention = createDatasetLogRetention({ database, log, stream: name });
  const { snapshots, snapshotPolicy } = options;
  const shared = { name, replica, index, log, retention, now, onError };
  const keeper = snapshots && createSnapshotKeeper({ ...shared, snapshots, policy: snapshotPolicy });

  function apply(entry: LogEntry): void {
    replica.apply(entry);
    keeper?.note(entry);
  }
  const follower = createLogFollower<LogEntry>({
    log: guardSleep(log, retention),
    apply,
    prepare: (entry) => replica.prepare(entry),
    now,
    onError,
  });
  const records = createChangeRecords({ database, dataset: name });
  const writer = createChangeWriter({ records, follower, view: replica, now });
  let isReady = false;
  let starting: Promise<void> | undefined;
  let tidying: NodeJS.Timeout | undefined;

  function tidy(): void {
    const time = new Date(now().getTime() - keptMs).toISOString();
    if (keeper?.isWriting !== true) replica.forget({ time, versions: keptVersions });
    index?.built?.columns.maintain();
    if (snapshotPolicy !== undefined) void keeper?.maintain();
  }

  async function load(): Promise<void> {
    if (isReady) return;
    let saved: SavedLookup | undefined;
    if (keeper !== undefined && replica.position === 0) {
      saved = await keeper.restore();
      const { position, at } = replica;
      follower.resumeAt({ position, at });
    }
    await follower.catchUp();
    if (index !== undefined) {
      replica.watch(index);
      await index.build(replica.declaration, saved);
    }
    isReady = true;
    follower.start();
    tidying ??= setInterval(tidy, TIDY_EVERY_MS).unref();
  }

  return {
    name,
    replica,
    follower,
    log,
    retention,
    records,
    writer,
    index,
    pages: createPages(replica.rows),
    get isReady() {
      return isReady;
    },
    start() {
      starting ??= load().finally(() => (starting = undefined));
      return starting;
    },
    async stop() {
      clearInterval(tidying);
      await follower.stop();
    },
  };
}

const HOUR_MS = 3_600_000;

/**
 * Refuses entries that were purged while the process was suspended: a missing entry would be taken for the end of the
 * log, and the process would write there.
 */
function guardSleep<E extends LogEntryBase>(log: StreamLog<E>, retention: DatasetLogRetention): StreamLog<E> {
  let lookedAt = Date.now();
  async function requireKept(position: number): Promise<void> {
    if (Date.now() - lookedAt > HOUR_MS && (await retention.purgedTo()) >= position) {
      throw new SlipwayError('internal', `entry ${position} was removed: this process slept too long`);
    }
    lookedAt = Date.now();
  }
  return {
    ...log,
    async read(position) {
      await requireKept(position);
      return log.read(position);
    },
    async insert(entry) {
      await requireKept(entry.position);
      return log.insert(entry);
    },
  };
}
