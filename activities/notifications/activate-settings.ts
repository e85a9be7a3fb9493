import type { OutboxBlock, SourcePosition, SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgressStore } from '../../notifications/stores/subscription-progress.js';
import { findOutboxHead, insertAfter, toOutboxHead } from './fan-out.js';

export interface ActivateSettingsDeps {
  outbox: Outbox;
  progress: SubscriptionProgressStore;
  now?: () => Date;
}

/**
 * Makes the present settings of a subscription count, unless they do already: what is minted from then on goes by them,
 * whoever mints, and nothing that was minted before does.
 */
export function createActivateSettings({ outbox, progress, now = () => new Date() }: ActivateSettingsDeps) {
  /**
   * @param read how far the settings before were held against each stream
   * @returns how far each stream is read by the settings before: what comes behind goes by the present ones
   */
  return async (subscription: Subscription, read: SourcePositions = {}): Promise<SourcePositions> => {
    const { id, generation, status } = subscription;
    let minted = await findOutboxHead(outbox, subscription, await progress.get(id));
    while ((minted.generation ?? generation) < generation) {
      const sources = Object.fromEntries(
        Object.entries(status.starts_at).map(([stream, begin]) => {
          return [stream, furthest(begin, minted.sources[stream], read[stream])];
        }),
      );
      const content = { notices: [], sources, generation, at: now().toISOString() };
      minted = toOutboxHead(await insertAfter(outbox, id, minted, content));
    }
    return (await firstOf(outbox, subscription, minted.block))?.sources ?? minted.sources;
  };
}

/** Nothing that was read once is read again: whoever read on found nothing to tell. */
const furthest = (first: SourcePosition, ...others: (SourcePosition | undefined)[]): SourcePosition =>
  others.reduce((far: SourcePosition, each) => (each !== undefined && isBehind(each, far) ? each : far), first);

const isBehind = (one: SourcePosition, other: SourcePosition): boolean =>
  one.position > other.position || (one.position === other.position && one.index > other.index);

/** The block that a generation begins with. Generations never decrease along blocks. */
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
