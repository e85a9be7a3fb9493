import { PGlite, type Transaction } from '@electric-sql/pglite';
import { afterAll, expect, test } from 'vitest';
import { pgTransaction, sqlStore } from '../../receiver/sql.js';
import { describeReceiver } from './receiver.contract.js';

const database = new PGlite(); // PostgreSQL itself, in memory
afterAll(() => database.close());
const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => database.transaction(work);

describeReceiver<Transaction>('SQL', async () => {
  const store = sqlStore({ transaction });
  await store.prepare();
  await store.prepare(); // a second start
  await database.query('CREATE TABLE effects (id text)');
  return {
    store,
    note: async (id, tx) => void (await tx.query('INSERT INTO effects VALUES ($1)', [id])),
    count: async (id) => (await database.query('SELECT 1 FROM effects WHERE id = $1', [id])).rows.length,
  };
});

test('ids are kept for 35 days, and for as long as they say', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const store = sqlStore({ transaction, table: 'kept', now: () => now });
  await store.prepare();
  const notice = { id: 'a', timestamp: 1, body: new Uint8Array() };
  await store.take(notice, async () => undefined);
  await store.refuse('b', 1);
  now += 35 * 86_400_000;
  await store.purge();
  expect([await store.find('a'), await store.find('b')]).toEqual(['received', 'refused']);
  now += 1;
  await store.purge();
  expect([await store.find('a'), await store.find('b')]).toEqual(['unknown', 'unknown']);
});

test('a table has a plain name', () => {
  const named = (table: string) => () => sqlStore({ transaction, table });
  expect(named('ops.receipts')).not.toThrow();
  for (const table of ['', 'a b', 'a;drop table b', '1a', 'a.b.c']) expect(named(table)).toThrow('plain name');
});

/** A pool of one connection that says what it was asked. */
function createPool(fails: string[] = []) {
  const said: string[] = [];
  const client = {
    query: async (text: string) => {
      said.push(text);
      if (fails.includes(text)) throw new Error(`${text} failed`);
      return { rows: [] };
    },
    release: (broken?: boolean) => void said.push(broken ? 'destroy' : 'release'),
  };
  return { said, pool: { connect: async () => client } };
}

test('a connection of a pool commits, or rolls back, and goes back only in a known state', async () => {
  const good = createPool();
  expect(await pgTransaction(good.pool)(async () => 7)).toBe(7);
  expect(good.said).toEqual(['BEGIN', 'COMMIT', 'release']);

  const failing = createPool();
  await expect(pgTransaction(failing.pool)(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(failing.said).toEqual(['BEGIN', 'ROLLBACK', 'release']);

  for (const word of ['BEGIN', 'COMMIT']) {
    const lost = createPool([word]);
    await expect(pgTransaction(lost.pool)(async () => 7)).rejects.toThrow(word);
    expect(lost.said.at(-1)).toBe('destroy');
  }
  const stuck = createPool(['ROLLBACK']);
  await expect(pgTransaction(stuck.pool)(() => Promise.reject(new Error('no')))).rejects.toThrow();
  expect(stuck.said.at(-1)).toBe('destroy');
});
