/** The state of a breaker; stored, so that a restart does not forget that an endpoint is down. Times in milliseconds. */
export interface BreakerState {
  failuresInRow: number;
  /** Attempts of the last five minutes, by tens of seconds: there may be thousands a second. */
  tallies: readonly Tally[];
  /** No attempt before this; while it is open, then one. */
  retryAt?: number;
  /** How often it has opened since the last success: each pause is twice the one before. */
  openings: number;
  /** Since when there was no success. */
  openSince?: number;
}

export interface Tally {
  /** When its time began. */
  from: number;
  attempts: number;
  failures: number;
}

export const CLOSED: BreakerState = { failuresInRow: 0, tallies: [], openings: 0 };

/** As long as a tally counts. */
export const TALLY_MS = 10_000;

const FAILURES_IN_ROW = 10;
const WINDOW_MS = 5 * 60_000;
const WINDOW_LEAST = 20;
const WINDOW_SHARE = 0.5;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;
/** An endpoint without a success for so long is switched off. */
const GIVE_UP_MS = 5 * 86_400_000;

/**
 * The breaker of an endpoint after one more attempt. It opens after 10 failures in a row, or when at least half of 20 or
 * more attempts within five minutes failed; then one attempt at a time tells whether it may close.
 * @param slowDownUntil what a 429, 502, 503 or 504 asked for (`Retry-After`)
 */
export function afterAttempt(
  state: BreakerState,
  { at, failed, slowDownUntil }: { at: number; failed: boolean; slowDownUntil?: number },
): BreakerState {
  const asked = Math.max(state.retryAt ?? 0, slowDownUntil ?? 0);
  if (!failed) {
    // A success while the breaker is open proves that the endpoint is back.
    const tallies = counted(isOpen(state) ? [] : state.tallies, { at, failed });
    const stays = !isOpen(state) && asked > at;
    return { failuresInRow: 0, tallies, openings: 0, ...(stays && { retryAt: asked }) };
  }
  const tallies = counted(state.tallies, { at, failed });
  const failuresInRow = state.failuresInRow + 1;
  const sum = (of: 'attempts' | 'failures'): number => tallies.reduce((all, each) => all + each[of], 0);
  const isDown = sum('attempts') >= WINDOW_LEAST && sum('failures') >= sum('attempts') * WINDOW_SHARE;
  const opens = isOpen(state) || failuresInRow >= FAILURES_IN_ROW || isDown;
  const openSince = opens ? (state.openSince ?? at) : undefined;
  // Attempts that were in flight when it opened belong to the same outage: one pause for all of them.
  const isLate = isOpen(state) && at < (state.retryAt ?? 0);
  const openings = opens ? state.openings + (isLate ? 0 : 1) : 0;
  const pauseMs = opens && !isLate ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (openings - 1)) : 0;
  const retryAt = Math.max(asked, at + pauseMs);
  return {
    failuresInRow,
    tallies,
    openings,
    ...(retryAt > at && { retryAt }),
    ...(openSince !== undefined && { openSince }),
  };
}

/** How many attempts may start now beside those under way. */
export function permits(state: BreakerState, { now, underWay }: { now: number; underWay: number }): number {
  if (state.retryAt === undefined) return Infinity;
  if (now < state.retryAt) return 0;
  return isOpen(state) ? Math.max(0, 1 - underWay) : Infinity;
}

export const isOpen = ({ openings }: BreakerState): boolean => openings > 0;

export const hasGivenUp = ({ openSince }: BreakerState, now: number): boolean =>
  openSince !== undefined && now - openSince >= GIVE_UP_MS;

function counted(tallies: readonly Tally[], { at, failed }: { at: number; failed: boolean }): Tally[] {
  const from = Math.floor(at / TALLY_MS) * TALLY_MS;
  const kept = tallies.filter((each) => each.from > at - WINDOW_MS);
  const known = kept.find((each) => each.from === from) ?? { from, attempts: 0, failures: 0 };
  const next = { from, attempts: known.attempts + 1, failures: known.failures + Number(failed) };
  return [...kept.filter((each) => each !== known), next];
}
