import type { SourcePositions } from './outbox-event.js';
import type { SubscriptionSpec, SubscriptionStatus } from './subscription.js';

/** A subscription in one word: its state, or what is wrong with an active one. */
export type SubscriptionHealth = Exclude<SubscriptionStatus['state'], 'removed'> | 'failing' | 'backlog';

/**
 * Computes the health at the end of a drain, which shows that a fault is over.
 * @returns `failing` before `backlog`, which follows from it; `undefined` for one that is removed
 */
export function healthOf({ state, failing, backlog }: SubscriptionStatus): SubscriptionHealth | undefined {
  if (state === 'removed') return undefined;
  if (state !== 'active') return state;
  if (failing !== undefined) return 'failing';
  return backlog === undefined ? 'active' : 'backlog';
}

/** The first status of a new subscription, which has one key; one with mode "pull" needs no receiver. */
export const initialStatus = (
  { mode }: Pick<SubscriptionSpec, 'mode'>,
  given: Pick<SubscriptionStatus, 'keys' | 'starts_at' | 'declarations'>,
): SubscriptionStatus => ({
  state: mode === 'pull' ? 'active' : 'unverified',
  reason: null,
  keys: given.keys,
  level: 'L0',
  receipts: 'none',
  checked_at: null,
  starts_at: given.starts_at,
  declarations: given.declarations,
});

export const pausedStatus = (status: SubscriptionStatus): SubscriptionStatus => ({
  ...status,
  state: 'paused',
  reason: null,
});

/** Resumes; a subscription whose receiver never answered waits for its first answer again. */
export function resumedStatus(
  status: SubscriptionStatus,
  { mode }: Pick<SubscriptionSpec, 'mode'>,
): SubscriptionStatus {
  const isProven = mode === 'pull' || status.checked_at !== null;
  return { ...status, state: isProven ? 'active' : 'unverified', reason: null };
}

export const removedStatus = (status: SubscriptionStatus): SubscriptionStatus => ({
  ...status,
  state: 'removed',
  keys: [],
});

/** Activates a subscription that is only pulled: it needs no receiver. */
export const withoutReceiver = (
  status: SubscriptionStatus,
  { mode }: Pick<SubscriptionSpec, 'mode'>,
): SubscriptionStatus =>
  mode === 'pull' && status.state === 'unverified' ? { ...status, state: 'active', reason: null } : status;

/** Streams that it reads already continue at their position; positions of removed streams are dropped. */
export function withStreams(
  status: SubscriptionStatus,
  begin: Pick<SubscriptionStatus, 'starts_at' | 'declarations'>,
): SubscriptionStatus {
  const starts_at: SourcePositions = Object.fromEntries(
    Object.entries(begin.starts_at).map(([stream, position]) => [stream, status.starts_at[stream] ?? position]),
  );
  return { ...status, starts_at, declarations: { ...status.declarations, ...begin.declarations } };
}
