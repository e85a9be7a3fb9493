import { createReplica, type Replica, type RowWatcher } from '../reference/replica.js';
import { acceptsRow, rewriteRow } from '../reference/row-judge.js';
import type { LogEntry } from '../resources/change.js';
import { type ChangeRecords, createChangeRecords } from './change-records.js';
import { type ChangeWriter, createChangeWriter } from './change-writer.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { createLogFollower, type LogFollower } from './log-follower.js';
import { createStreamLog } from './stream-log.js';

/** One dataset as this process holds it: its log, the fold of it in memory, and a way to write. */
export interface LiveDataset {
  readonly name: string;
  readonly replica: Replica;
  readonly follower: LogFollower<LogEntry>;
  readonly records: ChangeRecords;
  readonly writer: ChangeWriter;
  /** Whether the end of the log was reached once: before that, what is in memory is no state to show. */
  readonly isReady: boolean;
  /** Reads to the end of the log, then follows it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LiveDatasetOptions {
  database: Database;
  name: string;
  watcher?: RowWatcher;
  /** For how long, and for how many dataset versions, replaced states can still be read. */
  keptMs?: number;
  keptVersions?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

const FORGET_EVERY_MS = 10_000;

export function createLiveDataset(options: LiveDatasetOptions): LiveDataset {
  const { database, name, watcher, now = () => new Date(), onError } = options;
  const { keptMs = 3_600_000, keptVersions = 1_000 } = options;
  const replica = createReplica({ accepts: acceptsRow, rewrite: rewriteRow, watcher });
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: name });
  const follower = createLogFollower<LogEntry>({ log, apply: (entry) => replica.apply(entry), now, onError });
  const records = createChangeRecords({ database, dataset: name });
  const writer = createChangeWriter({ records, follower, view: replica, now });
  let isReady = false;
  let forgetting: NodeJS.Timeout | undefined;

  return {
    name,
    replica,
    follower,
    records,
    writer,
    get isReady() {
      return isReady;
    },
    async start() {
      await follower.catchUp();
      isReady = true;
      follower.start();
      forgetting ??= setInterval(() => {
        const time = new Date(now().getTime() - keptMs).toISOString();
        replica.forget({ time, versions: keptVersions });
      }, FORGET_EVERY_MS).unref();
    },
    async stop() {
      clearInterval(forgetting);
      await follower.stop();
    },
  };
}
