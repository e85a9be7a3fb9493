import { setImmediate } from 'node:timers/promises';
import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import {
  hasOpenWork,
  readProgress,
  type SubscriptionProgress,
} from '../../notifications/stores/subscription-progress.js';
import { createEventLookout, type EventLookoutOptions } from './event-lookout.js';
import type { SubscriptionChanges } from './subscription-changes.js';
import { createWakeUps, type WakeUpsOptions } from './wake-ups.js';

export interface WakerOptions
  extends
    Pick<WakeUpsOptions, 'progress' | 'wake' | 'live' | 'pace' | 'delivering'>,
    Pick<EventLookoutOptions, 'tails'> {
  changes: SubscriptionChanges;
  refreshMs?: number;
  /** Milliseconds, by the clock that all workers share. */
  now?: () => number;
  /** @param subscription the one that was skipped, if it was one alone */
  onError?: (err: unknown, subscription?: string) => void;
}

/** Subscriptions that are taken up at once. */
const AT_ONCE = 16;
/** Subscriptions that are taken up without a pause for other tasks of the process. */
const BATCH = 200;

/** Wakes active subscriptions with new events, or with work from before this process. */
export function createWaker(options: WakerOptions) {
  const { changes, progress, tails, refreshMs = 1_000, now = Date.now, onError = () => {} } = options;
  const wakeUps = createWakeUps({ ...options, now, onError });
  const lookout = createEventLookout({ tails, onEvent: wakeUps.request, onError });
  /** Generations of the subscriptions whose events are looked for. */
  const generations = new Map<string, number>();
  /** Changed subscriptions that are not taken up yet. `undefined`: removed. */
  const changed = new Map<string, Subscription | undefined>();

  async function watch(subscription: Subscription, saved: SubscriptionProgress | undefined): Promise<void> {
    const { id, generation, status } = subscription;
    wakeUps.know(id, saved);
    // Streams that were added with the last change may not be in the progress yet.
    await lookout.add(id, createEventMatcher(subscription), { ...status.starts_at, ...saved?.sources });
    if (generations.has(id) || hasOpenWork(subscription, saved)) wakeUps.request(id);
    // Only now: when its declarations cannot be read, the next refresh starts again.
    generations.set(id, generation);
  }

  function forget(id: string): void {
    generations.delete(id);
    lookout.remove(id);
    wakeUps.forget(id);
  }

  const isNew = ({ id, generation }: Subscription): boolean => generations.get(id) !== generation;

  async function takeUp(
    id: string,
    subscription: Subscription | undefined,
    saved: SubscriptionProgress | undefined,
  ): Promise<void> {
    if (subscription?.status.state !== 'active') forget(id);
    else if (isNew(subscription)) await watch(subscription, saved);
    changed.delete(id);
  }

  async function takeUpAll(): Promise<void> {
    const all = [...changed];
    const toWatch = all.flatMap(([id, each]) => (each?.status.state === 'active' && isNew(each) ? [id] : []));
    const saved = await readProgress(progress, toWatch);
    for (let from = 0; from < all.length; from += BATCH) {
      await mapSome(all.slice(from, from + BATCH), AT_ONCE, ([id, subscription]) =>
        takeUp(id, subscription, saved.get(id)).catch((err: unknown) => onError(err, id)),
      );
      await setImmediate();
    }
  }

  async function refresh(): Promise<void> {
    for (const [id, subscription] of await changes.take()) changed.set(id, subscription);
    await takeUpAll();
    wakeUps.retry();
  }

  const reportError = (err: unknown): void => onError(err);
  let refreshing: Promise<void> = refresh().catch(reportError);
  const timer = setInterval(() => {
    refreshing = refreshing.then(refresh).catch(reportError);
  }, refreshMs);

  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await changes.stop();
      await refreshing;
      await lookout.stop();
      await wakeUps.stop();
    },
  };
}
