import { createEventMatcher, type EventMatcher } from '../../notifications/events/event-matcher.js';
import { declaredBy, recallDeclaration } from '../../activities/notifications/source-position.js';
import type { Notifications } from '../../api/notifications/subscription.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';

export interface WakerOptions {
  subscriptions: ResourceStore<Subscription>;
  progress: SubscriptionProgressStore;
  tails: LogTails;
  notifications: Notifications;
  /** Subscriptions that are being drained here: they see what comes by themselves. */
  live: ReadonlySet<string>;
  refreshMs?: number;
  onError?: (err: unknown) => void;
}

interface Watched {
  generation: number;
  matching: EventMatcher;
  streams: readonly string[];
  wokenAt: number;
}

const WAKE_EVERY_MS = 500;

/** Wakes subscriptions for which something happened. It may miss an event: each subscription looks by itself at times. */
export function createWaker(options: WakerOptions) {
  const { subscriptions, progress, tails, notifications, live, refreshMs = 2_000, onError = () => {} } = options;
  const watched = new Map<string, Watched>();
  /** Of each stream, the entry that is looked at next. */
  const next = new Map<string, number>();
  const looking = new Map<string, Promise<void>>();

  async function wake(id: string, each: Watched): Promise<void> {
    if (live.has(id) || Date.now() - each.wokenAt < WAKE_EVERY_MS) return;
    each.wokenAt = Date.now();
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
        if (declared !== undefined) for (const { matching } of watched.values()) matching.declared(stream, declared);
        continue;
      }
      next.set(stream, position + 1);
      for (const [id, each] of watched) {
        if (each.streams.includes(stream) && concerns(each.matching, stream, entry)) await wake(id, each);
      }
    }
  }

  /** One reader for each stream; what comes meanwhile is read by it, or by the next. */
  function look(stream: string): void {
    const before = looking.get(stream) ?? Promise.resolve();
    looking.set(stream, before.then(() => readOn(stream)).catch(onError));
  }

  /** Goes by the declaration in force at a place, which may be newer than the one that the subscription was made by. */
  async function declare({ matching }: Watched, stream: string, { position, declaredAt }: SourcePosition) {
    if (declaredAt === undefined) return;
    await tails.read(stream, position + 1); // followed from there on, and not from the declaration on
    const log = {
      read: (place: number) => tails.readOn(stream, place),
      beginning: (mostMs?: number) => tails.beginning(stream, mostMs),
    };
    const recalled = await recallDeclaration(log, declaredAt);
    if (recalled?.declared !== undefined) matching.declared(stream, recalled.declared);
  }

  async function watch(subscription: Subscription): Promise<void> {
    const { id, generation, status } = subscription;
    // Streams that it reads since its last change may be in no progress yet.
    const sources = { ...status.starts_at, ...(await progress.get(id))?.sources };
    const streams = Object.keys(sources);
    const each: Watched = { generation, matching: createEventMatcher(subscription), streams, wokenAt: 0 };
    watched.set(id, each);
    for (const [stream, place] of Object.entries(sources)) {
      await declare(each, stream, place);
      if (!next.has(stream)) next.set(stream, place.position + 1);
      look(stream);
    }
    await wake(id, each); // what happened before it was watched
  }

  async function refresh(): Promise<void> {
    const active = (await subscriptions.list()).filter(({ status }) => status.state === 'active');
    const ids = new Set(active.map(({ id }) => id));
    for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id);
    for (const each of active) if (watched.get(each.id)?.generation !== each.generation) await watch(each);
  }

  const unlisten = tails.listen((stream) => {
    if (next.has(stream)) look(stream);
  });
  let refreshing: Promise<void> = refresh().catch(onError);
  const timer = setInterval(() => {
    refreshing = refreshing.then(refresh).catch(onError);
  }, refreshMs);

  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      unlisten();
      await refreshing;
      await Promise.all(looking.values());
    },
  };
}

function concerns(matching: EventMatcher, stream: string, entry: StreamEntry): boolean {
  if (entry.kind === 'schema') matching.declared(stream, declaredBy(entry));
  if (entry.kind === 'release') return true;
  return eventsOfStream(stream, matching.specOf(stream), entry).some((event) => matching.matches(event));
}
