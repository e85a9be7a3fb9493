import type { SourcePositions } from '../kinds/outbox-event.js';
import type { AttemptFailure } from '../kinds/attempt.js';
import type { AttemptStats } from '../kinds/attempt-stats.js';
import type { RecoveryPosition } from '../kinds/recovery.js';
import type { Subscription } from '../kinds/subscription.js';
import { nextProbeAt } from '../delivery/probe.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { type OpenDelivery, readOpen, writeOpen } from './open-deliveries.js';

/**
 * A checkpoint of the drain of a subscription, so that the next drain need not read everything. It may be old: outbox
 * and ledger are the truth.
 */
export interface SubscriptionProgress {
  /** Newest block that was read, and its last sequence. */
  block: number;
  sequence: number;
  sources: SourcePositions;
  /** The subscription's generation in force there. */
  generation?: number;
  /** Everything up to this sequence is settled, or in `open`. */
  loadedThrough: number;
  /** The block that holds it. */
  loadedBlock: number;
  /** In order of sequence. */
  open: readonly OpenDelivery[];
  /** Generation of the settings that their due times were computed by. */
  dueBy?: number;
  /** Position in the log of operator actions. */
  interventions: number;
  /** Deliveries with an operator action that are not loaded yet. */
  touched: readonly number[];
  counts: Readonly<Record<'pending' | 'held' | 'delivered' | 'failed' | 'cancelled', number>>;
  /** Counted deliveries that their lane continued without. */
  parked?: number;
  attempts?: AttemptStats;
  /** The recovery that runs, or was the last. */
  recovery?: RecoveryPosition;
  /** State of the endpoint's breaker. */
  breaker: object;
  /** The outage of the endpoint's host, while deliveries wait for it. */
  hostOutage?: { breaker: object; lastFailure?: AttemptFailure };
  /** The newest attempt that failed. */
  lastFailure?: AttemptFailure;
  /** When each key signed last, RFC 3339. */
  keysUsed?: Readonly<Record<string, string>>;
  /** Until then its drain is live in some process and reads new events itself; absent after the drain. RFC 3339. */
  leasedUntil?: string;
  /** RFC 3339. */
  at: string;
}

export interface SubscriptionProgressStore {
  get(subscription: string): Promise<SubscriptionProgress | undefined>;
  put(subscription: string, progress: SubscriptionProgress): Promise<void>;
  /** Reads the progress of every subscription that has one, unordered: one read where point reads would be thousands. */
  all(): AsyncIterable<[subscription: string, progress: SubscriptionProgress]>;
}

/** `open` is a list where an earlier version wrote it. */
type Stored = Omit<SubscriptionProgress, 'open'> & { open: string | readonly OpenDelivery[] };

export function createProgressStore({ database }: { database: Database }): SubscriptionProgressStore {
  const table = database.table<Row & { progress: Stored }>(collections.progress);
  const toProgress = ({ open, ...rest }: Stored): SubscriptionProgress => ({
    ...rest,
    open: typeof open === 'string' ? readOpen(open) : open,
  });
  return {
    async get(subscription) {
      const found = await table.get(subscription);
      return found && toProgress(found.progress);
    },
    async *all() {
      for await (const { _id, progress } of table.members(['progress'])) yield [_id, toProgress(progress)];
    },
    put: (subscription, progress) =>
      table.put({ _id: subscription, progress: { ...progress, open: writeOpen(progress.open) } }),
  };
}

/** Whether the receiver took deliveries, and no outage of its host is known. */
export const isDelivering = (saved: SubscriptionProgress | undefined): boolean =>
  saved !== undefined && saved.counts.delivered > 0 && saved.hostOutage === undefined;

/** From so many subscriptions on, one read of the progress of all costs less than one of each. */
const MANY = 100;
const AT_ONCE = 16;

/** Reads the progress of some subscriptions, of those that have one. */
export async function readProgress(
  progress: Pick<SubscriptionProgressStore, 'get' | 'all'>,
  ids: readonly string[],
): Promise<Map<string, SubscriptionProgress>> {
  const found = new Map<string, SubscriptionProgress>();
  if (ids.length < MANY) {
    await mapSome(ids, AT_ONCE, async (id) => {
      const saved = await progress.get(id);
      if (saved !== undefined) found.set(id, saved);
    });
    return found;
  }
  const wanted = new Set(ids);
  for await (const [id, saved] of progress.all()) if (wanted.has(id)) found.set(id, saved);
  return found;
}

/**
 * Whether a subscription needs a drain before its next event: its receiver was never probed, its settings are not in force
 * yet, or deliveries are open. A new one needs none otherwise: it starts at the end of its streams.
 */
export const hasOpenWork = (
  subscription: Subscription,
  saved: Pick<SubscriptionProgress, 'generation' | 'counts'> | undefined,
): boolean => {
  const { generation } = subscription;
  if (saved === undefined) return generation > 1 || nextProbeAt(subscription) === -Infinity;
  return (saved.generation ?? generation) < generation || saved.counts.pending > 0;
};
