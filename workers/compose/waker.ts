import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { actOnEach } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { createEventLookout, type EventLookoutOptions } from './event-lookout.js';
import { createWakeUps, type WakeUpsOptions } from './wake-ups.js';

export interface WakerOptions
  extends Pick<WakeUpsOptions, 'progress' | 'wake' | 'live'>, Pick<EventLookoutOptions, 'tails'> {
  subscriptions: ResourceStore<Subscription>;
  refreshMs?: number;
  /** Milliseconds, by the clock that all workers share. */
  now?: () => number;
  /** @param subscription the one that was skipped, if it was one alone */
  onError?: (err: unknown, subscription?: string) => void;
}

/** Wakes active subscriptions with new events, or with work from before this process. */
export function createWaker(options: WakerOptions) {
  const { subscriptions, progress, tails, refreshMs = 2_000, now = Date.now, onError = () => {} } = options;
  const wakeUps = createWakeUps({ ...options, now, onError });
  const lookout = createEventLookout({ tails, onEvent: wakeUps.request, onError });
  /** Generations of the subscriptions whose events are looked for. */
  const generations = new Map<string, number>();

  async function watch(subscription: Subscription): Promise<void> {
    const { id, generation, status } = subscription;
    const saved = await progress.get(id);
    // Streams that were added with the last change may not be in the progress yet.
    await lookout.add(id, createEventMatcher(subscription), { ...status.starts_at, ...saved?.sources });
    if (generations.has(id) || hasWork(subscription, saved)) wakeUps.request(id);
    // Only now: when its declarations cannot be read, the next refresh starts again.
    generations.set(id, generation);
  }

  async function refresh(): Promise<void> {
    const active = (await subscriptions.list()).filter(({ status }) => status.state === 'active');
    const ids = new Set(active.map(({ id }) => id));
    for (const id of generations.keys()) {
      if (ids.has(id)) continue;
      generations.delete(id);
      lookout.remove(id);
      wakeUps.forget(id);
    }
    const changed = active.filter(({ id, generation }) => generations.get(id) !== generation);
    const items = changed.map((each) => ({ name: each.id, act: async () => void (await watch(each)) }));
    await actOnEach(items, (id, err) => onError(err, id));
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
      await refreshing;
      await lookout.stop();
      await wakeUps.stop();
    },
  };
}

/** Whether a subscription needs a drain before its next event: its settings are not in force yet, or deliveries are open. */
const hasWork = ({ generation }: Subscription, saved: SubscriptionProgress | undefined): boolean =>
  saved === undefined || (saved.generation ?? generation) < generation || saved.counts.pending > 0;
