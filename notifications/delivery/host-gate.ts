import { ATTEMPT_MS } from '../kinds/attempt.js';
import { afterAttempt, type BreakerState, CLOSED, isOpen, permits } from './breaker.js';

/** The attempts of all subscriptions of one process at one host. Times in milliseconds. */
export interface HostState<Seat> {
  /** Counts connections: a response, whatever its status, shows that the host is there. */
  breaker: BreakerState;
  underWay: number;
  /** Seats that were refused a start, the longest waiting first. */
  waiting: readonly { seat: Seat; askedAt: number }[];
  /** The newest ends of attempts, the oldest first; before the first end, the time since which attempts are under way. */
  ends: readonly number[];
  /** The latest time at which a drain that ended without its turn was asked to come back. */
  returnsAt: number;
}

export const idleHost = <Seat>(breaker: BreakerState = CLOSED): HostState<Seat> => ({
  breaker,
  underWay: 0,
  waiting: [],
  ends: [],
  returnsAt: 0,
});

/** A seat that does not ask again within this time gives up its turn: its drain ended with an error. */
const TURN_MS = 5_000;
/** Shortest and longest pause of a drain that ended while the host was full; a running drain is woken. */
const FULL_MS = 5_000;
const MOST_FULL_MS = 60_000;
/** Ends whose pace tells how soon a place is free. */
const PACED_ENDS = 64;

interface Request<Seat> {
  seat: Seat;
  now: number;
  /** Limit of attempts under way at the host. */
  concurrency: number;
}

/** Asks for a start. A refused seat keeps its turn, so that no subscription takes all the places of a host. */
export function askHost<Seat>(
  state: HostState<Seat>,
  { seat, now, concurrency }: Request<Seat>,
): { state: HostState<Seat>; isGranted: boolean } {
  const waiting = state.waiting.filter((each) => each.seat === seat || each.askedAt > now - TURN_MS);
  const known = waiting.findIndex((each) => each.seat === seat);
  const turn = known < 0 ? waiting.length : known;
  if (turn < roomAt(state, { now, concurrency })) {
    return { state: { ...state, waiting: waiting.filter((each) => each.seat !== seat) }, isGranted: true };
  }
  const asked = { seat, askedAt: now };
  const next = known < 0 ? [...waiting, asked] : waiting.with(known, asked);
  return { state: { ...state, waiting: next }, isGranted: false };
}

export const leaveHost = <Seat>(state: HostState<Seat>, seat: Seat): HostState<Seat> =>
  state.waiting.length === 0 ? state : { ...state, waiting: state.waiting.filter((each) => each.seat !== seat) };

/**
 * Ends the wait of a seat whose drain ends. Those that were refused come back one after another, as fast as places get free:
 * all at once, most would only be refused again.
 * @returns the time to come back at, for a seat that was refused
 */
export function quitHost<Seat>(
  state: HostState<Seat>,
  { seat, now }: Omit<Request<Seat>, 'concurrency'>,
): { state: HostState<Seat>; returnAt?: number } {
  const left = leaveHost(state, seat);
  if (left.waiting.length === state.waiting.length) return { state: left };
  const [since = now] = state.ends;
  const gap = (now - since) / Math.max(1, state.ends.length);
  const returnAt = Math.min(now + MOST_FULL_MS, Math.max(now + FULL_MS, state.returnsAt + gap));
  return { state: { ...left, returnsAt: returnAt }, returnAt };
}

export const startAtHost = <Seat>(state: HostState<Seat>, now: number): HostState<Seat> => ({
  ...state,
  underWay: state.underWay + 1,
  ends: state.underWay === 0 ? [now] : state.ends,
});

export const finishAtHost = <Seat>(state: HostState<Seat>, now: number): HostState<Seat> => ({
  ...state,
  underWay: state.underWay - 1,
  ends: [...state.ends, now].slice(-PACED_ENDS),
});

/** Takes in whether an attempt got a connection. */
export const observeHost = <Seat>(
  state: HostState<Seat>,
  { at, isConnected }: { at: number; isConnected: boolean },
): HostState<Seat> => ({ ...state, breaker: afterAttempt(state.breaker, { at, failed: !isConnected }) });

/** The seats whose turn it is now. */
export const nextSeats = <Seat>(state: HostState<Seat>, limits: Omit<Request<Seat>, 'seat'>): Seat[] =>
  state.waiting.slice(0, roomAt(state, limits)).map(({ seat }) => seat);

/** Returns when a seat may start, as far as is known; not later than now: it may start. */
export function nextAtHost<Seat>(state: HostState<Seat>, request: Request<Seat>): number {
  const { breaker, underWay, waiting } = state;
  const { seat, now } = request;
  if (breaker.retryAt !== undefined && breaker.retryAt > now) return breaker.retryAt;
  if (isOpen(breaker) && underWay > 0) return now + ATTEMPT_MS; // the end of the probe
  const earlier = waiting.findIndex((each) => each.seat === seat);
  return (earlier < 0 ? waiting.length : earlier) < roomAt(state, request) ? now : now + FULL_MS;
}

function roomAt<Seat>(
  { breaker, underWay }: HostState<Seat>,
  { now, concurrency }: Omit<Request<Seat>, 'seat'>,
): number {
  return Math.max(0, Math.min(concurrency - underWay, permits(breaker, { now, underWay })));
}
