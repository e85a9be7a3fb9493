import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Span } from '../../notifications/kinds/feed-consumer.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox, OutboxEntry } from '../../notifications/stores/outbox.js';
import { invalid, toCount } from '../http/parameters.js';
import type { ReferenceContext } from '../reference/state.js';

/** The state of a feed after a fan-out. */
interface FanOutState {
  head: number;
  settledThrough: number;
  more: boolean;
  /** How far each stream was read. */
  sources: SourcePositions;
}

/** The source of a feed. */
export interface FeedSource {
  /** Writes new events to the outbox, up to this sequence at most. */
  fanOut(subscription: Subscription, target: number): Promise<FanOutState>;
  /** @param listener called with the name of each stream that has a new entry. @returns ends it */
  listen(listener: (stream: string) => void): () => void;
}

const MOST_ITEMS = 1_000;
const MOST_WAIT_SECONDS = 30;
/** A page is shorter when its events are large. */
const MOST_BYTES = 4 * 2 ** 20;

export const readLimit = (text: string | undefined): number =>
  text === undefined ? 100 : toCount('limit', text, { from: 1, to: MOST_ITEMS });
export const readWaitMs = (text: string | undefined): number =>
  text === undefined ? 0 : toCount('wait', text, { from: 0, to: MOST_WAIT_SECONDS }) * 1_000;

/** Ends when the client leaves. */
export function clientGone({ res }: Pick<ReferenceContext, 'res'>): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

export interface FeedRequest {
  /** Sequence that the reader waits for. */
  target: number;
  waitMs: number;
  gone: AbortSignal;
}

/** Waits for new events without polling: sleeps until a stream of the subscription has a new entry. */
export async function awaitFeed(source: FeedSource, subscription: Subscription, { target, waitMs, gone }: FeedRequest) {
  const streams = new Set(Object.keys(subscription.status.starts_at));
  const end = performance.now() + waitMs;
  let news = new AbortController();
  const unlisten = source.listen((stream) => {
    if (streams.has(stream)) news.abort();
  });
  try {
    for (;;) {
      news = new AbortController(); // before the fan-out, so that no wake-up is missed
      const state = await source.fanOut(subscription, target);
      const restMs = end - performance.now();
      if (state.head >= target || restMs <= 0 || gone.aborted) return state;
      if (state.more) continue;
      await sleep(restMs, undefined, { signal: AbortSignal.any([news.signal, gone]) }).catch(() => {});
      if (gone.aborted) return state;
    }
  } finally {
    unlisten();
  }
}

/** Reads the events of a span, as far as they fit into one page. */
export async function readSpan(outbox: Outbox, subscription: string, { from, to }: Span): Promise<OutboxEntry[]> {
  const found: OutboxEntry[] = [];
  let bytes = 0;
  if (to < from) return found;
  for await (const entry of outbox.walk(subscription, from, 'up')) {
    if (entry.event.sequence > to) break;
    bytes += entry.event.body.length;
    if (bytes > MOST_BYTES && found.length > 0) break;
    found.push(entry);
    if (entry.event.sequence === to) break;
  }
  return found;
}

/** @throws feed.cursor_expired */
export function requireRetained(next: number, retainedFrom: number): void {
  if (next >= retainedFrom) return;
  throw new SlipwayError(
    'feed.cursor_expired',
    `the cursor is before the oldest kept event ${retainedFrom}: continue from there`,
    {
      members: { retained_from: String(retainedFrom) },
    },
  );
}

export interface FeedPage {
  items: readonly OutboxEntry[];
  /** Builds the cursor of an item. */
  cursorOf: (sequence: number) => string;
  members: Readonly<Record<string, unknown>>;
}

/** The events are the pushed bytes, so the answer is put together as text. */
export function toFeedPage({ items, cursorOf, members }: FeedPage): string {
  const texts = items.map(({ event }) => {
    const { sequence, id, body } = event;
    const head = JSON.stringify({ sequence: String(sequence), notice_id: id, cursor: cursorOf(sequence) });
    return `${head.slice(0, -1)},"event":${body}}`;
  });
  return `{"items":[${texts.join(',')}],${JSON.stringify(members).slice(1)}`;
}

/** Such as the name of a consumer. @throws parameter.invalid */
export function requireName(name: string | undefined): string {
  if (name === undefined || !/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
    throw invalid('name', 'takes a-z, 0-9, - and _, from a letter or digit on, at most 63 in all');
  }
  return name;
}
