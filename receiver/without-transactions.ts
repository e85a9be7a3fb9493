import { ReceiverError } from './errors.js';
import type { ReceiptRow, ReceiptRows } from './rows.js';
import { expiryOf, KEEP_DAYS, type Keeping, type Known, type ReceiptStore, type Refused } from './store.js';
import { createTurns } from './turns.js';

export interface MarkFirstOptions extends Keeping {
  /** How long an effect may take: a mark that is older counts as received, as its process must be gone. */
  leaseSeconds?: number;
}

/** How often a lost race is run again; each loss is another process that got something done. */
const MOST_RACES = 20;

/** At most once: the id is stored before the effect, and taken away again when the effect throws. */
export function markFirst(rows: ReceiptRows, options: MarkFirstOptions = {}): ReceiptStore<undefined> {
  const { leaseSeconds = 60, keepDays = KEEP_DAYS, now = Date.now } = options;
  const inTurn = createTurns();
  const settle = (row: ReceiptRow): 'received' | 'refused' | 'busy' => {
    if (row.state !== 'running') return row.state;
    return now() - row.changedAt > leaseSeconds * 1_000 ? 'received' : 'busy';
  };
  return {
    guarantee: 'mark_first',
    take: (notice, effect) =>
      inTurn(notice.id, () =>
        race(async () => {
          const row = await rows.find(notice.id);
          const known = row && settle(row);
          if (known === 'received') return 'duplicate';
          if (known === 'busy') return 'busy';
          if (row !== undefined && notice.timestamp <= row.refuseUntil) return 'refused';
          const mark = rowOf('running', notice.id, { now, keepDays });
          if (!(await put(rows, row, mark))) return undefined;
          try {
            await effect(undefined);
          } catch (err) {
            await rows.replace(mark, row);
            throw err;
          }
          await rows.replace(mark, rowOf('received', notice.id, { now, keepDays }));
          return 'new';
        }),
      ),
    ...tombstones(rows, { settle, now, keepDays }),
  };
}

/** At least once: the id is stored after the effect. */
export function effectFirst(rows: ReceiptRows, { keepDays = KEEP_DAYS, now = Date.now }: Keeping = {}) {
  const inTurn = createTurns();
  const settle = ({ state }: ReceiptRow) => (state === 'refused' ? 'refused' : 'received');
  const others = tombstones(rows, { settle, now, keepDays });
  const store: ReceiptStore<undefined> = {
    guarantee: 'effect_first',
    take: ({ id, timestamp }, effect) =>
      inTurn(id, async () => {
        const row = await rows.find(id);
        if (row !== undefined && settle(row) === 'received') return 'duplicate';
        if (row !== undefined && timestamp <= row.refuseUntil) return 'refused';
        await effect(undefined);
        // The effect has happened, even if another process wrote meanwhile.
        return race(async () => {
          const current = await rows.find(id);
          return (await put(rows, current, rowOf('received', id, { now, keepDays }))) ? 'new' : undefined;
        });
      }),
    // In turn, so that a tombstone never comes between an effect of this process and its id.
    refuse: (id, until) => inTurn(id, () => others.refuse(id, until)),
    find: (id) => inTurn(id, () => others.find(id)),
    purge: others.purge,
  };
  return store;
}

interface TombstoneOptions extends Required<Keeping> {
  settle: (row: ReceiptRow) => 'received' | 'refused' | 'busy';
}

function tombstones(rows: ReceiptRows, { settle, now, keepDays }: TombstoneOptions) {
  return {
    refuse: (id: string, until: number): Promise<Refused> =>
      race(async () => {
        const row = await rows.find(id);
        const known = row && settle(row);
        if (known === 'received' || known === 'busy') return known;
        if (row !== undefined && row.refuseUntil >= until) return 'refused';
        const tombstone = { ...rowOf('refused', id, { now, keepDays }), refuseUntil: until };
        return (await put(rows, row, tombstone)) ? 'refused' : undefined;
      }),
    async find(id: string): Promise<Known> {
      const row = await rows.find(id);
      return row === undefined ? 'unknown' : settle(row);
    },
    purge: () => rows.purge(now()),
  };
}

/** @param attempt gives undefined when another process was faster */
async function race<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < MOST_RACES; tries += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ReceiverError('store.contended');
}

const put = (rows: ReceiptRows, previous: ReceiptRow | undefined, next: ReceiptRow): Promise<boolean> =>
  previous === undefined ? rows.insert(next) : rows.replace(previous, next);

function rowOf(state: ReceiptRow['state'], id: string, { now, keepDays }: Required<Keeping>): ReceiptRow {
  return { id, state, refuseUntil: 0, changedAt: now(), expiresAt: expiryOf(now(), keepDays) };
}
