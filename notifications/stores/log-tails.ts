import { LRUCache } from 'lru-cache';
import type { DatasetLogBeginning } from '../../reference/dataset/log-beginning.js';
import type { StreamEntry } from '../kinds/stream-entry.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createEventStream, type EventStream } from '../../platform/stores/event-stream.js';
import { createLogFollower, type LogFollower } from '../../platform/stores/log-follower.js';
import { createDatasetLogRetention, type DatasetLogRetention } from '../../reference/stores/dataset-log-retention.js';
import { createStreamLog, type StreamLog } from '../../platform/stores/stream-log.js';

/** The tails of many streams, each followed once for all readers of a process. */
export interface LogTails {
  /** @returns the entry; `undefined` after the end that this process knows of */
  read(stream: string, position: number): Promise<StreamEntry | undefined>;
  /** Reads also after that end: a tail may be late, and a reader must find every entry acknowledged before its call. */
  readOn(stream: string, position: number): Promise<StreamEntry | undefined>;
  /** @returns the beginning of a stream, at most `mostMs` old (default: a minute); a follower before it moves there */
  beginning(stream: string, mostMs?: number): Promise<DatasetLogBeginning>;
  /** @returns the position of each stream, and the time since its end was seen */
  positions(): { stream: string; position: number; lagMs: number }[];
  /** @param listener called with the name of each stream that has a new entry. @returns ends it */
  listen(listener: (stream: string) => void): () => void;
  stop(): Promise<void>;
}

export interface LogTailsOptions {
  database: Database;
  onError?: (err: unknown, stream: string) => void;
}

/** Newest entries of a stream that stay in memory. */
const KEPT = 1_000;
const BEGINNING_KNOWN_MS = 60_000;

interface Tail {
  log: StreamLog<StreamEntry>;
  follower: LogFollower<StreamEntry>;
  recent: Map<number, StreamEntry>;
  /** Decides which copy of an event counts; that never changes. */
  events: Pick<EventStream, 'counts'>;
  counted: LRUCache<number, boolean>;
  retention: DatasetLogRetention;
  begins: DatasetLogBeginning & { knownAt: number };
}

export function createLogTails({ database, onError = () => {} }: LogTailsOptions): LogTails {
  const tails = new Map<string, Tail>();
  const listeners = new Set<(stream: string) => void>();

  /** @param from position of the first reader, so that the tail does not read the whole log */
  function open(stream: string, from: number): Tail {
    const log = createStreamLog<StreamEntry>({ database, collection: collections.streams, stream });
    const recent = new Map<number, StreamEntry>();
    const apply = (entry: StreamEntry): void => {
      recent.set(entry.position, entry);
      recent.delete(entry.position - KEPT);
      for (const listener of listeners) listener(stream);
    };
    const follower = createLogFollower<StreamEntry>({
      log,
      apply,
      onError: (err) => onError(err, stream),
    });
    follower.resumeAt({ position: from, at: '' });
    follower.start();
    const counted = new LRUCache<number, boolean>({ max: KEPT });
    const events = createEventStream({ database, stream });
    const retention = createDatasetLogRetention({ database, log, stream });
    return { log, follower, recent, events, counted, retention, begins: { purgedTo: 0, knownAt: -Infinity } };
  }

  async function markRepeat({ events, counted }: Tail, entry: StreamEntry): Promise<StreamEntry> {
    if (entry.kind !== 'event') return entry;
    const counts = counted.get(entry.position) ?? (await events.counts(entry));
    counted.set(entry.position, counts);
    return counts ? entry : { ...entry, repeated: true };
  }

  function tailOf(stream: string, position: number): Tail {
    const tail = tails.get(stream) ?? open(stream, position - 1);
    tails.set(stream, tail);
    return tail;
  }

  async function readAt(tail: Tail, position: number): Promise<StreamEntry | undefined> {
    const entry = tail.recent.get(position) ?? (await tail.log.read(position));
    return entry && markRepeat(tail, entry);
  }

  return {
    async read(stream, position) {
      const tail = tailOf(stream, position);
      return position > tail.follower.position ? undefined : readAt(tail, position);
    },
    readOn: (stream, position) => readAt(tailOf(stream, position), position),
    async beginning(stream, mostMs = BEGINNING_KNOWN_MS) {
      const tail = tails.get(stream);
      if (tail === undefined) return { purgedTo: 0 };
      if (performance.now() - tail.begins.knownAt > mostMs) {
        const knownAt = performance.now();
        const begins = await tail.retention.beginning();
        tail.begins = { ...begins, knownAt };
        // A follower that waits for an entry which is gone would wait for ever.
        const { purgedTo } = begins;
        if (purgedTo > tail.follower.position) tail.follower.resumeAt({ position: purgedTo, at: '' });
      }
      return tail.begins;
    },
    positions: () =>
      [...tails].map(([stream, { follower }]) => ({ stream, position: follower.position, lagMs: follower.lagMs() })),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      await Promise.all([...tails.values()].map(({ follower }) => follower.stop()));
    },
  };
}
