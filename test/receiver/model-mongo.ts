import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoStoreOptions, ReceiptDocument } from '../../receiver/mongo.js';

type Row = Partial<ReceiptDocument>;
interface Update {
  $set?: Row;
  $setOnInsert?: Row;
  $max?: { refuse_until?: number };
}

const failure = (fields: object) => Object.assign(new Error('a failure of the model'), fields);
const duplicate = () => failure({ code: 11_000 });
/** Makes an error after which the driver runs the transaction again. */
const conflict = () => failure({ isTransient: true });

/**
 * A model of how a replica set treats one collection: snapshots, conflicts of writes, and writers outside of a
 * transaction that wait for its end. It proves the order of steps in the store, not MongoDB.
 */
export function createModelMongo() {
  const committed = new Map<string, Row>();
  const open = new Set<Session>();
  const holder = (id: string) => [...open].find(({ writes }) => writes.has(id));

  class Session {
    seen = new Map<string, Row>();
    writes = new Map<string, Row>();
    undo: (() => void)[] = [];

    async withTransaction<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        [this.seen, this.writes, this.undo] = [new Map(committed), new Map(), []];
        open.add(this);
        try {
          const result = await work();
          for (const [id, row] of this.writes) committed.set(id, row);
          return result;
        } catch (err) {
          for (const undo of this.undo) undo();
          if (!(err instanceof Error && 'isTransient' in err)) throw err;
        } finally {
          open.delete(this);
        }
        await sleep(1);
      }
    }

    write(id: string, row: Row): void {
      const other = holder(id);
      if ((other !== undefined && other !== this) || committed.get(id) !== this.seen.get(id)) throw conflict();
      this.writes.set(id, row);
    }
  }

  const collection = {
    db: { command: async () => ({ setName: 'rs0' }) },
    async findOne({ _id }: { _id: string }, { session }: { session?: Session } = {}) {
      await sleep(0);
      if (session === undefined) return committed.get(_id) ?? null;
      return session.writes.get(_id) ?? session.seen.get(_id) ?? null;
    },
    async insertOne(row: ReceiptDocument, { session }: { session: Session }) {
      await sleep(0);
      if (committed.has(row._id)) throw duplicate(); // seen or not, the key is unique
      session.write(row._id, row);
    },
    async updateOne(filter: { _id: string; state?: string }, update: Update, { session }: { session?: Session }) {
      await sleep(0);
      const id = filter._id;
      if (session !== undefined) return session.write(id, { ...session.seen.get(id), ...update.$set });
      while (holder(id) !== undefined) await sleep(1);
      const row = committed.get(id);
      if (row !== undefined && row.state !== filter.state) throw duplicate(); // of the insert that `upsert` makes
      const until = Math.max(update.$max?.refuse_until ?? 0, row?.refuse_until ?? 0);
      committed.set(id, { ...(row ?? { _id: id, state: 'refused', ...update.$setOnInsert }), refuse_until: until });
    },
    async deleteMany({ expires_at }: { expires_at: { $lt: number } }) {
      for (const [id, row] of committed) if (Number(row.expires_at) < expires_at.$lt) committed.delete(id);
    },
  };
  const client = { withSession: <T>(work: (session: Session) => Promise<T>) => work(new Session()) };
  return {
    /** The model has the part of the driver that the store uses, which its types cannot say. */
    options: { client, collection } as unknown as MongoStoreOptions,
    /** Writes into another collection within the transaction of an effect. */
    note(session: unknown, into: string[], id: string): void {
      if (!(session instanceof Session)) throw new Error('an effect got no session');
      into.push(id);
      session.undo.push(() => into.splice(into.indexOf(id), 1));
    },
  };
}
