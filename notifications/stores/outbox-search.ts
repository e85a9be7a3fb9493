import { lastOf, type OutboxBlock, type OutboxEvent } from '../kinds/outbox-event.js';
import type { Retained } from './outbox-mark.js';

export interface OutboxEntry {
  event: OutboxEvent;
  block: OutboxBlock;
}

export type ReadBlock = (subscription: string, block: number) => Promise<OutboxBlock | undefined>;

/** Finds an event by bisection: nearly every block holds an event, so block number and sequence grow together. */
export const createOutboxSearch =
  (read: ReadBlock) =>
  async (subscription: string, sequence: number, from: Retained): Promise<OutboxEntry | undefined> => {
    let [low, high] = [from.block, from.block + sequence - from.sequence];
    for (let last = await read(subscription, high); last !== undefined && lastOf(last) < sequence;) {
      [low, high] = [high + 1, high + 1 + (high - from.block)];
      last = await read(subscription, high);
    }
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const block = await read(subscription, middle);
      if (block === undefined || block.from > sequence) high = middle - 1;
      else if (lastOf(block) < sequence) low = middle + 1;
      else return entryAt(block, sequence);
    }
    return undefined;
  };

export function entryAt(block: OutboxBlock, sequence: number): OutboxEntry | undefined {
  const event = block.notices[sequence - block.from];
  return event && { event, block };
}
