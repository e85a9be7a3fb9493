import { LRUCache } from 'lru-cache';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import { MOST_UNSETTLED, type Subscription } from '../../notifications/kinds/subscription.js';
import type {
  SubscriptionProgress,
  SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import { createEventMatcher, type EventMatcher } from '../../notifications/events/event-matcher.js';
import { createFanOut, type FanOutOptions } from './fan-out.js';
import { findOutboxHead, type OutboxHead } from './outbox-head.js';

export interface FeedFanOutOptions extends Pick<
  FanOutOptions,
  'outbox' | 'streamOf' | 'baseUrl' | 'check' | 'onFault' | 'now'
> {
  progress: SubscriptionProgressStore;
  /** Limit of deliveries that are not settled, in mode "push": the fan-out pauses there. */
  mostUnsettled?: number;
}

/** The end of a feed. */
export interface FeedState {
  /** The newest sequence. */
  head: number;
  /** The last sequence up to which every delivery is settled; 0 in mode "pull". */
  settledThrough: number;
  /** The streams were not read to their ends. */
  more: boolean;
  /** Positions that the streams were read to. */
  sources: SourcePositions;
}

interface FeedReader {
  generation: number;
  matcher: EventMatcher;
  head: OutboxHead;
}

/** Blocks that are written for one request, since its caller waits; the next request writes the rest. */
const MOST_BLOCKS = 20;

/**
 * Fans out the events of subscriptions whose feed is read, beside the workers: every process continues from the blocks in
 * the outbox. So a feed is complete while no worker runs.
 */
export function createFeedFanOut(given: FeedFanOutOptions) {
  const { progress, outbox, mostUnsettled = MOST_UNSETTLED, ...options } = given;
  const known = new LRUCache<string, FeedReader>({ max: 1_000 });
  const running = new Map<string, Promise<FeedState>>();

  async function open(subscription: Subscription): Promise<FeedReader> {
    const before = known.get(subscription.id);
    if (before !== undefined && before.generation >= subscription.generation) {
      return { ...before, head: await findOutboxHead(outbox, subscription, before.head) };
    }
    const head = await findOutboxHead(outbox, subscription, before?.head ?? (await progress.get(subscription.id)));
    return { generation: subscription.generation, matcher: createEventMatcher(subscription), head };
  }

  async function fanOutTo(subscription: Subscription, wanted: number): Promise<FeedState> {
    const { id, spec } = subscription;
    const [reader, saved] = await Promise.all([open(subscription), progress.get(id)]);
    const settledThrough = spec.mode === 'pull' || saved === undefined ? 0 : settledThroughOf(saved);
    const settings = { ...options, outbox, subscription: id, settledThrough: () => settledThrough };
    const fanOut = createFanOut({ ...settings, ...reader });
    const isFull = (): boolean => spec.mode === 'push' && unsettled(fanOut.head, saved) >= mostUnsettled;
    let more = true;
    for (let round = 0; more && fanOut.head.sequence < wanted && !isFull() && round < MOST_BLOCKS; round += 1) {
      ({ more } = await fanOut.writeBlock());
    }
    const { head } = fanOut;
    known.set(id, { ...reader, head });
    return { head: head.sequence, settledThrough, more, sources: head.sources };
  }

  /**
   * Fans out one feed. Concurrent requests for a feed wait for each other and find its events written.
   * @param wanted a sequence that is enough
   */
  return function fanOutFeed(subscription: Subscription, wanted: number): Promise<FeedState> {
    const { id } = subscription;
    const before = running.get(id)?.catch(() => undefined) ?? Promise.resolve();
    const current = before.then(() => fanOutTo(subscription, wanted));
    running.set(id, current);
    const forget = (): void => {
      if (running.get(id) === current) running.delete(id);
    };
    current.then(forget, forget);
    return current;
  };
}

const unsettled = ({ sequence }: OutboxHead, known: SubscriptionProgress | undefined): number =>
  sequence - (known?.loadedThrough ?? 0) + (known?.open.length ?? 0);

const settledThroughOf = ({ open, loadedThrough }: { open: readonly { sequence: number }[]; loadedThrough: number }) =>
  (open[0]?.sequence ?? loadedThrough + 1) - 1;
