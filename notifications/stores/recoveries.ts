import type { Recovery, RecoveryCounts } from '../kinds/recovery.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

export type RecoveryEnd = RecoveryCounts & { at: string };

/** The recoveries of a subscription, numbered in order, and the result of each. */
export interface Recoveries {
  /** @param after a number that is taken. @returns the number of the recovery */
  add(subscription: string, recovery: Recovery, after: number): Promise<number>;
  read(subscription: string, number: number): Promise<Recovery | undefined>;
  end(subscription: string, number: number, end: RecoveryEnd): Promise<void>;
  readEnd(subscription: string, number: number): Promise<RecoveryEnd | undefined>;
  /** @returns the newest number that is removed */
  purgedTo(subscription: string): Promise<number>;
  /**
   * Removes recoveries that ended before a time, from the oldest on.
   * @param before the first number that is kept in any case
   */
  purge(subscription: string, limits: { before: number; olderThan: string }): Promise<number>;
}

export function createRecoveries({ database }: { database: Database }): Recoveries {
  const orders = database.table<Row & { recovery: Recovery }>(collections.recoveries);
  const ends = database.table<Row & { end: RecoveryEnd }>(collections.recoveries);
  const marks = database.table<Row & { purgedTo: number }>(collections.recoveries);
  const idOf = (subscription: string, number: number): string => `${subscription}#${number}`;
  // No recovery has this number.
  const purgedTo = async (subscription: string): Promise<number> =>
    (await marks.get(idOf(subscription, 0)))?.purgedTo ?? 0;
  const endId = (subscription: string, number: number): string => `${idOf(subscription, number)}/end`;
  const readEnd = async (subscription: string, number: number) => (await ends.get(endId(subscription, number)))?.end;

  return {
    async add(subscription, recovery, after) {
      for (let number = Math.max(after, await purgedTo(subscription)) + 1; ; number += 1) {
        if (await orders.insert({ _id: idOf(subscription, number), recovery })) return number;
      }
    },
    read: async (subscription, number) => (await orders.get(idOf(subscription, number)))?.recovery,
    end: async (subscription, number, end) => void (await ends.insert({ _id: endId(subscription, number), end })),
    readEnd,
    purgedTo,
    async purge(subscription, { before, olderThan }) {
      const from = await purgedTo(subscription);
      let to = from;
      for (; to + 1 < before; to += 1) {
        const end = await readEnd(subscription, to + 1);
        if (end === undefined || end.at >= olderThan) break;
      }
      if (to === from) return 0;
      // The mark is written first, so that no reader continues from a removed number.
      await marks.put({ _id: idOf(subscription, 0), purgedTo: to });
      const numbers = Array.from({ length: to - from }, (_, index) => from + 1 + index);
      await orders.removeAll(numbers.flatMap((number) => [idOf(subscription, number), endId(subscription, number)]));
      return to - from;
    },
  };
}
