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
  /** Subscriptions whose receiver takes deliveries, as far as this process knows. */
  delivering?: Set<string>;
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
  /** Until then a drain of another process reads the events of which this one knows. Milliseconds. */
  leasedUntil: number;
}

const WAKE_EVERY_MS = 500;
/**
 * Reads of the progress of those that were not delivering, and pauses between two, at once: thousands must not hold up the
 * others. They are woken more slowly than that.
 */
const LOOKS_AT_ONCE = 2;
const LOOK_PAUSE_MS = 5;
/** Wake-ups without an event come one by one: thousands of drains at once would hold up those that have events. */
const FORCED_EVERY_MS = 50;

/** Wakes subscriptions, unless a drain is live in this or another process, or has read the event meanwhile. */
export function createWakeUps(options: WakeUpsOptions) {
  const { progress, wake, live, pace, delivering = new Set(), now, onError } = options;
  const wanted = new Map<string, Wanted>();
  const waiting = new Set<string>();
  /** Those that are woken one by one. */
  const forced = new Set<string>();
  let forcing: Promise<void> | undefined;
  const underWay = new Map<string, Promise<void>>();
  const limit = pLimit(LOOKS_AT_ONCE);
  const stopping = new AbortController();
  const { signal } = stopping;

  function know(id: string, saved: SubscriptionProgress | undefined): void {
    if (isDelivering(saved)) delivering.add(id);
    else delivering.delete(id);
  }

  async function look(id: string): Promise<SubscriptionProgress | undefined> {
    const saved = await progress.get(id);
    know(id, saved);
    return saved;
  }

  function lookInTurn(id: string): Promise<SubscriptionProgress | undefined> {
    const looked = limit(() => look(id));
    void limit(() => sleep(LOOK_PAUSE_MS));
    return looked;
  }

  async function send(id: string, each: Wanted): Promise<void> {
    const saved = await (delivering.has(id) ? look(id) : lookInTurn(id));
    each.leasedUntil = leaseOf(saved);
    if (!each.isForced && each.leasedUntil > now()) return void waiting.add(id);
    if (!each.isForced && hasRead(saved, each.events)) return;
    await pace.turn({ rank: delivering.has(id) ? 'delivering' : 'waiting', signal });
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
    /** Takes in progress that was read elsewhere. */
    know,
    /** Asks for a wake-up: for an event, or by all means. */
    request: (id: string, event?: { stream: string; position: number }): void => {
      const each = wanted.get(id) ?? { events: new Map(), isForced: false, sentAt: -Infinity, leasedUntil: -Infinity };
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
        else if (!forced.has(id) && (each.isForced || each.leasedUntil <= now())) attempt(id, each);
      }
    },
    forget: (id: string): void => {
      wanted.delete(id);
      delivering.delete(id);
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

/** Until when a drain somewhere reads the streams. Milliseconds. */
const leaseOf = (saved: SubscriptionProgress | undefined): number =>
  saved?.leasedUntil === undefined ? -Infinity : Date.parse(saved.leasedUntil);

const hasRead = (saved: SubscriptionProgress | undefined, events: ReadonlyMap<string, number>): boolean =>
  [...events].every(([stream, position]) => (saved?.sources[stream]?.position ?? 0) >= position);
