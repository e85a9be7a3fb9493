import type { LogEntryBase } from '../kinds/log-entry.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import type { Kind } from '../kinds/resource.js';
import { isListed, type ListedKind } from './listed-fields.js';
import { beginning, createLogEnd, findEnd, TRUSTED_MS } from './log-end.js';
import { createLogFollower, type LogFollower } from './log-follower.js';
import { createLogRetention } from './log-retention.js';
import { createStreamLog } from './stream-log.js';

/** Kinds that processes follow whatever the server. */
const FOLLOWED_KINDS = ['Subscription', 'ModelDeployment', 'ModelTraining'] as const satisfies readonly Kind[];

/** Whether the changes of a kind are in the log also where the server does not scan. */
export const isFollowed = (kind: Kind): boolean => FOLLOWED_KINDS.some((followed) => followed === kind);

/** Kinds whose changes are in the log; those of listed kinds only where the server scans. */
export type NotedKind = ListedKind | (typeof FOLLOWED_KINDS)[number];

export const isNoted = (kind: Kind): kind is NotedKind => isListed(kind) || isFollowed(kind);

/** A resource that has a newer revision. */
export interface ResourceChange {
  kind: NotedKind;
  id: string;
  revision: number;
}

/**
 * The ids of changed resources in one order. An entry comes after the commit of its revision and after its events, at
 * least once: a reader takes that revision or a later one.
 */
export interface ResourceChanges {
  /** @throws unavailable: the change may or may not be in the log */
  append(change: ResourceChange): Promise<void>;
  /** Returns a follower of the changes from now on. */
  follow(apply: (change: ResourceChange) => void): Promise<LogFollower<LogEntryBase & ResourceChange>>;
  /**
   * Removes the oldest entries before a time, a limited number per call, and none that a follower may not have read yet.
   * @returns how many; 0: there are no more
   */
  purge(before: Date): Promise<number>;
}

/** No dataset can have this name. */
const STREAM = 'Resources';

export interface ResourceChangesOptions {
  database: Database;
  now?: () => Date;
}

export function createResourceChanges({ database, now = database.now }: ResourceChangesOptions): ResourceChanges {
  type Entry = LogEntryBase & ResourceChange;
  const log = createStreamLog<Entry>({ database, collection: collections.streams, stream: STREAM });
  const retention = createLogRetention({ database, log, stream: STREAM });
  const end = createLogEnd({ log, retention, now });

  return {
    async append(change) {
      await end.append(change);
    },
    async follow(apply) {
      const reader = createLogFollower<Entry>({ log, apply });
      reader.resumeAt(await findEnd(log, await beginning(retention)));
      return reader;
    },
    async purge(before) {
      const olderThan = new Date(Math.min(before.getTime(), now().getTime() - 2 * TRUSTED_MS)).toISOString();
      // The newest entry is kept: it holds the next position.
      return retention.purge({ before: await end.position(), olderThan });
    },
  };
}
