import type { AttemptFailure } from '../../notifications/kinds/attempt.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { healthOf, type SubscriptionHealth } from '../../notifications/kinds/subscription-status.js';
import { isOpen } from '../../notifications/delivery/breaker.js';
import type { DrainSession } from './drain-session.js';

/** The deliveries of a subscription at the end of a drain, for operators. All times are RFC 3339. */
export interface DrainSummary {
  at: string;
  health: SubscriptionHealth;
  /** Number of deliveries that are not settled. */
  unsettled: number;
  /** How many of them wait for an operator. */
  held: number;
  /** Creation of the oldest unsettled delivery. */
  oldestAt?: string;
  /** Since when the breaker allows only single attempts. */
  openSince?: string;
  /** No attempt before this time. */
  retryAt?: string;
  lastFailure?: AttemptFailure;
}

/** Every drain adds one to the history of its workflow. */
const MOST_REASON = 200;

/** The parts of a drain that the summary needs. */
export interface SummarySource {
  endpoint: Pick<DrainSession['endpoint'], 'breaker' | 'hostOutage' | 'lastFailure'>;
  dispatcher: { queue: Pick<DrainSession['dispatcher']['queue'], 'counts'> };
  unsettled: DrainSession['unsettled'];
  oldest: DrainSession['oldest'];
}

/** @returns `undefined` for a subscription that is removed */
export function summarize(source: SummarySource, { status }: Subscription, at: Date): DrainSummary | undefined {
  const health = healthOf(status);
  if (health === undefined) return undefined;
  const { breaker, lastFailure } = outageOf(source.endpoint);
  const unsettled = source.unsettled();
  const oldestAt = unsettled > 0 ? source.oldest()?.record.createdAt : undefined;
  const since = isOpen(breaker) ? breaker.openSince : undefined;
  const { retryAt = 0 } = breaker;
  return {
    at: at.toISOString(),
    health,
    unsettled,
    held: source.dispatcher.queue.counts().held,
    ...(oldestAt !== undefined && { oldestAt }),
    ...(since !== undefined && { openSince: toText(since) }),
    ...(retryAt > at.getTime() && { retryAt: toText(retryAt) }),
    ...(lastFailure && { lastFailure: { ...lastFailure, reason: lastFailure.reason.slice(0, MOST_REASON) } }),
  };
}

/** Returns the breaker that is open, of the endpoint or else of its host, and the failure that goes with it. */
function outageOf({ breaker, hostOutage, lastFailure }: SummarySource['endpoint']) {
  if (isOpen(breaker) || hostOutage === undefined) return { breaker, lastFailure };
  return { breaker: hostOutage.breaker, lastFailure: hostOutage.lastFailure ?? lastFailure };
}

const toText = (milliseconds: number): string => new Date(milliseconds).toISOString();
