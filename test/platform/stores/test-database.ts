import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Database } from '../../../platform/stores/database.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';

/** A name of its own on the running server; `drop` removes what was stored under it. */
export function nameTestDatabase() {
  const uri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017';
  const name = `stores-${randomUUID().slice(0, 8)}`;
  const drop = async () => {
    const client = new MongoClient(uri);
    await client.db(name).dropDatabase();
    await client.close();
  };
  return { uri, name, drop };
}

/** Closing it drops it. */
export async function openTestDatabase(): Promise<Database> {
  const { uri, name, drop } = nameTestDatabase();
  const database = await connectDatabase(uri, name);
  return {
    ...database,
    close: async () => {
      await database.close();
      await drop();
    },
  };
}
