import type { ClientSession, Collection, MongoClient } from 'mongodb';
import { ReceiverError } from './errors.js';
import type { ReceiptRow, ReceiptRows } from './rows.js';
import { expiryOf, KEEP_DAYS, type Keeping, type ReceiptStore } from './store.js';
import { effectFirst, markFirst, type MarkFirstOptions } from './without-transactions.js';

export interface ReceiptDocument {
  _id: string;
  state: ReceiptRow['state'];
  refuse_until: number;
  changed_at: number;
  expires_at: number;
}
type Receipts = Collection<ReceiptDocument>;

export interface MongoStoreOptions extends Keeping {
  client: Pick<MongoClient, 'withSession'>;
  collection: Receipts;
}

const DUPLICATE_KEY = 11_000;
const MOST_RACES = 20;
const writeConcern = { w: 'majority' } as const;

/**
 * Once: id and effect are one transaction; the effect passes the session to every write of its own. It needs a replica
 * set or a sharded cluster. The driver repeats a transaction that met another one, so an effect does nothing but write
 * to the database.
 */
export function mongoStore(options: MongoStoreOptions): ReceiptStore<ClientSession> {
  const { client, collection, keepDays = KEEP_DAYS, now = Date.now } = options;
  let checked: Promise<void> | undefined;
  // A server without transactions may take the commands all the same and undo nothing.
  const check = async (): Promise<void> => {
    checked ??= requireTransactions(collection);
    await checked.catch((err: unknown) => {
      checked = undefined;
      throw err;
    });
  };
  const rowOf = (state: 'received' | 'refused', refuse_until: number) => ({
    ...{ state, refuse_until, changed_at: now() },
    expires_at: expiryOf(now(), keepDays),
  });

  /** First in its transaction: whoever comes second meets a write conflict here, before its effect has begun. */
  async function claim(session: ClientSession, id: string, timestamp: number) {
    const row = await collection.findOne({ _id: id }, { session });
    if (row === null) {
      await collection.insertOne({ _id: id, ...rowOf('received', 0) }, { session }).catch((err: unknown) => {
        throw isDuplicate(err) ? new LostClaim() : err; // stored since this transaction began to look
      });
      return 'new';
    }
    if (row.state === 'received') return 'duplicate';
    if (timestamp <= row.refuse_until) return 'refused';
    await collection.updateOne({ _id: id }, { $set: rowOf('received', 0) }, { session });
    return 'new';
  }

  return {
    guarantee: 'transaction',
    async take({ id, timestamp }, effect) {
      await check();
      return again(() =>
        client.withSession((session) =>
          session.withTransaction(
            async () => {
              const claimed = await claim(session, id, timestamp);
              if (claimed === 'new') await effect(session);
              return claimed;
            },
            { readConcern: { level: 'snapshot' }, writeConcern, readPreference: 'primary' },
          ),
        ),
      );
    },
    async refuse(id, until) {
      await check();
      return again(async () => {
        const { refuse_until, ...rest } = rowOf('refused', until);
        const raised = { $max: { refuse_until }, $setOnInsert: rest };
        try {
          // A row of another state is no match, so the insert of the same id fails: it was received.
          await collection.updateOne({ _id: id, state: 'refused' }, raised, { upsert: true, writeConcern });
          return 'refused';
        } catch (err) {
          if (!isDuplicate(err)) throw err;
        }
        const row = await collection.findOne({ _id: id });
        if (row?.state === 'received') return 'received';
        throw new LostClaim();
      });
    },
    async find(id) {
      const row = await collection.findOne({ _id: id }, { readConcern: { level: 'majority' } });
      return row === null ? 'unknown' : row.state === 'running' ? 'busy' : row.state;
    },
    purge: async () => void (await collection.deleteMany({ expires_at: { $lt: now() } })),
  };
}

/** At most once, on any MongoDB: the id is stored before the effect. */
export const mongoMarkFirst = (collection: Receipts, options?: MarkFirstOptions): ReceiptStore<undefined> =>
  markFirst(mongoRows(collection), options);

/** At least once, on any MongoDB: the id is stored after the effect. */
export const mongoEffectFirst = (collection: Receipts, options?: Keeping): ReceiptStore<undefined> =>
  effectFirst(mongoRows(collection), options);

function mongoRows(collection: Receipts): ReceiptRows {
  const toDocument = ({ id, state, refuseUntil, changedAt, expiresAt }: ReceiptRow): ReceiptDocument => ({
    ...{ _id: id, state, refuse_until: refuseUntil, changed_at: changedAt, expires_at: expiresAt },
  });
  return {
    async find(id) {
      const found = await collection.findOne({ _id: id });
      if (found === null) return undefined;
      const { state, refuse_until: refuseUntil, changed_at: changedAt, expires_at: expiresAt } = found;
      return { id, state, refuseUntil, changedAt, expiresAt };
    },
    async insert(row) {
      try {
        await collection.insertOne(toDocument(row), { writeConcern });
        return true;
      } catch (err) {
        if (isDuplicate(err)) return false;
        throw err;
      }
    },
    async replace(previous, next) {
      if (next === undefined) {
        return (await collection.deleteOne(toDocument(previous), { writeConcern })).deletedCount === 1;
      }
      const { _id, ...rest } = toDocument(next);
      return (await collection.updateOne(toDocument(previous), { $set: rest }, { writeConcern })).matchedCount === 1;
    },
    purge: async (now) => void (await collection.deleteMany({ expires_at: { $lt: now } })),
  };
}

/** @throws store.no_transactions */
async function requireTransactions(collection: Receipts): Promise<void> {
  const { setName, msg } = await collection.db.command({ hello: 1 });
  if (setName === undefined && msg !== 'isdbgrid') throw new ReceiverError('store.no_transactions');
}

/** Another request stored the id first; what it stored is seen by the next look. */
class LostClaim extends Error {}

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries <= MOST_RACES; tries += 1) {
    try {
      return await attempt();
    } catch (err) {
      if (!(err instanceof LostClaim)) throw err;
    }
  }
  throw new ReceiverError('store.contended');
}

const isDuplicate = (err: unknown): boolean => err instanceof Error && 'code' in err && err.code === DUPLICATE_KEY;
