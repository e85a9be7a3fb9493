import { createEventMatcher, type EventMatcher } from '../../notifications/events/event-matcher.js';
import { declaredBy, recallDeclaration } from '../../activities/notifications/source-position.js';
import type { Notifications } from '../../api/notifications/subscription.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { actOnEach } from '../../platform/kinds/loop-items.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';

export interface WakerOptions {
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  tails: LogTails;
  notifications: Notifications;
  /** Ids of the subscriptions that this process drains now: they need no wake-up. */
  live: ReadonlySet<string>;
  refreshMs?: number;
  now?: () => number;
  /** @param subscription the one that was skipped, if it was one alone */
  onError?: (err: unknown, subscription?: string) => void;
}

interface WokenSubscription {
  generation: number;
  matcher: EventMatcher;
  streams: readonly string[];
  wokenAt: number;
}

const WAKE_EVERY_MS = 500;

/** Wakes subscriptions with new events. It may miss an event: each subscription also reads its streams at intervals. */
export function createWaker(options: WakerOptions) {
  const { subscriptions, progress, tails, notifications, live, refreshMs = 2_000 } = options;
  const { now = Date.now, onError = () => {} } = options;
  const watched = new Map<string, WokenSubscription>();
  /** Next position to read, by stream. */
  const next = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  const reportError = (err: unknown): void => onError(err);

  async function wake(id: string, each: WokenSubscription): Promise<void> {
    if (live.has(id) || now() - each.wokenAt < WAKE_EVERY_MS) return;
    each.wokenAt = now();
    await notifications.wake(id);
  }

  async function readOn(stream: string): Promise<void> {
    for (;;) {
      const position = next.get(stream) ?? 1;
      const entry = await tails.read(stream, position);
      if (entry === undefined) {
        const { purgedTo, declared } = await tails.beginning(stream);
        if (purgedTo < position) return;
        next.set(stream, purgedTo + 1);
        if (declared !== undefined) for (const { matcher } of watched.values()) matcher.declared(stream, declared);
        continue;
      }
      next.set(stream, position + 1);
      for (const [id, each] of watched) {
        try {
          if (each.streams.includes(stream) && matchesEntry(each.matcher, stream, entry)) await wake(id, each);
        } catch (err) {
          onError(err, id); // the other subscriptions still get the entry
        }
      }
    }
  }

  /** Reads a stream to its end; calls for one stream run one after another. */
  function read(stream: string): void {
    const before = reading.get(stream) ?? Promise.resolve();
    reading.set(stream, before.then(() => readOn(stream)).catch(reportError));
  }

  /** Applies the declaration in force at a position; it may be newer than the one in the subscription's status. */
  async function declare({ matcher }: WokenSubscription, stream: string, { position, declaredAt }: SourcePosition) {
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
    // Streams that were added with the last change may not be in the progress yet.
    const sources = { ...status.starts_at, ...(await progress.get(id))?.sources };
    const streams = Object.keys(sources);
    const each: WokenSubscription = {
      generation,
      matcher: createEventMatcher(subscription),
      streams,
      wokenAt: -Infinity,
    };
    for (const [stream, source] of Object.entries(sources)) await declare(each, stream, source);
    // Only when all its streams are declared: after a read that fails, the next refresh starts again.
    watched.set(id, each);
    for (const [stream, source] of Object.entries(sources)) {
      if (!next.has(stream)) next.set(stream, source.position + 1);
      read(stream);
    }
    await wake(id, each); // events from before this process read its streams
  }

  async function refresh(): Promise<void> {
    const active = (await subscriptions.list()).filter(({ status }) => status.state === 'active');
    const ids = new Set(active.map(({ id }) => id));
    for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id);
    const changed = active.filter((each) => watched.get(each.id)?.generation !== each.generation);
    const items = changed.map((each) => ({ name: each.id, act: async () => void (await watch(each)) }));
    await actOnEach(items, (id, err) => onError(err, id));
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
    },
  };
}

function matchesEntry(matcher: EventMatcher, stream: string, entry: StreamEntry): boolean {
  if (entry.kind === 'schema') matcher.declared(stream, declaredBy(entry));
  if (entry.kind === 'release') return true;
  return eventsOfStream(stream, matcher.specOf(stream), entry).some((event) => matcher.matches(event));
}
