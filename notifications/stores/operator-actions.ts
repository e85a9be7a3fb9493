import type { Reopening, Settlement } from '../kinds/attempt.js';
import type { LogEntryBase } from '../../platform/kinds/log-entry.js';
import type { AttemptLedger, DeliveryKey } from './attempts.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createLogFollower } from '../../platform/stores/log-follower.js';
import { createLogRetention } from '../../platform/stores/log-retention.js';
import { createStreamLog } from '../../platform/stores/stream-log.js';

/**
 * The log of operator actions on deliveries of a subscription; a worker reloads the ledger of each delivery in it. A
 * decision is written here before the ledger: if the API dies in between, the reader of this log enters it there.
 */
export interface OperatorActions {
  /** @throws unavailable */
  add(subscription: string, sequences: readonly number[], how: OperatorActionRequest): Promise<void>;
  /** Reads the actions after a position. */
  read(subscription: string, after: number): Promise<OperatorActionEntry>;
  /** Removes entries that every reader knows: before this position and older than a time. */
  purge(subscription: string, limits: { before: number; olderThan: string }): Promise<void>;
}

export interface OperatorActionRequest {
  /** A position that the reader knows. */
  after: number;
  decision?: Decision;
}

/** A decision that begins a new episode of a delivery, or ends the current one. */
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
  /** The sequences of all actions. */
  sequences: number[];
  /** Position of the last entry. */
  position: number;
}

/** `episode`: begun by an action of an earlier version, which was in the ledger already. */
type Entry = LogEntryBase & { sequences: readonly number[]; decision?: Decision; episode?: number };
/** Limit of sequences per entry. */
const MOST = 1_000;

export function createOperatorActions({ database }: { database: Database }): OperatorActions {
  const logOf = (stream: string) => createStreamLog<Entry>({ database, collection: collections.streams, stream });
  return {
    async add(subscription, sequences, { after, decision }) {
      const follower = createLogFollower<Entry>({ log: logOf(subscription), apply: () => {}, now: database.now });
      follower.resumeAt({ position: after, at: '' });
      for (let from = 0; from < sequences.length; from += MOST) {
        const part = sequences.slice(from, from + MOST);
        await follower.append(() => ({ sequences: part, ...(decision && { decision }) }));
      }
    },
    async read(subscription, after) {
      const log = logOf(subscription);
      const actions: OperatorAction[] = [];
      for (let position = after; ; position += 1) {
        const entry = await log.read(position + 1);
        if (entry === undefined) return { actions, sequences: actions.flatMap(({ sequences }) => sequences), position };
        const { sequences, decision, episode } = entry;
        const begun = decision && 'reopening' in decision ? decision.reopening.episode : episode;
        actions.push({ sequences, ...(decision && { decision }), ...(begun !== undefined && { begun }) });
      }
    },
    async purge(subscription, limits) {
      const retention = createLogRetention({ database, log: logOf(subscription), stream: subscription });
      await retention.purge(limits);
    },
  };
}

/**
 * Enters a decision into the ledger, unless it is there already.
 * @returns false if another operator action or recovery began this episode
 */
export async function applyDecision(ledger: AttemptLedger, key: DeliveryKey, decision: Decision): Promise<boolean> {
  if ('reopening' in decision) {
    const { at, actor } = decision.reopening;
    const recorded = await ledger.reopen(key, decision.reopening);
    return recorded.at === at && recorded.actor === actor && recorded.order === undefined;
  }
  await ledger.settle(key, decision.settlement);
  return true;
}
