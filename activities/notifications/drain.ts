import { MOST_UNSETTLED, REFRESH_MS, type Subscription } from '../../notifications/kinds/subscription.js';
import { nextProbeAt } from '../../notifications/delivery/probe.js';
import { type DrainSession, type DrainSessionDeps, openDrainSession, refreshEndpoint } from './drain-session.js';
import { type DrainSummary, summarize } from './drain-summary.js';
import { createSubscriptionHealth } from './subscription-health.js';

export interface DrainDeps extends DrainSessionDeps {
  now?: () => Date;
  /** How long a drain waits for work before it ends. */
  idleMs?: number;
  /** How long a drain runs at most. */
  mostMs?: number;
  /** Whether there are so many drains that it ends soon without work. */
  isCrowded?: () => boolean;
  /** Whether other drains wait for its place. */
  isFull?: () => boolean;
  /** How often a drain that starts nothing takes in changes by other processes and saves. */
  refreshMs?: () => number;
  /** How long a drain waits for work before it ends while it is crowded, and runs at most while others wait. */
  crowded?: { idleMs: number; mostMs: number };
}

/** The work that is left when a drain ends. */
export interface DrainResult {
  /** The subscription was removed. */
  ended: boolean;
  /** There is work now. */
  more: boolean;
  /** RFC 3339. */
  nextDueAt?: string;
  /** Absent when the subscription was removed. */
  summary?: DrainSummary;
}

/** Saves within one lease: a drain that is late keeps it. */
const LEASE_SAVES = 5;
const CROWDED = { idleMs: 1_000, mostMs: 20_000 };

/**
 * Delivers the events of one subscription until there is no work: fans out new events, dispatches deliveries that are due,
 * and saves its progress. It may be killed at any point, and another drain may run at the same time: only the outbox and
 * the ledger decide.
 */
export async function drain(deps: DrainDeps, id: string): Promise<DrainResult> {
  const { subscriptions, now = () => new Date(), mostUnsettled: limit = MOST_UNSETTLED } = deps;
  const readAt = now().getTime();
  const subscription = await subscriptions.get(id);
  if (subscription === undefined || subscription.status.state === 'removed') return { ended: true, more: false };
  const session = await openDrainSession({ ...deps, now }, subscription);
  const recordHealth = createSubscriptionHealth({ subscriptions, limit, now });
  const loop: Loop = { deps, session, subscription, recordHealth, now, readAt, startedAt: now().getTime() };

  await run(loop);
  const { dispatcher, endpoint, save } = session;
  endpoint.leave(now().getTime());
  while (dispatcher.underWay > 0) await deps.wakeSignal.wait(REFRESH_MS);
  await save();
  if (dispatcher.failure !== undefined) throw dispatcher.failure;
  const last = await subscriptions.get(id);
  const current = last && (await writeHealth(loop, last));
  return toResult(loop, current, await session.isBehind());
}

interface Loop {
  deps: DrainDeps;
  session: DrainSession;
  /** Settings of this drain. */
  subscription: Subscription;
  recordHealth: ReturnType<typeof createSubscriptionHealth>;
  now: () => Date;
  /** When `subscription` was read. Milliseconds, as all times of the loop. */
  readAt: number;
  startedAt: number;
}

/** Runs until there was no work for a while, the time is over, the settings changed or the dispatcher failed. */
async function run(loop: Loop): Promise<void> {
  const { deps, session, now, readAt, startedAt } = loop;
  const { refreshMs = () => REFRESH_MS } = deps;
  const { signal, wakeSignal } = deps;
  const { dispatcher, recovery } = session;
  const loadNew = createLoading(loop);
  let [workedAt, refreshedAt, savedAt] = [startedAt, readAt, startedAt];
  for (let isCurrent = true; isCurrent && !signal.aborted && dispatcher.failure === undefined;) {
    const hasNew = [await loadNew(), await recovery.step()].some(Boolean);
    const at = now().getTime();
    // Right before attempts start: they are signed by keys that are at most so old.
    const everyMs = refreshMs();
    if (at - refreshedAt >= (dispatcher.nextAt() <= at ? REFRESH_MS : everyMs)) {
      isCurrent = await refresh(loop);
      refreshedAt = at;
    }
    if (isCurrent) dispatcher.dispatch();
    if (hasNew || dispatcher.underWay > 0) workedAt = at;
    if (at - savedAt >= everyMs) {
      await session.save(LEASE_SAVES * everyMs);
      savedAt = at;
    }
    const leftMs = Math.min(workedAt + limits(deps).idleMs, endsAt(loop)) - at;
    if (leftMs <= 0) break;
    if (!hasNew) await wakeSignal.wait(Math.min(leftMs, everyMs, nextAt(session) - at));
  }
}

/**
 * Returns what fans out and loads new events. While what is due cannot be sent and no attempt ends, as of a receiver that
 * hangs, new events are fanned out together now and then, not one by one.
 */
function createLoading({ session, now }: Loop): () => Promise<boolean> {
  const { dispatcher } = session;
  let [loadedAt, ended] = [-Infinity, -1];
  return async () => {
    const at = now().getTime();
    if (dispatcher.ended === ended && dispatcher.isBlocked() && at - loadedAt < REFRESH_MS) return false;
    [loadedAt, ended] = [at, dispatcher.ended];
    return session.loadNew();
  };
}

/** How long a drain may wait for work and run. */
function limits({ crowded = CROWDED, idleMs = 30_000, mostMs = 600_000, ...deps }: DrainDeps) {
  const { isCrowded = () => false, isFull = () => false } = deps;
  return {
    idleMs: isCrowded() ? Math.min(idleMs, crowded.idleMs) : idleMs,
    mostMs: isFull() ? Math.min(mostMs, crowded.mostMs) : mostMs,
  };
}

const endsAt = ({ deps, startedAt }: Loop): number => startedAt + limits(deps).mostMs;

const nextAt = ({ dispatcher, recovery }: DrainSession): number => Math.min(dispatcher.nextAt(), recovery.nextAt());

/** Takes in changes by other processes. @returns false when the settings changed: a new drain has to load everything */
async function refresh(loop: Loop): Promise<boolean> {
  const { deps, session, subscription } = loop;
  const current = await deps.subscriptions.get(subscription.id);
  if (current !== undefined) {
    refreshEndpoint(deps, session.endpoint, current);
    await writeHealth(loop, current);
  }
  await session.operatorActions.readNew();
  await session.recovery.refresh();
  return current?.generation === subscription.generation;
}

const writeHealth = ({ session, recordHealth }: Loop, current: Subscription): Promise<Subscription> =>
  recordHealth(current, { failing: session.endpoint.failing, unsettled: session.unsettled() });

function toResult(loop: Loop, last: Subscription | undefined, isBehind: boolean): DrainResult {
  const { deps, session, subscription, now } = loop;
  // An active subscription is probed by some drain of the week.
  const probeAt = last?.status.state === 'unverified' ? nextProbeAt(last) : Infinity;
  const due = Math.min(nextAt(session), Math.max(probeAt, 0));
  const isChanged = last?.generation !== subscription.generation;
  const isCut = deps.signal.aborted || now().getTime() >= endsAt(loop) || isChanged;
  const summary = last && summarize(session, last, now());
  return {
    ended: false,
    more: isCut || isBehind || due <= now().getTime(),
    ...(due < Infinity && { nextDueAt: new Date(due).toISOString() }),
    ...(summary && { summary }),
  };
}
