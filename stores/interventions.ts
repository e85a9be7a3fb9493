import type { Placed } from '../resources/change.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { createLogFollower } from './log-follower.js';
import { createLogRetention } from './log-retention.js';
import { createStreamLog } from './stream-log.js';

/**
 * What people did to notices of a subscription, in one order: whoever delivers them reads the ledger of each again. The
 * facts themselves stand in the ledger.
 */
export interface Interventions {
  /** @param after a position that the reader knows. @throws unavailable */
  add(subscription: string, sequences: readonly number[], after: number): Promise<void>;
  /** @returns the sequences behind this position, in order, and the position of the last */
  read(subscription: string, after: number): Promise<{ sequences: number[]; position: number }>;
  /** Forgets what every reader knows: entries before this position that are older than a time. */
  purge(subscription: string, limits: { before: number; olderThan: string }): Promise<void>;
}

type Entry = Placed & { sequences: readonly number[] };
/** Of one entry. */
const MOST = 1_000;

export function createInterventions({ database }: { database: Database }): Interventions {
  const logOf = (stream: string) => createStreamLog<Entry>({ database, collection: collections.streams, stream });
  return {
    async add(subscription, sequences, after) {
      const follower = createLogFollower<Entry>({ log: logOf(subscription), apply: () => {} });
      follower.resumeAt({ position: after, at: '' });
      for (let from = 0; from < sequences.length; from += MOST) {
        await follower.append(() => ({ sequences: sequences.slice(from, from + MOST) }));
      }
    },
    async read(subscription, after) {
      const log = logOf(subscription);
      const sequences: number[] = [];
      for (let position = after; ; position += 1) {
        const entry = await log.read(position + 1);
        if (entry === undefined) return { sequences, position };
        sequences.push(...entry.sequences);
      }
    },
    async purge(subscription, limits) {
      const retention = createLogRetention({ database, log: logOf(subscription), stream: subscription });
      await retention.purge(limits);
    },
  };
}
