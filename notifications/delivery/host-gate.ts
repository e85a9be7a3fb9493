import { ATTEMPT_MS } from '../kinds/attempt.js';
import { afterAttempt, type BreakerState, CLOSED, isOpen, permits } from './breaker.js';

/** The attempts of all subscriptions of one process at one host. Times in milliseconds. */
export interface HostState<Seat> {
  /** Counts connections: a response, whatever its status, shows that the host is there. */
  breaker: BreakerState;
  underWay: number;
  /** Seats that were refused a start, the longest waiting first. */
  waiting: readonly { seat: Seat; askedAt: number }[];
}

export const idleHost = <Seat>(breaker: BreakerState = CLOSED): HostState<Seat> => ({
  breaker,
  underWay: 0,
  waiting: [],
});

/** A seat that does not ask again within this time gives up its turn: its drain ended with an error. */
const TURN_MS = 5_000;
/** Pause of a drain that ended while the host was full; a running drain is woken. */
const FULL_MS = 5_000;

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

export const startAtHost = <Seat>(state: HostState<Seat>): HostState<Seat> => ({
  ...state,
  underWay: state.underWay + 1,
});

export const finishAtHost = <Seat>(state: HostState<Seat>): HostState<Seat> => ({
  ...state,
  underWay: state.underWay - 1,
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
