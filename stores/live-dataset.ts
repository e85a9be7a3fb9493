import { createDatasetIndex, type DatasetIndex } from '../reference/dataset-index.js';
import { createPages, type Pages } from '../reference/page.js';
import { createReplica, type Replica } from '../reference/replica.js';
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
  /** For searches; a process that only writes has none. */
  readonly index: DatasetIndex | undefined;
  readonly pages: Pages;
  /** Whether the end of the log was reached once: before that, what is in memory is no state to show. */
  readonly isReady: boolean;
  /** Reads to the end of the log, then follows it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface LiveDatasetOptions {
  database: Database;
  name: string;
  /** Whether rows are searched here. */
  indexed?: boolean;
  /** For how long, and for how many dataset versions, replaced states can still be read. */
  keptMs?: number;
  keptVersions?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

const TIDY_EVERY_MS = 1_000;

export function createLiveDataset(options: LiveDatasetOptions): LiveDataset {
  const { database, name, indexed = false, now = () => new Date(), onError = () => {} } = options;
  const { keptMs = 3_600_000, keptVersions = 1_000 } = options;
  const replica = createReplica({ accepts: acceptsRow, rewrite: rewriteRow });
  const index = indexed ? createDatasetIndex(replica.rows) : undefined;
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: name });
  const follower = createLogFollower<LogEntry>({ log, apply: (entry) => replica.apply(entry), now, onError });
  const records = createChangeRecords({ database, dataset: name });
  const writer = createChangeWriter({ records, follower, view: replica, now });
  let isReady = false;
  let starting: Promise<void> | undefined;
  let tidying: NodeJS.Timeout | undefined;

  function tidy(): void {
    const time = new Date(now().getTime() - keptMs).toISOString();
    replica.forget({ time, versions: keptVersions });
    index?.built?.columns.maintain();
  }

  async function load(): Promise<void> {
    if (isReady) return;
    await follower.catchUp();
    if (index !== undefined) {
      replica.watch(index);
      await index.build(replica.declaration);
    }
    isReady = true;
    follower.start();
    tidying ??= setInterval(tidy, TIDY_EVERY_MS).unref();
  }

  return {
    name,
    replica,
    follower,
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
