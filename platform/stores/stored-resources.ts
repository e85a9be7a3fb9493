import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformEvent, PlatformStream } from '../kinds/platform-event.js';
import type { AnyResource, Kind } from '../kinds/resource.js';
import { collections, FEED_KINDS } from './collections.js';
import type { Database } from './database.js';
import type { ResourceStore } from './resources.js';
import type { Revision } from './resource-log.js';
import { createEventStream } from './event-stream.js';
import type { KeptIndexes } from './kept-indexes.js';
import type { KeptLists } from './kept-lists.js';
import { isListed } from './listed-fields.js';
import { createQueriedIndex } from './queried-index.js';
import { createResourceChanges, isFollowed, isNoted, type ResourceChangesOptions } from './resource-changes.js';
import { createFeed } from './resource-feed.js';
import { insertOnce, isUnavailable } from './insert-once.js';
import {
  decideInsert,
  decideRemoval,
  decideUpdate,
  nextRevision,
  type ResourceWrite,
  type WriteDecision,
} from './resource-write.js';
import { createRevisionChain } from './revision-chain.js';

export interface ResourceStoreOptions {
  database: Database;
  kind: Kind;
  now?: () => Date;
  /** The stream that events of this kind go to. */
  stream: PlatformStream;
  /** The event that a write is, committed with it; `undefined`: none. */
  toEvent: (write: ResourceWrite) => PlatformEvent | undefined;
  /** Answers `page`; by default the database does. */
  indexes?: Pick<KeptIndexes, 'of'>;
  /** Answers `list` of a followed kind; by default the database does. */
  lists?: Pick<KeptLists, 'list'>;
}

export interface StoredResources<E extends AnyResource> extends ResourceStore<E> {
  /** Brings the collection up to the newest commit of an id; `get` and every write do so too. */
  settle(id: string): Promise<Revision<E> | undefined>;
}

/**
 * Resources without conditional updates and transactions. The log is the truth: inserting `<id>/<n+1>` commits, and only
 * one writer can. The collection of resources is a cache of the newest revision: whoever meets a resource with a next
 * revision in the log (its writer died, or was paused and put an old revision back) rolls it forward. Revisions of an
 * id go on over removal and re-creation, so a late writer of a removed resource meets its own chain and cannot hit the new one.
 *
 * `get` looks into the log too: one more point read (about 1 ms), and a caller never sees an older revision than
 * before. `list` and `page` do not; they can lag by the writes under way, and by those of dead writers until `heal` of the
 * upkeep runs.
 */
export function createStoredResources<E extends AnyResource>({
  database,
  kind,
  now = database.now,
  stream,
  toEvent,
  indexes,
  lists,
}: ResourceStoreOptions): StoredResources<E> {
  const entities = database.table<Revision<E>>(collections.entity(kind));
  const log = database.table<Revision<E>>(collections.log(kind));
  const feed = FEED_KINDS.includes(kind) ? createFeed({ database, kind }) : undefined;
  const events = createEventStream({ database, stream, now });
  const index = (isListed(kind) ? indexes?.of<E>(kind) : undefined) ?? createQueriedIndex<E>({ database, kind });
  const noteChange = changeNote({ database, now }, kind);

  const { rollForward, settle } = createRevisionChain<E>({
    entities,
    log,
    // Nothing is shown that the feed and the subscribers' stream do not have.
    async publish(revision) {
      await feed?.publish(revision);
      if (revision.event !== undefined) await events.publish(revision.event);
      await noteChange(revision);
    },
  });

  /** @returns false on a lost race: another writer committed this revision */
  async function commit(before: Revision<E> | undefined, id: string, entity: E | null): Promise<boolean> {
    const at = now().toISOString();
    const row = nextRevision({ kind, id, before, entity, at, commit: randomUUID(), toEvent });
    const result = await insertOnce({
      insert: () => log.insert(row),
      read: () => log.get(row._id),
      isOwn: (stored) => stored.commit === row.commit,
    });
    if (!result.inserted) return false;
    // Committed is committed: when the database goes away now, the next reader rolls forward.
    await rollForward(row, id, true).catch((err: unknown) => {
      if (!isUnavailable(err)) throw err;
    });
    return true;
  }

  /** Repeats a write until it commits or has nothing to commit. The random pause keeps many writers from lockstep. */
  async function write<Result>(
    id: string,
    decide: (current: Revision<E> | undefined) => WriteDecision<E, Result>,
  ): Promise<Result> {
    for (let round = 0; ; round++) {
      const current = await settle(id);
      const { entity, result } = decide(current);
      if (entity === undefined || (await commit(current, id, entity))) return result;
      await sleep(Math.random() * Math.min(250, 10 * 2 ** round));
    }
  }

  return {
    settle,
    get: async (id) => (await settle(id))?.entity ?? undefined,
    list: async () => {
      const kept = isNoted(kind) ? await lists?.list(kind) : undefined;
      if (kept !== undefined) return [...kept] as E[]; // a list holds resources of its kind alone
      const found: E[] = [];
      // Ordered here: to return rows in order, the embedded server first reads all of them into its memory.
      for await (const { entity } of entities.members(['entity'])) if (entity) found.push(entity);
      return found.sort((one, other) => (one.id < other.id ? -1 : 1));
    },
    page: (query) => index.page(query),
    insert: (entity) => write(entity.id, (current) => decideInsert(current, entity)),
    update: (id, change) => write(id, (current) => decideUpdate(current, id, change)),
    remove: (id, only = () => true) => write(id, (current) => decideRemoval(current, only)),
  };
}

function changeNote(options: ResourceChangesOptions, kind: Kind): (revision: Revision) => Promise<void> {
  if (!isNoted(kind)) return async () => {};
  const changes = createResourceChanges(options);
  return async ({ id, revision }) => {
    // A server with indexes finds the resources of lists by itself.
    if (!isFollowed(kind) && !(await options.database.scans())) return;
    await changes.append({ kind, id, revision });
  };
}
