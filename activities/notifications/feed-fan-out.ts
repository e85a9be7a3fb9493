import { LRUCache } from 'lru-cache';
import type { SourcePositions } from '../../notifications/kinds/outbox-event.js';
import { MOST_UNSETTLED, type Subscription } from '../../notifications/kinds/subscription.js';
import type {
  SubscriptionProgress,
  SubscriptionProgressStore,
} from '../../notifications/stores/subscription-progress.js';
import { createEventMatcher, type EventMatcher } from '../../notifications/events/event-matcher.js';
import { createFanOut, findOutboxHead, type OutboxHead, type FanOutOptions } from './fan-out.js';

export interface FeedFanOutOptions extends Pick<FanOutOptions, 'outbox' | 'streamOf' | 'baseUrl' | 'check' | 'now'> {
  progress: SubscriptionProgressStore;
  /** Notices of what is pushed that may wait: more are not made. */
  mostUnsettled?: number;
}

/** How far a feed has come. */
export interface FeedState {
  /** Newest number. */
  head: number;
  /** Everything up to it is settled by pushing; 0 when nothing is pushed. */
  settledThrough: number;
  /** There may be more to tell now. */
  more: boolean;
  /** How far each stream was read. */
  sources: SourcePositions;
}

interface Known {
  generation: number;
  matching: EventMatcher;
  minted: OutboxHead;
}

/** A caller waits for its answer: what is left over is made by whoever asks next. */
const MOST_ROUNDS = 20;

/**
 * Makes the notices of subscriptions whose feed is read, beside those who deliver them: everybody goes by the blocks that
 * stand in the outbox. So a feed is complete while workers are away.
 */
export function createFeedFanOut(given: FeedFanOutOptions) {
  const { progress, outbox, mostUnsettled = MOST_UNSETTLED, ...options } = given;
  const known = new LRUCache<string, Known>({ max: 1_000 });
  const running = new Map<string, Promise<FeedState>>();

  async function open(subscription: Subscription): Promise<Known> {
    const before = known.get(subscription.id);
    if (before !== undefined && before.generation >= subscription.generation) {
      return { ...before, minted: await findOutboxHead(outbox, subscription, before.minted) };
    }
    const minted = await findOutboxHead(outbox, subscription, before?.minted ?? (await progress.get(subscription.id)));
    return { generation: subscription.generation, matching: createEventMatcher(subscription), minted };
  }

  async function mint(subscription: Subscription, wanted: number): Promise<FeedState> {
    const { id, spec } = subscription;
    const [at, settled] = await Promise.all([open(subscription), progress.get(id)]);
    const settledThrough = spec.mode === 'pull' || settled === undefined ? 0 : settledThroughOf(settled);
    const { generation, matching, minted } = at;
    const settings = {
      ...options,
      outbox,
      subscription: id,
      generation,
      matching,
      settledThrough: () => settledThrough,
    };
    const minter = createFanOut({ ...settings, minted });
    const isFull = (): boolean => spec.mode === 'push' && unsettled(minter.minted, settled) >= mostUnsettled;
    let more = true;
    for (let round = 0; more && minter.minted.sequence < wanted && !isFull() && round < MOST_ROUNDS; round += 1) {
      ({ more } = await minter.mint());
    }
    known.set(id, { ...at, minted: minter.minted });
    return { head: minter.minted.sequence, settledThrough, more, sources: minter.minted.sources };
  }

  /** @param wanted the number that is enough. Readers of one feed share the work of one. */
  return function mintFeed(subscription: Subscription, wanted: number): Promise<FeedState> {
    const { id } = subscription;
    const before = running.get(id)?.catch(() => undefined) ?? Promise.resolve();
    const mine = before.then(() => mint(subscription, wanted));
    running.set(id, mine);
    const forget = (): void => {
      if (running.get(id) === mine) running.delete(id);
    };
    mine.then(forget, forget);
    return mine;
  };
}

const unsettled = ({ sequence }: OutboxHead, known: SubscriptionProgress | undefined): number =>
  sequence - (known?.loadedThrough ?? 0) + (known?.open.length ?? 0);

const settledThroughOf = ({ open, loadedThrough }: { open: readonly { sequence: number }[]; loadedThrough: number }) =>
  (open[0]?.sequence ?? loadedThrough + 1) - 1;
