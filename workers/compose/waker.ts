import { createEventMatcher, type EventMatcher } from '../../notifications/events/event-matcher.js';
import { declaredBy, recallDeclaration } from '../../activities/notifications/source-position.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { actOnEach } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { createWakeUps, type WakeUpsOptions } from './wake-ups.js';

export interface WakerOptions extends Pick<WakeUpsOptions, 'progress' | 'wake' | 'live'> {
  subscriptions: ResourceStore<Subscription>;
  tails: LogTails;
  refreshMs?: number;
  /** Milliseconds, by the clock that all workers share. */
  now?: () => number;
  /** @param subscription the one that was skipped, if it was one alone */
  onError?: (err: unknown, subscription?: string) => void;
}

interface WatchedSubscription {
  generation: number;
  matcher: EventMatcher;
  /** The position that was read for it, by stream. */
  read: Map<string, number>;
}

/** Wakes subscriptions with new events: it reads each stream once for all of them, from where the hindmost was. */
export function createWaker(options: WakerOptions) {
  const { subscriptions, progress, tails, refreshMs = 2_000, now = Date.now, onError = () => {} } = options;
  const wakeUps = createWakeUps({ ...options, now, onError });
  const watched = new Map<string, WatchedSubscription>();
  /** Next position to read, by stream. */
  const next = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  const reportError = (err: unknown): void => onError(err);

  /** Reads one entry for the subscriptions that have not read it. */
  function look(stream: string, entry: StreamEntry): void {
    for (const [id, { matcher, read }] of watched) {
      const position = read.get(stream);
      if (position === undefined || position >= entry.position) continue;
      try {
        read.set(stream, entry.position);
        if (matchesEntry(matcher, stream, entry)) wakeUps.request(id, { stream, position: entry.position });
      } catch (err) {
        onError(err, id); // the other subscriptions still get the entry
      }
    }
  }

  /** The drain of a subscription emits an event about entries that it has not read and that are gone. */
  function skipPurged(stream: string, purgedTo: number, declared: DeclaredFields | undefined): void {
    for (const [id, { matcher, read }] of watched) {
      const position = read.get(stream);
      if (position === undefined || position >= purgedTo) continue;
      read.set(stream, purgedTo);
      if (declared !== undefined) matcher.declared(stream, declared);
      wakeUps.request(id, { stream, position: purgedTo });
    }
  }

  async function readOn(stream: string): Promise<void> {
    for (;;) {
      const position = next.get(stream) ?? 1;
      const entry = await tails.read(stream, position);
      if (entry === undefined) {
        const { purgedTo, declared } = await tails.beginning(stream);
        if (purgedTo < position) return;
        next.set(stream, Math.max(next.get(stream) ?? 1, purgedTo + 1));
        skipPurged(stream, purgedTo, declared);
        continue;
      }
      // A subscription that came meanwhile may have set it back.
      if (next.get(stream) === position) next.set(stream, position + 1);
      look(stream, entry);
    }
  }

  /** Reads a stream to its end; calls for one stream run one after another. */
  function read(stream: string): void {
    const before = reading.get(stream) ?? Promise.resolve();
    reading.set(stream, before.then(() => readOn(stream)).catch(reportError));
  }

  /** Applies the declaration in force at a position; it may be newer than the one in the subscription's status. */
  async function declare(matcher: EventMatcher, stream: string, { position, declaredAt }: SourcePosition) {
    if (declaredAt === undefined) return;
    await tails.read(stream, position + 1); // starts the tail there, and not at the declaration
    const log = {
      read: (position: number) => tails.readOn(stream, position),
      beginning: (mostMs?: number) => tails.beginning(stream, mostMs),
    };
    const recalled = await recallDeclaration(log, declaredAt);
    if (recalled?.declared !== undefined) matcher.declared(stream, recalled.declared);
  }

  async function watch(subscription: Subscription): Promise<void> {
    const { id, generation, status } = subscription;
    const saved = await progress.get(id);
    // Streams that were added with the last change may not be in the progress yet.
    const sources = Object.entries({ ...status.starts_at, ...saved?.sources });
    const matcher = createEventMatcher(subscription);
    for (const [stream, source] of sources) await declare(matcher, stream, source);
    const isKnown = watched.has(id);
    // Only when all its streams are declared: after a read that fails, the next refresh starts again.
    const positions = sources.map(([stream, { position }]) => [stream, position] as const);
    watched.set(id, { generation, matcher, read: new Map(positions) });
    for (const [stream, position] of positions) {
      next.set(stream, Math.min(next.get(stream) ?? Infinity, position + 1));
      read(stream);
    }
    if (isKnown || hasWork(subscription, saved)) wakeUps.request(id);
  }

  async function refresh(): Promise<void> {
    const active = (await subscriptions.list()).filter(({ status }) => status.state === 'active');
    const ids = new Set(active.map(({ id }) => id));
    for (const id of watched.keys()) {
      if (ids.has(id)) continue;
      watched.delete(id);
      wakeUps.forget(id);
    }
    const changed = active.filter((each) => watched.get(each.id)?.generation !== each.generation);
    const items = changed.map((each) => ({ name: each.id, act: async () => void (await watch(each)) }));
    await actOnEach(items, (id, err) => onError(err, id));
    wakeUps.retry();
  }

  const unlisten = tails.listen((stream) => {
    if (next.has(stream)) read(stream);
  });
  let refreshing: Promise<void> = refresh().catch(reportError);
  const timer = setInterval(() => {
    refreshing = refreshing.then(refresh).catch(reportError);
  }, refreshMs);

  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      unlisten();
      await refreshing;
      await Promise.all(reading.values());
      await wakeUps.stop();
    },
  };
}

/** Whether a subscription needs a drain before its next event: its settings are not in force yet, or deliveries are open. */
const hasWork = ({ generation }: Subscription, saved: SubscriptionProgress | undefined): boolean =>
  saved === undefined || (saved.generation ?? generation) < generation || saved.counts.pending > 0;

function matchesEntry(matcher: EventMatcher, stream: string, entry: StreamEntry): boolean {
  if (entry.kind === 'schema') matcher.declared(stream, declaredBy(entry));
  if (entry.kind === 'release') return true;
  return eventsOfStream(stream, matcher.specOf(stream), entry).some((event) => matcher.matches(event));
}
