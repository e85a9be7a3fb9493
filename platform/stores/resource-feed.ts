import type { AnyResource, Kind } from '../kinds/resource.js';
import { collections } from './collections.js';
import type { Database, Row, Table } from './database.js';
import type { Change, Revision } from './resource-log.js';

/** One committed change of a resource. */
export interface FeedEvent<E extends AnyResource> {
  id: string;
  change: Change;
  at: string;
  /** `null` when it was removed. */
  entity: E | null;
  /** Which resource of the id it was; absent in events of earlier versions. */
  uid?: string;
}

export interface FeedPage<E extends AnyResource> {
  events: FeedEvent<E>[];
  /** Where to go on; the one given when there is nothing new. */
  cursor: number;
}

/**
 * The changes of one kind in one order: positions 1, 2, 3 ..., each of a resource's changes once and in its order.
 * A change can be written twice (its writer died, or two roll it forward); its mark names the position that counts.
 */
export interface Feed<E extends AnyResource> {
  /** Appends a revision unless it is there already. */
  publish(revision: Revision<E>): Promise<void>;
  read(after: number, limit?: number): Promise<FeedPage<E>>;
  /** Removes events older than `before`, except the newest one. @returns how many */
  purge(before: Date): Promise<number>;
}

interface FeedRow<E extends AnyResource> extends Row {
  position: number;
  revision: Revision<E>;
}
type Mark = Row & { position: number };

/**
 * For how long a process believes what it knows of the ends. New positions are younger than that, and a purge that
 * spares them (`MIN_AGE_MS`) can not make room where a process that slept would insert.
 */
const BOUNDS_MS = 10 * 60_000;
const MIN_AGE_MS = 3_600_000;

export interface FeedOptions {
  database: Database;
  kind: Kind;
  now?: () => Date;
}

export function createFeed<E extends AnyResource>({ database, kind, now = database.now }: FeedOptions): Feed<E> {
  const rows = database.table<FeedRow<E>>(collections.feed(kind));
  const marks = database.table<Mark>(collections.feedMark(kind));
  let known: { oldest: number; newest: number; since: number } | undefined;

  async function bounds() {
    if (known === undefined || now().getTime() - known.since > BOUNDS_MS) {
      const since = now().getTime();
      const newest = (await firstOf(rows, true))?.position ?? 0;
      known = { oldest: (await firstOf(rows, false))?.position ?? 1, newest, since };
    }
    return known;
  }

  /** Whether this row is the one of its revision that counts: the first that gets the mark. */
  async function counts({ revision, position }: FeedRow<E>): Promise<boolean> {
    const mark = await marks.get(revision._id);
    if (mark !== undefined) return mark.position === position;
    if (await marks.insert({ _id: revision._id, position })) return true;
    return (await marks.get(revision._id))?.position === position;
  }

  return {
    async publish(revision) {
      if ((await marks.get(revision._id)) !== undefined) return;
      const ends = await bounds();
      for (;;) {
        const position = ends.newest + 1;
        const added = await rows.insert({ _id: rowId(position), position, revision });
        ends.newest = Math.max(ends.newest, position);
        // Others may roll the same revision forward: what one of them appended is ours too.
        if (!added && (await rows.get(rowId(position)))?.revision._id !== revision._id) continue;
        await marks.insert({ _id: revision._id, position });
        return;
      }
    },

    async read(after, limit = 500) {
      const events: FeedEvent<E>[] = [];
      let cursor = after;
      while (events.length < limit) {
        const row = await rows.get(rowId(cursor + 1));
        if (row === undefined) {
          const { oldest } = await bounds();
          if (oldest <= cursor + 1) break;
          cursor = oldest - 1; // what came before was purged
          continue;
        }
        cursor = row.position;
        const { id, change, at, entity, uid } = row.revision;
        if (await counts(row)) events.push({ id, change, at, entity, uid });
      }
      return { events, cursor };
    },

    async purge(before) {
      const limit = new Date(Math.min(before.getTime(), now().getTime() - MIN_AGE_MS)).toISOString();
      const old: FeedRow<E>[] = [];
      let newest: FeedRow<E> | undefined;
      for await (const row of rows.scan()) {
        if (newest !== undefined) old.push(newest); // the newest stays: it tells where to go on
        newest = row;
        if (row.revision.at >= limit) break;
      }
      await marks.removeAll(old.map(({ revision }) => revision._id));
      await rows.removeAll(old.map(({ _id }) => _id));
      known = undefined;
      return old.length;
    },
  };
}

const rowId = (position: number) => String(position).padStart(12, '0');

async function firstOf<R extends Row>(table: Table<R>, descending: boolean): Promise<R | undefined> {
  for await (const row of table.scan({ descending })) return row;
  return undefined;
}
