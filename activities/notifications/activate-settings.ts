import type { OutboxBlock, SourcePosition, SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { findOutboxHead, insertAfter, toOutboxHead } from './outbox-head.js';

export interface ActivateSettingsDeps {
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  now?: () => Date;
}

/**
 * Activates the current settings of a subscription: events after a position use them in every process, earlier ones keep
 * the old settings. Does nothing when they are active.
 */
export function createActivateSettings({ outbox, progress, now = () => new Date() }: ActivateSettingsDeps) {
  /**
   * @param read positions that the streams were read to by the old settings
   * @returns the position of each stream after which the current settings apply
   */
  return async (subscription: Subscription, read: SourcePositions = {}): Promise<SourcePositions> => {
    const { id, generation, status } = subscription;
    let head = await findOutboxHead(outbox, subscription, await progress.get(id));
    while ((head.generation ?? generation) < generation) {
      const sources = Object.fromEntries(
        Object.entries(status.starts_at).map(([stream, begin]) => {
          return [stream, furthest(begin, head.sources[stream], read[stream])];
        }),
      );
      const content = { notices: [], sources, generation, at: now().toISOString() };
      head = toOutboxHead(await insertAfter(outbox, id, head, content));
    }
    return (await firstOf(outbox, subscription, head.block))?.sources ?? head.sources;
  };
}

/** Returns the last of several positions: entries before it were read, and are not read again. */
const furthest = (first: SourcePosition, ...others: (SourcePosition | undefined)[]): SourcePosition =>
  others.reduce((far: SourcePosition, each) => (each !== undefined && isAfter(each, far) ? each : far), first);

const isAfter = (one: SourcePosition, other: SourcePosition): boolean =>
  one.position > other.position || (one.position === other.position && one.index > other.index);

/** Finds the first block of a generation by binary search: generations never decrease along blocks. */
async function firstOf(
  outbox: Outbox,
  { id, generation }: Subscription,
  last: number,
): Promise<OutboxBlock | undefined> {
  let [low, high] = [(await outbox.retained(id)).block, last];
  let first: OutboxBlock | undefined;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const block = await outbox.read(id, middle);
    if ((block?.generation ?? 0) < generation) low = middle + 1;
    else [first, high] = [block, middle - 1];
  }
  return first;
}
