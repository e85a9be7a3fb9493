import type { Recovery, RecoveryCounts } from '../resources/recovery.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

export type RecoveryEnd = RecoveryCounts & { at: string };

/** Orders to send notices of a subscription once more, one after the other, and what came of each. */
export interface Recoveries {
  /** @param after a number that is taken. @returns the number that it got */
  add(subscription: string, recovery: Recovery, after: number): Promise<number>;
  read(subscription: string, number: number): Promise<Recovery | undefined>;
  end(subscription: string, number: number, end: RecoveryEnd): Promise<void>;
  readEnd(subscription: string, number: number): Promise<RecoveryEnd | undefined>;
}

export function createRecoveries({ database }: { database: Database }): Recoveries {
  const orders = database.table<Row & { recovery: Recovery }>(collections.recoveries);
  const ends = database.table<Row & { end: RecoveryEnd }>(collections.recoveries);
  const idOf = (subscription: string, number: number): string => `${subscription}#${number}`;
  return {
    async add(subscription, recovery, after) {
      for (let number = after + 1; ; number += 1) {
        if (await orders.insert({ _id: idOf(subscription, number), recovery })) return number;
      }
    },
    read: async (subscription, number) => (await orders.get(idOf(subscription, number)))?.recovery,
    end: async (subscription, number, end) =>
      void (await ends.insert({ _id: `${idOf(subscription, number)}/end`, end })),
    readEnd: async (subscription, number) => (await ends.get(`${idOf(subscription, number)}/end`))?.end,
  };
}
