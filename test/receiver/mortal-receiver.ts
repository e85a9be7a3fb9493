import { PGlite, type Transaction } from '@electric-sql/pglite';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import type { ReceiverOptions } from '../../receiver/handler.js';
import { receiver } from '../../receiver/koa.js';
import { mongoEffectFirst, mongoMarkFirst, type ReceiptDocument } from '../../receiver/mongo.js';
import { sqlStore } from '../../receiver/sql.js';
import { serve } from './frameworks.js';
import { PATH } from './sender.js';

/**
 * A receiver that kills itself at a moment: before its effect, after it, or between the stored id and the answer. It
 * prints its port; `GET /count` tells how many effects its database holds.
 */
const [kind = '', place = '', name = '', secret = '', moment = ''] = process.argv.slice(2);

const dieAt = async (reached: string): Promise<void> => {
  if (reached !== moment) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
};

async function openSql(): Promise<Koa> {
  const database = await PGlite.create(place);
  const store = sqlStore({ transaction: <T>(work: (tx: Transaction) => Promise<T>) => database.transaction(work) });
  await store.prepare();
  await database.exec('CREATE TABLE IF NOT EXISTS effects (id text)');
  return mount({
    store,
    note: async (id, tx) => void (await tx.query('INSERT INTO effects VALUES ($1)', [id])),
    count: async () => (await database.query('SELECT 1 FROM effects')).rows.length,
  });
}

async function openMongo(): Promise<Koa> {
  const db = (await new MongoClient(place).connect()).db(name);
  const receipts = db.collection<ReceiptDocument>('receipts');
  return mount({
    store: kind === 'mark first' ? mongoMarkFirst(receipts, { leaseSeconds: 1 }) : mongoEffectFirst(receipts),
    note: async (id) => void (await db.collection('effects').insertOne({ notice: id })),
    count: async () => (await db.collection('effects').find().toArray()).length,
  });
}

interface Parts<Tx> extends Pick<ReceiverOptions<Tx>, 'store'> {
  note: (id: string, tx: Tx) => Promise<void>;
  count: () => Promise<number>;
}

function mount<Tx>({ store, note, count }: Parts<Tx>): Koa {
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    if (ctx.method === 'POST') await dieAt('before the answer');
  });
  app.use(
    receiver({
      ...{ path: PATH, secrets: [secret], store },
      effect: async (_event, tx, { id }) => {
        await dieAt('before the effect');
        await note(id, tx);
        await dieAt('after the effect');
      },
    }),
  );
  app.use(async (ctx) => void (ctx.body = String(await count())));
  return app;
}

const app = await (kind === 'sql' ? openSql() : openMongo());
const { port } = await serve(app.callback());
process.stdout.write(`${port}\n`);
