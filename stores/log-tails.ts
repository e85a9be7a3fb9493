import type { LogEntry } from '../resources/change.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { createLogFollower, type LogFollower } from './log-follower.js';
import { createStreamLog, type StreamLog } from './stream-log.js';

/** The ends of many streams, each followed once for everybody in a process who reads it. */
export interface LogTails {
  /** @returns the entry; `undefined` behind the end that this process knows of */
  read(stream: string, position: number): Promise<LogEntry | undefined>;
  /** @param listener told of each stream that goes on. @returns ends it */
  listen(listener: (stream: string) => void): () => void;
  stop(): Promise<void>;
}

export interface LogTailsOptions {
  database: Database;
  onError?: (err: unknown, stream: string) => void;
}

/** Newest entries of a stream that stay in memory. */
const KEPT = 1_000;

interface Tail {
  log: StreamLog<LogEntry>;
  follower: LogFollower<LogEntry>;
  recent: Map<number, LogEntry>;
}

export function createLogTails({ database, onError = () => {} }: LogTailsOptions): LogTails {
  const tails = new Map<string, Tail>();
  const listeners = new Set<(stream: string) => void>();

  /** @param from what the first reader has read already: nobody reads a whole log for its end */
  function open(stream: string, from: number): Tail {
    const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream });
    const recent = new Map<number, LogEntry>();
    const apply = (entry: LogEntry): void => {
      recent.set(entry.position, entry);
      recent.delete(entry.position - KEPT);
      for (const listener of listeners) listener(stream);
    };
    const follower = createLogFollower<LogEntry>({
      log,
      apply,
      onError: (err) => onError(err, stream),
    });
    follower.resumeAt({ position: from, at: '' });
    follower.start();
    return { log, follower, recent };
  }

  return {
    async read(stream, position) {
      const tail = tails.get(stream) ?? open(stream, position - 1);
      tails.set(stream, tail);
      if (position > tail.follower.position) return undefined;
      return tail.recent.get(position) ?? tail.log.read(position);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      await Promise.all([...tails.values()].map(({ follower }) => follower.stop()));
    },
  };
}
