import type { Reopening, Settlement } from '../kinds/attempt.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { AttemptLedger, DeliveryKey } from './attempts.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createLogFollower } from '../../platform/stores/log-follower.js';
import { createLogRetention } from '../../platform/stores/log-retention.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';

/**
 * What people did to notices of a subscription, in one order: whoever delivers them reads the ledger of each again. What
 * they decided about one stands here before it stands in the ledger: should they die in between, whoever hears of it
 * enters it there.
 */
export interface OperatorActions {
  /** @throws unavailable */
  add(subscription: string, sequences: readonly number[], how: OperatorActionRequest): Promise<void>;
  /** What stands behind a position. */
  read(subscription: string, after: number): Promise<OperatorActionEntry>;
  /** Forgets what every reader knows: entries before this position that are older than a time. */
  purge(subscription: string, limits: { before: number; olderThan: string }): Promise<void>;
}

export interface OperatorActionRequest {
  /** A position that the reader knows. */
  after: number;
  decision?: Decision;
}

/** It begins a new episode of a notice, or ends the present one. */
export type Decision = { reopening: Reopening } | { settlement: Settlement };

export interface OperatorAction {
  sequences: readonly number[];
  decision?: Decision;
  /** The episode that it began. */
  begun?: number;
}

export interface OperatorActionEntry {
  /** In order. */
  actions: OperatorAction[];
  /** All of theirs. */
  sequences: number[];
  /** Of the last entry. */
  position: number;
}

/** `episode`: begun by a word of an earlier version, which stood in the ledger already. */
type Entry = LogEntryBase & { sequences: readonly number[]; decision?: Decision; episode?: number };
/** Of one entry. */
const MOST = 1_000;

export function createOperatorActions({ database }: { database: Database }): OperatorActions {
  const logOf = (stream: string) => createStreamLog<Entry>({ database, collection: collections.streams, stream });
  return {
    async add(subscription, sequences, { after, decision }) {
      const follower = createLogFollower<Entry>({ log: logOf(subscription), apply: () => {} });
      follower.resumeAt({ position: after, at: '' });
      for (let from = 0; from < sequences.length; from += MOST) {
        const part = sequences.slice(from, from + MOST);
        await follower.append(() => ({ sequences: part, ...(decision && { decision }) }));
      }
    },
    async read(subscription, after) {
      const log = logOf(subscription);
      const words: OperatorAction[] = [];
      for (let position = after; ; position += 1) {
        const entry = await log.read(position + 1);
        if (entry === undefined) return { actions: words, sequences: words.flatMap(({ sequences }) => sequences), position };
        const { sequences, decision, episode } = entry;
        const begun = decision && 'reopening' in decision ? decision.reopening.episode : episode;
        words.push({ sequences, ...(decision && { decision }), ...(begun !== undefined && { begun }) });
      }
    },
    async purge(subscription, limits) {
      const retention = createLogRetention({ database, log: logOf(subscription), stream: subscription });
      await retention.purge(limits);
    },
  };
}

/**
 * Enters a decision into the ledger, unless it stands there.
 * @returns false when another began that episode: it has a word, or an order, of its own
 */
export async function applyDecision(ledger: AttemptLedger, key: DeliveryKey, decision: Decision): Promise<boolean> {
  if ('reopening' in decision) {
    const { at, actor } = decision.reopening;
    const stands = await ledger.reopen(key, decision.reopening);
    return stands.at === at && stands.actor === actor && stands.order === undefined;
  }
  await ledger.settle(key, decision.settlement);
  return true;
}
