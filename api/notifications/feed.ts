import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
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
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

export interface FeedOptions {
  outbox: Outbox;
  feed: FeedSource;
  /** Seals cursors. */
  box: SecretBox;
  load: (ctx: ReferenceContext) => Promise<Subscription>;
}

const Cursor = z.tuple([z.string(), z.int().nonnegative()]);

/** Cursors of a feed, sealed: a client can neither read nor make one. They do not expire by themselves. */
export function createFeedCursors(box: SecretBox) {
  const place = secretPlaces.token('feed');
  return {
    seal: (subscription: string, sequence: number): string => box.seal(JSON.stringify([subscription, sequence]), place),
    /** @throws feed.cursor_malformed */
    open(subscription: string, text: string): number {
      try {
        const [of, sequence] = Cursor.parse(JSON.parse(box.open(text, place)));
        if (of === subscription) return sequence;
      } catch (cause) {
        throw new SlipwayError(
          'feed.cursor_malformed',
          'after is no valid cursor: use next_cursor of the previous page',
          { cause },
        );
      }
      throw new SlipwayError(
        'feed.cursor_malformed',
        'after is a cursor of another feed: use next_cursor of this feed',
      );
    },
  };
}

/** `GET /v2/feed/{id}?after=&limit=&wait=`: the events of a subscription as they are pushed, for readers that keep their cursor. */
export function createFeedRead({ outbox, feed, box, load }: FeedOptions): ReferenceStep {
  const cursors = createFeedCursors(box);
  return async (ctx) => {
    const query = readQuery(ctx, ['after', 'limit', 'wait']);
    const [limit, waitMs] = [readLimit(query.limit), readWaitMs(query.wait)];
    const subscription = await load(ctx);
    const { id } = subscription;
    const after = query.after === undefined ? undefined : cursors.open(id, query.after);
    const retained = await outbox.retained(id);
    const from = after === undefined ? retained.sequence : after + 1;
    requireRetained(from, retained.sequence);
    const target = waitMs > 0 ? from : from + limit - 1;
    const { head, settledThrough } = await awaitFeed(feed, subscription, { target, waitMs, gone: clientGone(ctx) });
    const items = await readSpan(outbox, id, { from, to: Math.min(head, from + limit - 1) });
    const last = items.at(-1)?.event.sequence ?? from - 1;
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'application/json';
    ctx.body = toFeedPage({
      items,
      cursorOf: (sequence) => cursors.seal(id, sequence),
      members: {
        next_cursor: cursors.seal(id, last),
        head_sequence: String(head),
        settled_through: String(settledThrough),
        retained_from: String(retained.sequence),
      },
    });
  };
}
