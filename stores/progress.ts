import type { SourcePositions } from '../resources/notice.js';
import type { AttemptStats } from '../resources/attempt-stats.js';
import type { RecoveryPlace } from '../resources/recovery.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/**
 * What a delivery of a subscription has come to, so that a later one need not read everything. It may be old: what is in
 * the outbox and the ledger beyond it counts.
 */
export interface Progress {
  /** Newest block that was read, and its last sequence. */
  block: number;
  sequence: number;
  sources: SourcePositions;
  /** Of the subscription, in force there. */
  generation?: number;
  /** Everything up to this sequence is settled, or in `open`. */
  loadedThrough: number;
  /** The block that holds it. */
  loadedBlock: number;
  /** In order of sequence, each with the block that holds it; `held`: it waits for people, or they re-opened it. */
  open: readonly { sequence: number; block: number; held?: boolean }[];
  /** Position in the stream of what people did to its notices. */
  interventions: number;
  /** Notices that they did something to before these were loaded. */
  touched: readonly number[];
  counts: Readonly<Record<'pending' | 'held' | 'delivered' | 'failed' | 'cancelled', number>>;
  /** Of those, the ones that others of their lane went past. */
  parked?: number;
  attempts?: AttemptStats;
  /** The order to send notices once more that is carried out, or was the last. */
  recovery?: RecoveryPlace;
  /** What is known of the endpoint. */
  breaker: object;
  /** RFC 3339. */
  at: string;
}

export interface ProgressStore {
  get(subscription: string): Promise<Progress | undefined>;
  put(subscription: string, progress: Progress): Promise<void>;
}

export function createProgressStore({ database }: { database: Database }): ProgressStore {
  const table = database.table<Row & { progress: Progress }>(collections.progress);
  return {
    get: async (subscription) => (await table.get(subscription))?.progress,
    put: (subscription, progress) => table.put({ _id: subscription, progress }),
  };
}
