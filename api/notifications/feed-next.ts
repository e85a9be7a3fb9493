import {
  acknowledgedThrough,
  type FeedConsumer,
  addPending,
  nextSpan,
} from '../../notifications/kinds/feed-consumer.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import type { ConsumerRequest, ConsumerAccess } from './feed-consumer-access.js';
import { createFeedCursors } from './feed.js';
import {
  awaitFeed,
  type FeedSource,
  readLimit,
  readSpan,
  readWaitMs,
  requireRetained,
  toFeedPage,
  clientGone,
} from './feed-page.js';
import { readQuery, toCount } from '../http/parameters.js';
import type { ReferenceStep } from '../reference/state.js';

export interface FeedNextOptions {
  outbox: Outbox;
  feed: FeedSource;
  box: SecretBox;
  access: ConsumerAccess;
  now?: () => Date;
}

const LONGEST_VISIBILITY_SECONDS = 43_200;

/**
 * `GET /v2/feed/{id}/consumers/{name}/next`: the oldest events that no reader of this name has or acknowledged. For
 * `visibility` seconds no other reader gets them; with 0 the next request does, so that a restarted reader continues.
 */
export function createFeedNext({ outbox, feed, box, access, now = () => new Date() }: FeedNextOptions): ReferenceStep {
  const cursors = createFeedCursors(box);
  const spanOptions = (head: number, limit: number) => ({ head, limit, now: now().toISOString() });

  /** Hands out a span. The write decides between several readers; events that do not fit into a page are not handed out. */
  async function take(
    request: ConsumerRequest,
    { head, limit, until }: { head: number; limit: number; until: string | null },
  ) {
    for (;;) {
      const consumer = await access.ensure(request);
      const span = nextSpan(consumer.status, spanOptions(head, limit));
      if (span === undefined) return [];
      const items: OutboxEntry[] = await readSpan(outbox, request.subscription.id, span);
      const given = { from: span.from, to: items.at(-1)?.event.sequence ?? span.from - 1 };
      if (await access.take(request, consumer, addPending(consumer.status, given, until))) return items;
    }
  }

  /** Something that was handed out before is free again. */
  const isFree = ({ status }: FeedConsumer): boolean =>
    nextSpan(status, spanOptions(status.handedOut, 1)) !== undefined;

  return async (ctx) => {
    const query = readQuery(ctx, ['limit', 'wait', 'visibility']);
    const limit = readLimit(query.limit);
    const longest = { from: 0, to: LONGEST_VISIBILITY_SECONDS };
    const visibility = query.visibility === undefined ? 0 : toCount('visibility', query.visibility, longest);
    const request = await access.open(ctx);
    const consumer = await access.ensure(request);
    const waitMs = isFree(consumer) ? 0 : readWaitMs(query.wait);
    const { id } = request.subscription;
    const retained = await outbox.retained(id);
    requireRetained(acknowledgedThrough(consumer.status) + 1, retained.sequence);
    const target = consumer.status.handedOut + (waitMs > 0 ? 1 : limit);
    const { head } = await awaitFeed(feed, request.subscription, { target, waitMs, gone: clientGone(ctx) });
    const until = visibility === 0 ? null : new Date(now().getTime() + visibility * 1_000).toISOString();
    const items = await take(request, { head, limit, until });
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'application/json';
    ctx.body = toFeedPage({
      items,
      cursorOf: (sequence) => cursors.seal(id, sequence),
      members: {
        ...(items.length > 0 && { until }),
        head_sequence: String(head),
        retained_from: String(retained.sequence),
      },
    });
  };
}
