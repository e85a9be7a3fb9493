import { ReceiverError } from './errors.js';
import { expiryOf, KEEP_DAYS, type Keeping, type Known, type ReceiptStore, type Refused } from './store.js';

/** The part of a client of `pg` (or one like it) that the store needs. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface SqlStoreOptions<Tx extends SqlClient> extends Keeping {
  /** Runs work in a transaction: commits what it did, or undoes all of it when it throws. */
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  table?: string;
}

/** Creates the table where it is missing. */
export interface SqlStore<Tx> extends ReceiptStore<Tx> {
  prepare(): Promise<void>;
}

const TABLE = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/i;

/**
 * Once: id and effect are one transaction of the caller's database. A copy that comes meanwhile waits on the row's key
 * until that transaction has ended. Dialect: PostgreSQL, and what knows its `ON CONFLICT` and `RETURNING`.
 */
export function sqlStore<Tx extends SqlClient>(options: SqlStoreOptions<Tx>): SqlStore<Tx> {
  const { transaction, table = 'slipway_receipts', keepDays = KEEP_DAYS, now = Date.now } = options;
  if (!TABLE.test(table)) throw new ReceiverError('options.invalid', 'table is a plain name');
  const expiry = () => expiryOf(now(), keepDays);

  async function find(tx: Tx, id: string): Promise<Known> {
    const { rows } = await tx.query(`SELECT state FROM ${table} WHERE id = $1`, [id]);
    return rows.length === 0 ? 'unknown' : stateOf(rows);
  }

  return {
    guarantee: 'transaction',
    take: ({ id, timestamp }, effect) =>
      transaction(async (tx) => {
        // One statement, so that the key decides: a tombstone that is older than this attempt gives way to it.
        const claimed = await tx.query(
          `INSERT INTO ${table} AS receipt (id, state, refuse_until, expires_at) VALUES ($1, 'received', 0, $2)
           ON CONFLICT (id) DO UPDATE SET state = 'received', refuse_until = 0, expires_at = $2
           WHERE receipt.state = 'refused' AND receipt.refuse_until < $3
           RETURNING id`,
          [id, expiry(), timestamp],
        );
        if (claimed.rows.length === 0) return (await find(tx, id)) === 'refused' ? 'refused' : 'duplicate';
        await effect(tx);
        return 'new';
      }),
    refuse: (id, until) =>
      transaction(async (tx) => {
        const { rows } = await tx.query(
          `INSERT INTO ${table} AS receipt (id, state, refuse_until, expires_at) VALUES ($1, 'refused', $2, $3)
           ON CONFLICT (id) DO UPDATE SET refuse_until =
             CASE WHEN receipt.state = 'refused' AND receipt.refuse_until < $2 THEN $2 ELSE receipt.refuse_until END
           RETURNING state`,
          [id, until, expiry()],
        );
        return stateOf(rows);
      }),
    find: (id) => transaction((tx) => find(tx, id)),
    purge: () =>
      transaction(async (tx) => void (await tx.query(`DELETE FROM ${table} WHERE expires_at < $1`, [now()]))),
    prepare: () =>
      transaction(async (tx) => {
        await tx.query(
          `CREATE TABLE IF NOT EXISTS ${table} (
             id varchar(255) PRIMARY KEY, state varchar(8) NOT NULL,
             refuse_until bigint NOT NULL, expires_at bigint NOT NULL)`,
        );
      }),
  };
}

function stateOf(rows: readonly unknown[]): Refused {
  const [row] = rows;
  const isReceived = typeof row === 'object' && row !== null && 'state' in row && row.state === 'received';
  return isReceived ? 'received' : 'refused';
}

interface PgPool<Tx> {
  connect(): Promise<Tx & { release(broken?: boolean): void }>;
}

/** The `transaction` of a pool of `pg`. */
export function pgTransaction<Tx extends SqlClient>(pool: PgPool<Tx>): SqlStoreOptions<Tx>['transaction'] {
  return async (work) => {
    const client = await pool.connect();
    let broken = true; // a connection in an unknown state does not go back into the pool
    try {
      await client.query('BEGIN');
      const result = await work(client).catch(async (err: unknown) => {
        await client.query('ROLLBACK').then(() => (broken = false));
        throw err;
      });
      await client.query('COMMIT');
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  };
}
