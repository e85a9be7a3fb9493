import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

/** Subscriptions whose wake-up did not reach Temporal; the sweep wakes them. */
export interface LostWakeUps {
  add(subscription: string): Promise<void>;
  remove(subscription: string): Promise<void>;
  list(): Promise<string[]>;
}

export function createLostWakeUps({ database }: { database: Database }): LostWakeUps {
  const table = database.table<Row>(collections.lostWakeUp);
  return {
    add: (subscription) => table.put({ _id: subscription }),
    remove: (subscription) => table.remove(subscription),
    async list() {
      const ids: string[] = [];
      for await (const { _id } of table.scan()) ids.push(_id);
      return ids;
    },
  };
}
