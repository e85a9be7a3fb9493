import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformEvent, PlatformStream } from '../kinds/platform-event.js';
import type { AnyResource, Kind } from '../kinds/resource.js';
import { notFound, SlipwayError } from '../kinds/errors.js';
import { collections, FEED_KINDS } from './collections.js';
import type { Database } from './database.js';
import type { ResourceStore } from './resources.js';
import { changeBetween, revisionId } from './resource-log.js';
import type { Revision } from './resource-log.js';
import { createEventStream } from './event-stream.js';
import { createFeed } from './resource-feed.js';
import { insertOnce, isUnavailable } from './insert-once.js';

export interface ResourceStoreOptions {
  database: Database;
  kind: Kind;
  now?: () => Date;
  /** The stream that events of this kind go to. */
  stream: PlatformStream;
  /** The event that a write is, committed with it; `undefined`: none. */
  toEvent: (write: ResourceWrite) => PlatformEvent | undefined;
}

export interface ResourceWrite {
  kind: Kind;
  /** The resource before and after the write; a removal leaves none. */
  before: AnyResource | undefined;
  after: AnyResource | undefined;
  revision: number;
  /** When it was committed. */
  at: string;
}

export interface StoredResources<E extends AnyResource> extends ResourceStore<E> {
  /** Brings the collection up to the newest commit of an id; `get` and every write do so too. */
  settle(id: string): Promise<Revision<E> | undefined>;
}

/** A commit not yet in the collection is most likely being put there: only after this do others do it too. */
const GRACE_MS = 20;

/**
 * Resources without conditional updates and transactions. The log is the truth: inserting `<id>/<n+1>` commits, and only
 * one writer can. The collection of resources is a cache of the newest revision: whoever meets a resource with a next
 * revision in the log (its writer died, or was paused and put an old revision back) rolls it forward. Revisions of an
 * id go on over removal and re-creation, so a late writer of a removed resource meets its own chain and cannot hit the new one.
 *
 * `get` looks into the log too: one more point read (about 1 ms), and a caller never sees an older revision than
 * before. `list` does not; it can lag by the writes under way, and by those of dead writers until `heal` of the upkeep
 * runs.
 */
export function createStoredResources<E extends AnyResource>({
  database,
  kind,
  now = () => new Date(),
  stream,
  toEvent,
}: ResourceStoreOptions): StoredResources<E> {
  const entities = database.table<Revision<E>>(collections.entity(kind));
  const log = database.table<Revision<E>>(collections.log(kind));
  const feed = FEED_KINDS.includes(kind) ? createFeed({ database, kind }) : undefined;
  const events = createEventStream({ database, stream, now });

  /** The newest committed revision; the collection holds it afterwards. `unstored`: `from` still has to be written. */
  async function rollForward(from: Revision<E> | undefined, id: string, unstored = false) {
    let newest = from;
    let behind = unstored;
    for (;;) {
      if (newest && behind) await tell(newest);
      const next = await log.get(revisionId(id, (newest?.revision ?? 0) + 1));
      if (next) {
        newest = next;
        behind = true;
      } else if (newest && behind) {
        await entities.put({ ...newest, _id: id });
        behind = false; // and read again: we may be the paused writer that just put an old revision back
      } else {
        return newest;
      }
    }
  }

  /** Nothing is shown that the feed and the subscribers' stream do not have. */
  async function tell(revision: Revision<E>): Promise<void> {
    await feed?.publish(revision);
    if (revision.event !== undefined) await events.publish(revision.event);
  }

  async function settle(id: string): Promise<Revision<E> | undefined> {
    const current = await entities.get(id);
    const next = await log.get(revisionId(id, (current?.revision ?? 0) + 1));
    if (next === undefined) return current;
    await sleep(GRACE_MS);
    return rollForward(await entities.get(id), id);
  }

  /** @returns false on a lost race: another writer committed this revision */
  async function commit(before: Revision<E> | undefined, id: string, entity: E | null): Promise<boolean> {
    const revision = (before?.revision ?? 0) + 1;
    const at = now().toISOString();
    const sides = { before: before?.entity ?? undefined, after: entity ?? undefined };
    const event = toEvent({ kind, ...sides, revision, at });
    const row: Revision<E> = {
      _id: revisionId(id, revision),
      id,
      revision,
      change: changeBetween(before?.entity, entity),
      at,
      commit: randomUUID(),
      entity: entity && { ...entity, revision },
      uid: (entity ?? before?.entity)?.uid,
      ...(event && { event }),
    };
    const isOwn = (stored: Revision<E>) => stored.commit === row.commit;
    const result = await insertOnce({ insert: () => log.insert(row), read: () => log.get(row._id), isOwn });
    if (!result.inserted) return false;
    // Committed is committed: when the database goes away now, the next reader rolls forward.
    await rollForward(row, id, true).catch((err: unknown) => {
      if (!isUnavailable(err)) throw err;
    });
    return true;
  }

  /** Repeats `attempt` until it commits or has nothing to commit. The random pause keeps many writers from lockstep. */
  async function untilCommitted<T>(
    id: string,
    attempt: (current: Revision<E> | undefined) => Promise<T | typeof lost>,
  ) {
    for (let round = 0; ; round++) {
      const result = await attempt(await settle(id));
      if (result !== lost) return result;
      await sleep(Math.random() * Math.min(250, 10 * 2 ** round));
    }
  }

  return {
    settle,
    get: async (id) => (await settle(id))?.entity ?? undefined,
    list: async () => {
      const found: E[] = [];
      for await (const { entity } of entities.scan()) if (entity) found.push(entity);
      return found;
    },
    insert: (entity) =>
      untilCommitted(entity.id, async (current) => {
        if (current?.entity) throw new SlipwayError('already_exists', `entity "${entity.id}" already exists`);
        const done = await commit(current, entity.id, entity);
        return done ? { ...entity, revision: (current?.revision ?? 0) + 1 } : lost;
      }),
    update: (id, change) =>
      untilCommitted(id, async (current) => {
        if (!current?.entity) throw notFound(id);
        const changed = change(structuredClone(current.entity));
        if (changed === undefined) return current.entity;
        const done = await commit(current, id, changed);
        return done ? { ...changed, revision: current.revision + 1 } : lost;
      }),
    remove: (id, only = () => true) =>
      untilCommitted(id, async (current) => {
        const entity = current?.entity;
        if (!entity || !only(entity)) return undefined;
        return (await commit(current, id, null)) ? entity : lost;
      }),
  };
}

const lost = Symbol('lost the race');
