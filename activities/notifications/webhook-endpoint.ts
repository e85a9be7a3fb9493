import type { AttemptEnd, AttemptFailure } from '../../notifications/kinds/attempt.js';
import { liveKeys, type Subscription, type SubscriptionStatus } from '../../notifications/kinds/subscription.js';
import {
  afterAttempt,
  type BreakerState,
  CLOSED,
  hasGivenUp,
  isOpen,
  permits,
  type Tally,
  TALLY_MS,
} from '../../notifications/delivery/breaker.js';
import { deliveryPolicyOf } from '../../notifications/delivery/delivery.js';
import { createMinutePace, createPace, joinPaces, type Pace } from '../../notifications/delivery/pace.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';
import type { Target } from './in-flight-delivery.js';
import type { HostOutage, HostSeat } from './webhook-hosts.js';

/** The receiver of a subscription with its rate limit and circuit breaker. Times are milliseconds. */
export interface WebhookEndpoint {
  readonly target: Target;
  /** Stored with the progress. */
  readonly breaker: BreakerState;
  /** Time of the last signature of each key; stored with the progress. */
  readonly keysUsed: Readonly<Record<string, string>>;
  /** Takes new keys and states; other settings need a new endpoint. */
  refresh(subscription: Subscription, keys: readonly SigningKey[]): void;
  readonly isActive: boolean;
  /** Set while the circuit breaker allows only single attempts. */
  readonly failing: SubscriptionStatus['failing'];
  /** The newest attempt that failed; stored with the progress. */
  readonly lastFailure: AttemptFailure | undefined;
  /** Set while the breaker of its host is open and deliveries wait for it; stored with the progress. */
  readonly hostOutage: HostOutage | undefined;
  /** Asked when a delivery is due. */
  mayStart(now: number, underWay: number): boolean;
  /** Called when no delivery is due. @param options.isPending whether one will be, or is on its way */
  rest(now: number, options: { isPending: boolean }): void;
  /** Lets other subscriptions go first at its host: the drain ends. */
  leave(now: number): void;
  started(now: number): void;
  /** Time of the next attempt; `Infinity` when one has to end first, or an operator has to act. */
  nextAt(underWay: number, now: number): number;
  /** @returns the reason to disable the subscription, if there is one */
  ended(end: AttemptEnd): string | undefined;
  /** Called once for each start, after its end. */
  finished(now: number): void;
}

/** The state that the last drain saved. */
interface Known {
  breaker?: Partial<BreakerState>;
  keysUsed?: Readonly<Record<string, string>>;
  lastFailure?: AttemptFailure | undefined;
}

export function createWebhookEndpoint(
  subscription: Subscription,
  keys: readonly SigningKey[],
  known: Known = {},
  /** Without a host only the limits of the subscription count. */
  host?: HostSeat,
): WebhookEndpoint {
  const { per_second, concurrency } = subscription.spec.rate;
  const own = createPace(per_second);
  let breaker: BreakerState = { ...CLOSED, ...known.breaker };
  let ring = subscription.status.keys;
  const used = new Map(Object.entries(known.keysUsed ?? {}));
  const outageSince = (end: AttemptEnd): number | undefined =>
    breakerAfter(breaker, end).openSince ?? host?.outageSince(end);
  let target = { ...toTarget(subscription, keys), outageSince };
  let isActive = sends(subscription);
  let allowed = subscription.status.allowed_rate?.per_minute;
  let pace = paceOf();
  let { lastFailure } = known;

  function paceOf(): Pace {
    if (allowed === undefined || allowed >= per_second * 60) return own;
    return joinPaces([own, createMinutePace(allowed, startsIn(breaker.tallies))]);
  }

  const free = (now: number, underWay: number): number =>
    isActive ? Math.min(concurrency - underWay, permits(breaker, { now, underWay })) : 0;

  return {
    get target() {
      return target;
    },
    get breaker() {
      return breaker;
    },
    get keysUsed() {
      return Object.fromEntries([...used].filter(([kid]) => ring.some((key) => key.kid === kid)));
    },
    get isActive() {
      return isActive;
    },
    get failing() {
      const reason = lastFailure?.reason ?? 'attempts fail';
      if (isOpen(breaker)) return { since: toText(breaker.openSince ?? 0), reason };
      const outage = host?.outage;
      return outage && { since: toText(outage.breaker.openSince ?? 0), reason: outage.lastFailure?.reason ?? reason };
    },
    get hostOutage() {
      return host?.outage;
    },
    get lastFailure() {
      return lastFailure;
    },
    refresh(current, currentKeys) {
      target = { ...toTarget(current, currentKeys), outageSince };
      isActive = sends(current);
      ring = current.status.keys;
      const granted = current.status.allowed_rate?.per_minute;
      if (granted === allowed) return;
      allowed = granted;
      pace = paceOf();
    },
    mayStart: (now, underWay) =>
      free(now, underWay) > 0 && pace.nextAt() <= now && (host === undefined || host.mayStart(now)),
    rest: (now, options) => host?.rest(now, options),
    leave: (now) => host?.leave(now),
    started(now) {
      pace.started(now);
      host?.started(now);
      const at = new Date(now);
      for (const { kid } of liveKeys(ring, at)) used.set(kid, at.toISOString());
    },
    nextAt(underWay, now) {
      if (free(Infinity, underWay) === 0) return Infinity;
      return Math.max(pace.nextAt(), breaker.retryAt ?? 0, host?.nextAt(now) ?? 0);
    },
    ended(end) {
      const { at, outcome, status, command, error } = end;
      const reason = status === undefined ? (error ?? outcome) : `status ${status}`;
      if (outcome !== 'confirmed') lastFailure = { at, reason };
      breaker = breakerAfter(breaker, end);
      host?.ended(end);
      if (command === 'disable') return `the endpoint asked for it, with status ${status}`;
      const time = Date.parse(at);
      const isGone = end.unreachable === true && host?.hasGivenUp(time) === true;
      return hasGivenUp(breaker, time) || isGone ? 'no attempt succeeded for five days' : undefined;
    },
    finished: (now) => host?.finished(now),
  };
}

const breakerAfter = (breaker: BreakerState, { at, outcome, retryAt }: AttemptEnd): BreakerState =>
  afterAttempt(breaker, {
    at: Date.parse(at),
    failed: outcome !== 'confirmed',
    ...(retryAt !== undefined && { slowDownUntil: Date.parse(retryAt) }),
  });

/** Returns the latest possible start times of the attempts in the last minutes. */
const startsIn = (tallies: readonly Tally[]): number[] =>
  tallies.flatMap(({ from, attempts }) => Array<number>(attempts).fill(from + TALLY_MS));

const toText = (milliseconds: number): string => new Date(milliseconds).toISOString();

const sends = ({ spec, status }: Subscription): boolean => status.state === 'active' && spec.mode === 'push';

function toTarget(subscription: Subscription, keys: readonly SigningKey[]): Omit<Target, 'outageSince'> {
  const { id, spec, status } = subscription;
  return {
    subscription: id,
    // A subscription with mode "pull" has no url, and nothing is sent.
    url: new URL(spec.url ?? 'https://none.invalid'),
    ...(spec.receipt_url !== null && { receiptUrl: new URL(spec.receipt_url) }),
    headers: spec.headers,
    keys,
    policy: deliveryPolicyOf(subscription),
    provenAt: status.checked_at,
  };
}
