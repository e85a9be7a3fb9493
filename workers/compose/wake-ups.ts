import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { LiveDrains } from '../../activities/notifications/live-drains.js';
import type { Pace } from '../../activities/notifications/pace.js';
import {
  isDelivering,
  type SubscriptionProgress,
  type SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';

export interface WakeUpsOptions {
  progress: SubscriptionProgressStore;
  /** @throws when Temporal does not answer */
  wake: (subscription: string) => Promise<void>;
  live: Pick<LiveDrains, 'has'>;
  pace: Pace;
  /** Milliseconds, by the clock that all workers share. */
  now: () => number;
  onError: (err: unknown, subscription: string) => void;
}

/** Why a subscription is woken. */
interface Wanted {
  /** Position of its newest event, by stream. */
  events: Map<string, number>;
  /** It is woken whatever its drains have read. */
  isForced: boolean;
  sentAt: number;
  /** Whether its receiver took deliveries at the last look. */
  isDelivering: boolean;
}

const WAKE_EVERY_MS = 500;
/** Reads at once of the progress of those that were not delivering: thousands must not hold up the others. */
const AT_ONCE = 2;
/** Wake-ups without an event come one by one: thousands of drains at once would hold up those that have events. */
const FORCED_EVERY_MS = 50;

/** Wakes subscriptions, unless a drain is live in this or another process, or has read the event meanwhile. */
export function createWakeUps({ progress, wake, live, pace, now, onError }: WakeUpsOptions) {
  const wanted = new Map<string, Wanted>();
  const waiting = new Set<string>();
  /** Those that are woken one by one. */
  const forced = new Set<string>();
  let forcing: Promise<void> | undefined;
  const underWay = new Map<string, Promise<void>>();
  const limit = pLimit(AT_ONCE);
  const stopping = new AbortController();
  const { signal } = stopping;

  async function send(id: string, each: Wanted): Promise<void> {
    const saved = await (each.isDelivering ? progress.get(id) : limit(() => progress.get(id)));
    each.isDelivering = isDelivering(saved);
    if (!each.isForced && isLeased(saved, now())) return void waiting.add(id);
    if (!each.isForced && hasRead(saved, each.events)) return;
    await pace.turn({ rank: each.isDelivering ? 'delivering' : 'waiting', signal });
    if (signal.aborted) return;
    each.sentAt = now();
    await wake(id);
    each.isForced = false;
  }

  function attempt(id: string, each: Wanted): void {
    if (underWay.has(id) || live.has(id) || now() - each.sentAt < WAKE_EVERY_MS) return;
    waiting.delete(id);
    forced.delete(id);
    const sending = send(id, each)
      .catch((err: unknown) => {
        waiting.add(id);
        onError(err, id);
      })
      .finally(() => underWay.delete(id));
    underWay.set(id, sending);
  }

  async function force(): Promise<void> {
    for (const id of forced) {
      if (signal.aborted) return;
      forced.delete(id);
      const each = wanted.get(id);
      if (each !== undefined) attempt(id, each);
      await sleep(FORCED_EVERY_MS);
    }
  }

  return {
    /** Asks for a wake-up: for an event, or by all means. */
    request: (id: string, event?: { stream: string; position: number }): void => {
      const each = wanted.get(id) ?? { events: new Map(), isForced: false, sentAt: -Infinity, isDelivering: false };
      wanted.set(id, each);
      waiting.add(id);
      if (event === undefined) {
        each.isForced = true;
        forced.add(id);
        forcing ??= force().finally(() => (forcing = undefined));
      } else {
        each.events.set(event.stream, event.position);
        attempt(id, each);
      }
    },
    /** Looks again at those that had to wait. */
    retry: (): void => {
      for (const id of waiting) {
        const each = wanted.get(id);
        if (each === undefined) waiting.delete(id);
        else if (!forced.has(id)) attempt(id, each);
      }
    },
    forget: (id: string): void => {
      wanted.delete(id);
      waiting.delete(id);
      forced.delete(id);
    },
    /** Returns when everything that was being sent is sent; sends no more. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all([forcing, ...underWay.values()]);
    },
  };
}

/** Whether a drain somewhere reads the streams now. */
const isLeased = (saved: SubscriptionProgress | undefined, nowMs: number): boolean =>
  saved?.leasedUntil !== undefined && Date.parse(saved.leasedUntil) > nowMs;

const hasRead = (saved: SubscriptionProgress | undefined, events: ReadonlyMap<string, number>): boolean =>
  [...events].every(([stream, position]) => (saved?.sources[stream]?.position ?? 0) >= position);
