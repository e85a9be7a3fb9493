import { setTimeout as sleep } from 'node:timers/promises';
import type { Declaration } from '../dataset/replica.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createLiveDataset, type LiveDataset } from './live-dataset.js';
import { createLogFollower } from '../../platform/stores/log-follower.js';
import type { SnapshotPolicy } from './snapshot-keeper.js';
import type { Snapshots } from './snapshots.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';

/** A dataset that has a declaration and can be read. */
export interface ReadyDataset {
  dataset: LiveDataset;
  declaration: Declaration;
}

/** Every dataset of the installation, each followed by this process. */
export interface Datasets {
  /** @throws dataset.not_found when it is not declared; replica.loading while it is being read */
  get(name: string): ReadyDataset;
  /** Returns the same; undefined where `get` throws. */
  find(name: string): ReadyDataset | undefined;
  /** Returns the same, and loads it first if needed. */
  need(name: string): Promise<ReadyDataset>;
  /** Every dataset by name, declared or not, loaded or not. The same list object while the set is the same. */
  all(): readonly LiveDataset[];
  /** Registers a name: from now on every process follows its log. */
  open(name: string): Promise<LiveDataset>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface DatasetsOptions {
  database: Database;
  /** Whether this process searches rows. */
  indexed?: boolean;
  /** Loads a dataset on demand and unloads it after a while: for processes that serve none. */
  lazy?: boolean;
  keptMs?: number;
  keptVersions?: number;
  /** Start from these; without them a start reads every log from its beginning. */
  snapshots?: Snapshots;
  /** Undefined: this process writes none. */
  snapshotPolicy?: SnapshotPolicy;
  now?: () => Date;
  onError?: (err: unknown, what: string) => void;
}

/** The stream of the dataset names; no dataset can have this name. */
const NAMES = 'datasets';
const RETRY_MS = 1_000;
const IDLE_MS = 10 * 60_000;

type Named = LogEntryBase & { name: string };

export function createDatasets(options: DatasetsOptions): Datasets {
  const { database, lazy = false, now, onError = () => {} } = options;
  const live = new Map<string, LiveDataset>();
  let inOrder: readonly LiveDataset[] | undefined;
  const stopping = new AbortController();
  /** Last use of each lazily loaded dataset, on a monotonic clock. */
  const needed = new Map<string, number>();
  let letting: NodeJS.Timeout | undefined;

  const log = createStreamLog<Named>({ database, collection: collections.streams, stream: NAMES });
  const names = createLogFollower<Named>({
    log,
    apply: ({ name }) => follow(name),
    now,
    onError: (err) => onError(err, NAMES),
  });

  function follow(name: string): void {
    const dataset = createLiveDataset({
      ...options,
      name,
      onError: (err) => onError(err, name),
    });
    live.set(name, dataset);
    inOrder = undefined;
    if (!lazy) void load(dataset);
  }

  async function letGo(): Promise<void> {
    for (const [name, at] of needed) {
      if (performance.now() - at < IDLE_MS) continue;
      needed.delete(name);
      const dataset = live.get(name);
      follow(name);
      await dataset?.stop();
    }
  }

  async function load(dataset: LiveDataset): Promise<void> {
    while (!stopping.signal.aborted && !dataset.isReady) {
      await dataset.start().catch(async (err: unknown) => {
        onError(err, dataset.name);
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      });
    }
  }

  function find(name: string): ReadyDataset | undefined {
    const dataset = live.get(name);
    if (needed.has(name)) needed.set(name, performance.now());
    const declaration = dataset?.replica.declaration;
    return dataset?.isReady && declaration !== undefined ? { dataset, declaration } : undefined;
  }

  function get(name: string): ReadyDataset {
    const ready = find(name);
    if (ready === undefined && live.get(name)?.isReady === false) {
      throw new SlipwayError('replica.loading', `dataset "${name}" is being loaded`);
    }
    if (ready === undefined) throw unknownDataset(name);
    return ready;
  }

  return {
    get,
    find,
    async need(name) {
      if (!live.has(name)) await names.catchUp();
      needed.set(name, performance.now());
      await live.get(name)?.start();
      // Another process registers a name before it declares the dataset: this one may have read the log in between.
      if (live.get(name)?.replica.declaration === undefined) await live.get(name)?.follower.catchUp();
      return get(name);
    },
    all: () => (inOrder ??= [...live.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
    async open(name) {
      await names.append(() => (live.has(name) ? undefined : { name }));
      const dataset = live.get(name);
      if (dataset === undefined) throw unknownDataset(name);
      await dataset.start();
      return dataset;
    },
    async start() {
      await names.catchUp();
      names.start();
      if (lazy) letting ??= setInterval(() => void letGo(), IDLE_MS / 10).unref();
    },
    async stop() {
      stopping.abort();
      clearInterval(letting);
      await Promise.all([names.stop(), ...[...live.values()].map((dataset) => dataset.stop())]);
    },
  };
}

const unknownDataset = (name: string) =>
  new SlipwayError('dataset.not_found', `there is no dataset "${name.slice(0, 63)}"`);
