import type { AttemptEnd, AttemptFailure } from '../../notifications/kinds/attempt.js';
import { type BreakerState, CLOSED, hasGivenUp, isOpen } from '../../notifications/delivery/breaker.js';
import {
  askHost,
  finishAtHost,
  type HostState,
  idleHost,
  leaveHost,
  nextAtHost,
  nextSeats,
  observeHost,
  quitHost,
  startAtHost,
} from '../../notifications/delivery/host-gate.js';
import { createPace, type Pace } from '../../notifications/delivery/pace.js';

/** The limits of one host for all subscriptions of this process. */
export interface HostLimits {
  /** Attempts that may start within any second. */
  perSecond: number;
  /** Attempts that may be under way. */
  concurrency: number;
}

/** As much as one subscription may ask for: a host serves several of them no worse than one. */
export const HOST_LIMITS: HostLimits = { perSecond: 1_000, concurrency: 100 };

/** The trouble of a host that deliveries wait for; stored with the progress of their subscription. */
export interface HostOutage {
  breaker: BreakerState;
  lastFailure?: AttemptFailure;
}

/** One drain at the host of its endpoint. Times in milliseconds. */
export interface HostSeat {
  /** Whether a due attempt may start now. A seat that is refused gets its turn, and is woken for it. */
  mayStart(now: number): boolean;
  /** Gives up its turn: nothing is due now. */
  rest(now: number, options: { isPending: boolean }): void;
  /** Gives up its turn: the drain ends. */
  leave(now: number): void;
  started(now: number): void;
  /** Takes in the end of an attempt, before `finished`. */
  ended(end: AttemptEnd): void;
  /** Gives back the place of a start. */
  finished(now: number): void;
  nextAt(now: number): number;
  /** Since when the breaker of the host is open after an attempt that ends so; undefined: it is closed. */
  outageSince(end: AttemptEnd): number | undefined;
  hasGivenUp(now: number): boolean;
  /** Set while the breaker of the host is open and deliveries wait for an attempt. */
  readonly outage: HostOutage | undefined;
}

export interface SeatOptions {
  url: URL;
  now: number;
  /** Called when a refused seat may start. */
  wake: () => void;
  /** The outage that its last drain saved; it counts until this process has tried the host itself. */
  known?: { breaker: Partial<BreakerState>; lastFailure?: AttemptFailure } | undefined;
}

interface Host {
  state: HostState<Waiter>;
  pace: Pace;
  lastFailure?: AttemptFailure | undefined;
  usedAt: number;
}

interface Waiter {
  wake: () => void;
}

/** Number of hosts from which on unused ones are forgotten. */
const MOST_HOSTS = 1_000;
/** Longer than any pause of a breaker, at whose end deliveries that wait use the host again. */
const IDLE_MS = 60 * 60_000;

export type WebhookHosts = ReturnType<typeof createWebhookHosts>;

/** The hosts (scheme, name and port) of all endpoints of this process, whose subscriptions share limits and a breaker. */
export function createWebhookHosts({ perSecond, concurrency }: HostLimits = HOST_LIMITS) {
  const hosts = new Map<string, Host>();

  function forgetUnused(now: number): void {
    if (hosts.size < MOST_HOSTS) return;
    for (const [name, { state, usedAt }] of hosts) {
      if (usedAt < now - IDLE_MS && state.underWay === 0) hosts.delete(name);
    }
  }

  function hostOf(name: string, now: number): Host {
    const host = hosts.get(name) ?? { state: idleHost<Waiter>(), pace: createPace(perSecond), usedAt: now };
    if (!hosts.has(name)) hosts.set(name, host);
    return Object.assign(host, { usedAt: Math.max(host.usedAt, now) });
  }

  return {
    seat({ url, now: openedAt, wake, known }: SeatOptions): HostSeat {
      const seat: Waiter = { wake };
      const at = (now: number): Host => hostOf(url.origin, now);
      let isPending = known !== undefined;
      let returnAt = 0;

      forgetUnused(openedAt);
      const first = at(openedAt);
      if (known !== undefined && first.state.breaker === CLOSED) {
        first.state = { ...first.state, breaker: { ...CLOSED, ...known.breaker } };
        first.lastFailure = known.lastFailure;
      }

      return {
        mayStart(now) {
          isPending = true;
          const host = at(now);
          if (host.pace.nextAt() > now) return false;
          const { state, isGranted } = askHost(host.state, { seat, now, concurrency });
          host.state = state;
          return isGranted;
        },
        rest(now, options) {
          const host = at(now);
          host.state = leaveHost(host.state, seat);
          ({ isPending } = options);
        },
        leave(now) {
          const host = at(now);
          const quit = quitHost(host.state, { seat, now });
          host.state = quit.state;
          returnAt = quit.returnAt ?? 0;
        },
        started(now) {
          const host = at(now);
          host.state = startAtHost(host.state, now);
          host.pace.started(now);
        },
        ended(end) {
          const observed = observationOf(end);
          if (observed === undefined) return;
          const host = at(observed.at);
          host.state = observeHost(host.state, observed);
          if (!observed.isConnected) host.lastFailure = { at: end.at, reason: end.error ?? 'no connection' };
        },
        finished(now) {
          const host = at(now);
          host.state = finishAtHost(host.state, now);
          for (const next of nextSeats(host.state, { now, concurrency })) next.wake();
        },
        nextAt(now) {
          const host = at(now);
          return Math.max(nextAtHost(host.state, { seat, now, concurrency }), host.pace.nextAt(), returnAt);
        },
        outageSince(end) {
          const observed = observationOf(end);
          if (observed === undefined || observed.isConnected) return undefined;
          return observeHost(at(observed.at).state, observed).breaker.openSince;
        },
        hasGivenUp: (now) => hasGivenUp(at(now).state.breaker, now),
        get outage() {
          const { state, lastFailure } = hosts.get(url.origin) ?? first;
          if (!isPending || !isOpen(state.breaker)) return undefined;
          return { breaker: state.breaker, ...(lastFailure && { lastFailure }) };
        },
      };
    },
  };
}

/** @returns `undefined` for an attempt that says nothing about the host, such as one that was never tried */
function observationOf({ at, status, bytesLeft, unreachable }: AttemptEnd) {
  if (status !== undefined || bytesLeft === true) return { at: Date.parse(at), isConnected: true };
  return unreachable === true ? { at: Date.parse(at), isConnected: false } : undefined;
}
