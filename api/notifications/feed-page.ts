import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Span } from '../../notifications/kinds/feed-consumer.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Minted, Outbox } from '../../notifications/stores/outbox.js';
import { invalid, toCount } from '../http/parameters.js';
import type { Client, ReferenceContext } from '../reference/state.js';
import { requireStream } from './stream-scopes.js';

/** What there is to read after a look. */
interface Minting {
  head: number;
  settledThrough: number;
  more: boolean;
  /** How far each stream was read. */
  sources: SourcePositions;
}

/** Where notices of a feed come from. */
export interface FeedSource {
  /** Makes notices of what happened, up to this number if there is as much. */
  mint(subscription: Subscription, wanted: number): Promise<Minting>;
  /** @param listener told of each stream that goes on. @returns ends it */
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

/** A feed shows what a read would. @throws auth.scope */
export function requireFeedScopes(client: Client, { status }: Subscription): void {
  const streams = Object.keys({ ...status.declarations, ...status.starts_at });
  for (const stream of streams) requireStream(client, stream);
}

/** Ends when the client leaves. */
export function untilGone({ res }: Pick<ReferenceContext, 'res'>): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}

export interface FeedRequest {
  /** There is something for the reader when the feed has come this far. */
  wanted: number;
  waitMs: number;
  gone: AbortSignal;
}

/** Waits for news without asking for them: it sleeps until a stream of the subscription goes on. */
export async function awaitFeed(source: FeedSource, subscription: Subscription, { wanted, waitMs, gone }: FeedRequest) {
  const streams = new Set(Object.keys(subscription.status.starts_at));
  const end = performance.now() + waitMs;
  let news = new AbortController();
  const unlisten = source.listen((stream) => {
    if (streams.has(stream)) news.abort();
  });
  try {
    for (;;) {
      news = new AbortController(); // before it looks: what comes meanwhile is heard
      const state = await source.mint(subscription, wanted);
      const restMs = end - performance.now();
      if (state.head >= wanted || restMs <= 0 || gone.aborted) return state;
      if (state.more) continue;
      await sleep(restMs, undefined, { signal: AbortSignal.any([news.signal, gone]) }).catch(() => {});
      if (gone.aborted) return state;
    }
  } finally {
    unlisten();
  }
}

/** Notices of a span, as far as they fit into one page. */
export async function readSpan(outbox: Outbox, subscription: string, { from, to }: Span): Promise<Minted[]> {
  const found: Minted[] = [];
  let bytes = 0;
  if (to < from) return found;
  for await (const minted of outbox.walk(subscription, from, 'up')) {
    if (minted.notice.sequence > to) break;
    bytes += minted.notice.body.length;
    if (bytes > MOST_BYTES && found.length > 0) break;
    found.push(minted);
    if (minted.notice.sequence === to) break;
  }
  return found;
}

/** @throws feed.cursor_expired */
export function requireRetained(next: number, retainedFrom: number): void {
  if (next >= retainedFrom) return;
  throw new SlipwayError('feed.cursor_expired', `notices from ${retainedFrom} on are kept`, {
    members: { retained_from: String(retainedFrom) },
  });
}

export interface FeedPage {
  items: readonly Minted[];
  /** Of each item. */
  cursorOf: (sequence: number) => string;
  members: Readonly<Record<string, unknown>>;
}

/** The events are the pushed bytes, so the answer is put together as text. */
export function toFeedPage({ items, cursorOf, members }: FeedPage): string {
  const texts = items.map(({ notice }) => {
    const { sequence, id, body } = notice;
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
