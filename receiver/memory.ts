import type { ReceiptRow, ReceiptRows } from './rows.js';
import type { Keeping, ReceiptStore } from './store.js';
import { effectFirst, markFirst, type MarkFirstOptions } from './without-transactions.js';

/** Ids in the memory of this process, for tests and for effects that end with it: a restart forgets them. */
export const memoryMarkFirst = (options?: MarkFirstOptions): ReceiptStore<undefined> =>
  markFirst(createMemoryRows(), options);

/** As `memoryMarkFirst`, with the id stored after the effect. */
export const memoryEffectFirst = (options?: Keeping): ReceiptStore<undefined> =>
  effectFirst(createMemoryRows(), options);

export function createMemoryRows(): ReceiptRows {
  const rows = new Map<string, ReceiptRow>();
  return {
    find: async (id) => rows.get(id),
    async insert(row) {
      if (rows.has(row.id)) return false;
      rows.set(row.id, row);
      return true;
    },
    async replace(previous, next) {
      if (rows.get(previous.id) !== previous) return false;
      if (next === undefined) rows.delete(previous.id);
      else rows.set(previous.id, next);
      return true;
    },
    async purge(now) {
      for (const { id, expiresAt } of rows.values()) if (expiresAt < now) rows.delete(id);
    },
  };
}
