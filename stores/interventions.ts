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
  /** @throws unavailable */
  add(subscription: string, sequences: readonly number[], how: Intervening): Promise<void>;
  /** What stands behind a position. */
  read(subscription: string, after: number): Promise<Intervened>;
  /** Forgets what every reader knows: entries before this position that are older than a time. */
  purge(subscription: string, limits: { before: number; olderThan: string }): Promise<void>;
}

export interface Intervening {
  /** A position that the reader knows. */
  after: number;
  /** That they began, where they opened notices again. */
  episode?: number;
}

export interface Intervened {
  /** In order. */
  sequences: number[];
  /** Of those that were opened again, with the first episode that was begun so. */
  reopened: ReadonlyMap<number, number>;
  /** Of the last entry. */
  position: number;
}

type Entry = Placed & { sequences: readonly number[]; episode?: number };
/** Of one entry. */
const MOST = 1_000;

export function createInterventions({ database }: { database: Database }): Interventions {
  const logOf = (stream: string) => createStreamLog<Entry>({ database, collection: collections.streams, stream });
  return {
    async add(subscription, sequences, { after, episode }) {
      const follower = createLogFollower<Entry>({ log: logOf(subscription), apply: () => {} });
      follower.resumeAt({ position: after, at: '' });
      for (let from = 0; from < sequences.length; from += MOST) {
        const part = sequences.slice(from, from + MOST);
        await follower.append(() => ({ sequences: part, ...(episode !== undefined && { episode }) }));
      }
    },
    async read(subscription, after) {
      const log = logOf(subscription);
      const sequences: number[] = [];
      const reopened = new Map<number, number>();
      for (let position = after; ; position += 1) {
        const entry = await log.read(position + 1);
        if (entry === undefined) return { sequences, reopened, position };
        sequences.push(...entry.sequences);
        const { episode } = entry;
        if (episode === undefined) continue;
        for (const each of entry.sequences) reopened.set(each, Math.min(episode, reopened.get(each) ?? episode));
      }
    },
    async purge(subscription, limits) {
      const retention = createLogRetention({ database, log: logOf(subscription), stream: subscription });
      await retention.purge(limits);
    },
  };
}
