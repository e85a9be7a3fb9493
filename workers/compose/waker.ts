import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { createEventLookout, type EventLookoutOptions } from './event-lookout.js';
import type { SubscriptionChanges } from './subscription-changes.js';
import { createWakeUps, type WakeUpsOptions } from './wake-ups.js';

export interface WakerOptions
  extends Pick<WakeUpsOptions, 'progress' | 'wake' | 'live'>, Pick<EventLookoutOptions, 'tails'> {
  changes: SubscriptionChanges;
  refreshMs?: number;
  /** Milliseconds, by the clock that all workers share. */
  now?: () => number;
  /** @param subscription the one that was skipped, if it was one alone */
  onError?: (err: unknown, subscription?: string) => void;
}

/** Subscriptions that are taken up at once. */
const AT_ONCE = 16;

/** Wakes active subscriptions with new events, or with work from before this process. */
export function createWaker(options: WakerOptions) {
  const { changes, progress, tails, refreshMs = 2_000, now = Date.now, onError = () => {} } = options;
  const wakeUps = createWakeUps({ ...options, now, onError });
  const lookout = createEventLookout({ tails, onEvent: wakeUps.request, onError });
  /** Generations of the subscriptions whose events are looked for. */
  const generations = new Map<string, number>();
  /** Changed subscriptions that are not taken up yet. `undefined`: removed. */
  const changed = new Map<string, Subscription | undefined>();

  async function watch(subscription: Subscription): Promise<void> {
    const { id, generation, status } = subscription;
    const saved = await progress.get(id);
    // Streams that were added with the last change may not be in the progress yet.
    await lookout.add(id, createEventMatcher(subscription), { ...status.starts_at, ...saved?.sources });
    if (generations.has(id) || hasWork(subscription, saved)) wakeUps.request(id);
    // Only now: when its declarations cannot be read, the next refresh starts again.
    generations.set(id, generation);
  }

  function forget(id: string): void {
    generations.delete(id);
    lookout.remove(id);
    wakeUps.forget(id);
  }

  async function takeUp(id: string, subscription: Subscription | undefined): Promise<void> {
    if (subscription?.status.state !== 'active') forget(id);
    else if (generations.get(id) !== subscription.generation) await watch(subscription);
    changed.delete(id);
  }

  async function refresh(): Promise<void> {
    for (const [id, subscription] of await changes.take()) changed.set(id, subscription);
    await mapSome([...changed], AT_ONCE, ([id, subscription]) =>
      takeUp(id, subscription).catch((err: unknown) => onError(err, id)),
    );
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

/** Whether a subscription needs a drain before its next event: its settings are not in force yet, or deliveries are open. */
const hasWork = ({ generation }: Subscription, saved: SubscriptionProgress | undefined): boolean =>
  saved === undefined || (saved.generation ?? generation) < generation || saved.counts.pending > 0;
