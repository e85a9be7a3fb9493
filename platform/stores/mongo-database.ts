import { setTimeout as sleep } from 'node:timers/promises';
import { MongoAPIError, MongoBulkWriteError, MongoClient, MongoError, MongoServerError } from 'mongodb';
import type { Collection, Db, Filter, FindCursor, OptionalUnlessRequiredId, WithId, WithoutId } from 'mongodb';
import { z } from 'zod';
import { diskFull, isDiskFull } from '../kinds/disk-full.js';
import { SlipwayError, unavailable } from '../kinds/errors.js';
import type { Database, Row, Table } from './database.js';
import { createDatabaseClock, type DatabaseClock } from './database-clock.js';
import { mendDriver } from './mongo-driver.js';
import { decodeKeys, encodeKeys } from './mongo-key-encoding.js';

/** How long an operation waits for a server: long enough for a restart, short enough for a client that waits. */
const SELECTION_MS = 4_000;
/** Shorter than the wait for a server, so that no read waits for one twice. */
const READ_AGAIN_MS = 3_000;
const READ_PAUSE_MS = 100;
/**
 * The driver asks each server for its state over a connection of its own, this often, and waits so long for the answer.
 * A server that gives none hangs, and the driver breaks every operation that waits for it: an operation takes at most
 * 8 s, which is two attempts to connect and one wait for a server. A time-out of sockets or operations could not tell a
 * server that hangs from one that scans for long before its first byte.
 */
const LIVENESS = { heartbeatFrequencyMS: 1_000, connectTimeoutMS: 2_000 } as const;
/**
 * A fail-over takes back nothing that a majority has, and only the primary knows all of it: the outbox, the ledger of
 * deliveries and every revision depend on both. The settings refuse a URI that asks for less.
 */
const DURABLE = { w: 'majority', journal: true, readPreference: 'primary' } as const;
mendDriver();

/** A reader may stop early; without this, the second answer holds up to 16 MB. */
const READ_AT_ONCE = 1_000;
const MOST_SKIPPED = 2 ** 31 - 1;
/** The embedded server needs about half a millisecond for each. */
const REMOVED_AT_ONCE = 500;

const DUPLICATE_KEY = 11_000;
/** Answers of a server that refuses the user: it lacks a right, or there is none of this name and password. */
const REFUSED_USER: readonly unknown[] = [13, 18];
/** Answers of a server that is going away: shutdown (91, 11600) or no longer the primary. */
const LEAVING = [91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436];

/**
 * Opens the system of record.
 * @throws unavailable when no server answers within 4 s
 */
export async function connectDatabase(uri: string, name: string): Promise<Database> {
  const database = openDatabase(uri, name);
  try {
    await database.ping();
  } catch (err) {
    await database.close();
    throw err;
  }
  return database;
}

/**
 * Opens the system of record without a connection: the first operation connects, and each later one until it succeeds.
 * @throws validation_failed
 */
export function openDatabase(uri: string, name: string, clock = createDatabaseClock()): Database {
  const waits = { serverSelectionTimeoutMS: SELECTION_MS, ...LIVENESS };
  const client = parseUri(() => new MongoClient(uri, { ...waits, ...DURABLE, ignoreUndefined: true }));
  client.on('serverHeartbeatSucceeded', ({ reply }) => noteTime(clock, reply));
  const db = client.db(name);
  return {
    table: <R extends Row>(collection: string) => createTable<R>(db.collection<R>(collection)),
    ping: () => reach(async () => void (await db.command({ ping: 1 }))),
    now: clock.now,
    scans: recognizeServer(db),
    createIndex: ({ collection, name: index, members }) =>
      reach(async () => {
        const keys = Object.fromEntries(members.map((member) => [member, 1 as const]));
        await db.collection(collection).createIndex(keys, { name: index });
      }),
    indexNames: (collection) =>
      reach(async () => {
        const found = await db.listCollections({ name: collection }, { nameOnly: true }).toArray();
        if (found.length === 0) return [];
        return (await db.collection(collection).indexes()).flatMap(({ name: index }) => index ?? []);
      }),
    close: () => client.close(),
  };
}

/** @returns the name and version of the server, for people. @throws unavailable */
export async function readServerVersion(uri: string): Promise<string> {
  const client = parseUri(() => new MongoClient(uri, { serverSelectionTimeoutMS: SELECTION_MS, ...LIVENESS }));
  try {
    const facts = await reach(() => client.db('admin').command({ buildInfo: 1 }));
    return 'ferretdbVersion' in facts
      ? `FerretDB ${String(facts.ferretdbVersion)}`
      : `MongoDB ${String(facts.version)}`;
  } finally {
    await client.close();
  }
}

/** @throws validation_failed, without the URI, which may hold a password */
function parseUri(create: () => MongoClient): MongoClient {
  try {
    return create();
  } catch (cause) {
    const { message } = cause as Error;
    throw new SlipwayError('validation_failed', `MONGODB_URI is invalid: ${message}`, { cause });
  }
}

const PrimaryTime = z.object({ isWritablePrimary: z.literal(true), localTime: z.date() });

/** Takes in the time of the primary, which each answer to the driver's question for its state tells. */
function noteTime(clock: DatabaseClock, reply: unknown): void {
  const { data } = PrimaryTime.safeParse(reply);
  if (data !== undefined) clock.note(data.localTime.getTime());
}

/** Asks once; a server does not change its kind while a process uses it. */
function recognizeServer(db: Db): () => Promise<boolean> {
  let known: boolean | undefined;
  return async () => {
    known ??= await reach(async () => 'ferretdbVersion' in (await db.command({ buildInfo: 1 })));
    return known;
  };
}

function createTable<R extends Row>(collection: Collection<R>): Table<R> {
  // The driver's types of a generic row need help: every filter is `{ _id }`, every row came from `toDocument`.
  const only = (id: string) => ({ _id: id }) as Filter<R>;
  const toRow = ({ _id, ...rest }: WithId<R>) => ({ ...(decodeKeys(rest) as object), _id }) as unknown as R;
  const toDocument = ({ _id, ...rest }: R) => ({ _id, ...(encodeKeys(rest) as object) });

  return {
    get: (id) =>
      readThrough(async () => {
        const found = await collection.findOne(only(id));
        return found === null ? undefined : toRow(found);
      }),
    insert: (row) =>
      reach(async () => {
        try {
          await collection.insertOne(toDocument(row) as OptionalUnlessRequiredId<R>);
          return true;
        } catch (err) {
          if (isDuplicate(err)) return false;
          throw err;
        }
      }),
    insertAll: (rows) =>
      reach(async () => {
        if (rows.length === 0) return [];
        const documents = rows.map((row) => toDocument(row) as OptionalUnlessRequiredId<R>);
        try {
          await collection.insertMany(documents, { ordered: false });
          return [];
        } catch (err) {
          if (!(err instanceof MongoBulkWriteError)) throw err;
          const errors = [err.writeErrors].flat();
          if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_KEY)) throw err;
          return errors.flatMap(({ index }) => rows[index]?._id ?? []);
        }
      }),
    put: (row) =>
      reach(async () => {
        const replace = () =>
          collection.replaceOne(only(row._id), toDocument(row) as unknown as WithoutId<R>, { upsert: true });
        // Two concurrent first writers of one row: the upsert that loses finds the row when it tries again.
        await replace().catch((err: unknown) => (isDuplicate(err) ? replace() : Promise.reject(err as Error)));
      }),
    remove: (id) => reach(async () => void (await collection.deleteOne(only(id)))),
    async removeAll(ids) {
      for (let from = 0; from < ids.length; from += REMOVED_AT_ONCE) {
        // One delete for each id: for a list of ids, the embedded server reads all rows.
        const deletes = ids.slice(from, from + REMOVED_AT_ONCE).map((id) => ({ deleteOne: { filter: only(id) } }));
        await reach(async () => void (await collection.bulkWrite(deletes)));
      }
    },
    async *scan({ descending = false } = {}) {
      for await (const row of walk(() => collection.find().sort({ _id: descending ? -1 : 1 }))) yield toRow(row);
    },
    async *members(names) {
      const projection = Object.fromEntries(names.map((name) => [name, 1]));
      for await (const row of walk(() => collection.find({}, { projection, batchSize: READ_AT_ONCE })))
        yield toRow(row);
    },
    page: ({ where, skip, limit }) =>
      readThrough(async () => {
        const filter = { $and: where.map(({ path, in: values }) => ({ [path]: { $in: values } })) } as Filter<R>;
        const total = await collection.countDocuments(filter);
        // A limit of 0 means no limit, and more than this cannot be skipped.
        if (limit === 0 || skip > MOST_SKIPPED) return { rows: [], total };
        // The ids alone come from the index; with the documents, the server reads all that are skipped as well.
        const ids = await collection
          .find(filter, { projection: { _id: 1 }, sort: { _id: 1 }, skip, limit })
          .map(({ _id }) => _id)
          .toArray();
        const among = { _id: { $in: ids }, ...filter } as Filter<R>;
        const found = ids.length === 0 ? [] : await collection.find(among, { sort: { _id: 1 } }).toArray();
        return { rows: found.map(toRow), total };
      }),
  };
}

async function* walk<R>(open: () => FindCursor<R>): AsyncGenerator<R> {
  let cursor = open();
  try {
    let next = await readThrough(
      () => cursor.next(),
      () => void (cursor = open()),
    );
    for (; next !== null; next = await reach(() => cursor.next())) yield next;
  } finally {
    await cursor.close();
  }
}

const isDuplicate = (err: unknown) => err instanceof MongoServerError && err.code === DUPLICATE_KEY;

/** Recognizes programming errors: a refused command or a misused driver. Other driver errors mean `unavailable`. */
function isBug(err: MongoError): boolean {
  // The driver wraps a broken connection into the result of a bulk write, which then has no code of a server.
  if (err instanceof MongoServerError) return typeof err.code === 'number' && !LEAVING.includes(err.code);
  return err instanceof MongoAPIError;
}

/**
 * Recognizes socket errors that the driver does not wrap, such as `EPIPE` of a connection that the server has just
 * closed.
 */
function isSocketError(err: unknown): boolean {
  const { code } = err as { code?: unknown };
  return typeof code === 'string' && /^(E[A-Z]+|ERR_(STREAM|SOCKET)_\w+)$/.test(code);
}

async function reach<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (cause) {
    if (!(cause instanceof MongoError) && !isSocketError(cause)) throw cause;
    if (isDiskFull(cause)) throw diskFull('the database', cause);
    if (cause instanceof MongoError && isBug(cause)) {
      const isUser = cause instanceof MongoServerError && REFUSED_USER.includes(cause.code);
      const refused = isUser ? 'the user of MONGODB_URI: check its name, password and rights' : 'a command';
      throw new SlipwayError('internal', `the database refused ${refused}`, { cause });
    }
    throw unavailable('the database does not answer', cause);
  }
}

/** Retries a read through a restart of the server, since a read has no effect: the driver itself tries only twice. */
async function readThrough<T>(operation: () => Promise<T>, prepare: () => void = () => {}): Promise<T> {
  for (const deadline = Date.now() + READ_AGAIN_MS; ; prepare()) {
    try {
      return await reach(operation);
    } catch (err) {
      if (!(err instanceof SlipwayError) || err.code !== 'unavailable' || Date.now() > deadline) throw err;
      await sleep(READ_PAUSE_MS);
    }
  }
}
