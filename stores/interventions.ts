import type { Placed } from '../resources/change.js';
import { collections } from './collections.js';
import type { Database } from './database.js';
import { createLogFollower } from './log-follower.js';
import { createStreamLog } from './stream-log.js';

/**
 * What people did to notices of a subscription, in one order: whoever delivers them reads the ledger of each again. The
 * facts themselves stand in the ledger.
 */
export interface Interventions {
  /** @param after a position that the reader knows. @throws unavailable */
  add(subscription: string, sequence: number, after: number): Promise<void>;
  /** @returns the sequences behind this position, in order, and the position of the last */
  read(subscription: string, after: number): Promise<{ sequences: number[]; position: number }>;
}

type Entry = Placed & { sequence: number };

export function createInterventions({ database }: { database: Database }): Interventions {
  const logOf = (stream: string) => createStreamLog<Entry>({ database, collection: collections.streams, stream });
  return {
    async add(subscription, sequence, after) {
      const follower = createLogFollower<Entry>({ log: logOf(subscription), apply: () => {} });
      follower.resumeAt({ position: after, at: '' });
      await follower.append(() => ({ sequence }));
    },
    async read(subscription, after) {
      const log = logOf(subscription);
      const sequences: number[] = [];
      for (;;) {
        const entry = await log.read(after + sequences.length + 1);
        if (entry === undefined) return { sequences, position: after + sequences.length };
        sequences.push(entry.sequence);
      }
    },
  };
}
