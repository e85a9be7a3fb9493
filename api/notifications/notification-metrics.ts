import { Counter, Gauge, type Registry } from 'prom-client';
import { NO_ATTEMPTS } from '../../notifications/kinds/attempt-stats.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import {
  readProgress,
  type SubscriptionProgress,
  type SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import { type BreakerState, CLOSED, isOpen } from '../../notifications/delivery/breaker.js';

export interface NotificationMetricsOptions {
  metrics: Registry;
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  now?: () => number;
}

type Value = [labels: Record<string, string>, value: number];
interface Scraped {
  name: string;
  help: string;
  type: 'counter' | 'gauge';
  labels?: readonly string[];
  valuesOf: (progress: SubscriptionProgress, now: number) => Value[];
}

/** Metrics of one scrape go by one reading. */
const READ_ONCE_MS = 500;

const SCRAPED: readonly Scraped[] = [
  {
    name: 'slipway_notifications_minted_total',
    help: 'Notices that were made',
    type: 'counter',
    valuesOf: ({ sequence }) => [[{}, sequence]],
  },
  {
    name: 'slipway_notification_deliveries',
    help: 'Notices by what became of them; parked ones are pending or held too',
    type: 'gauge',
    labels: ['state'],
    valuesOf: ({ counts, parked = 0 }) =>
      Object.entries({ ...counts, parked }).map(([state, count]): Value => [{ state }, count]),
  },
  {
    name: 'slipway_notification_attempts_total',
    help: 'Attempts by how they ended',
    type: 'counter',
    labels: ['outcome'],
    valuesOf: ({ attempts = NO_ATTEMPTS }) =>
      Object.entries(attempts.outcomes).map(([outcome, count]): Value => [{ outcome }, count]),
  },
  {
    name: 'slipway_notification_breaker_open',
    help: 'Whether an endpoint is left alone: 1 open, 0.5 half open, 0 closed',
    type: 'gauge',
    valuesOf: (known, now) => [[{}, openness(breakerOf(known), now)]],
  },
];

/** Returns the breaker of the endpoint, or that of its host while deliveries wait for it. */
function breakerOf({ breaker, hostOutage }: SubscriptionProgress): BreakerState {
  const own: BreakerState = { ...CLOSED, ...breaker };
  return isOpen(own) ? own : { ...own, ...hostOutage?.breaker };
}

const openness = (breaker: BreakerState, now: number): number =>
  !isOpen(breaker) ? 0 : now < (breaker.retryAt ?? 0) ? 1 : 0.5;

/** Registers the metrics of notifications. They are read from the stores, so every process reports the same values. */
export function measureNotifications(options: NotificationMetricsOptions): void {
  const { metrics, subscriptions, progress, now = Date.now } = options;
  let reading: { at: number; rows: Promise<{ id: string; known: SubscriptionProgress }[]> } | undefined;

  async function load() {
    const active = (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
    const saved = await readProgress(
      progress,
      active.map(({ id }) => id),
    );
    return [...saved].map(([id, known]) => ({ id, known }));
  }
  /** A database that is away takes no other metric with it. */
  function read() {
    if (reading === undefined || now() - reading.at > READ_ONCE_MS) {
      reading = { at: now(), rows: load().catch(() => []) };
    }
    return reading.rows;
  }

  for (const { name, help, type, labels = [], valuesOf } of SCRAPED) {
    const each = async (set: (labels: Record<string, string>, value: number) => void): Promise<void> => {
      for (const { id, known } of await read()) {
        for (const [more, value] of valuesOf(known, now())) set({ subscription: id, ...more }, value);
      }
    };
    const settings = { name, help, labelNames: ['subscription', ...labels], registers: [metrics] };
    if (type === 'gauge') {
      new Gauge({
        ...settings,
        async collect() {
          this.reset();
          await each((labels, value) => this.set(labels, value));
        },
      });
    } else {
      new Counter({
        ...settings,
        async collect() {
          this.reset();
          await each((labels, value) => this.inc(labels, value));
        },
      });
    }
  }
}
