import { randomUUID } from 'node:crypto';
import { lastOf, type OutboxBlock, type SourcePositions } from '../../notifications/kinds/outbox-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';

/** The end of an outbox: its newest block, and how far the streams were read for it. */
export interface OutboxHead {
  block: number;
  sequence: number;
  sources: SourcePositions;
  /** Generation of the subscription in force there; absent where it was not stored. */
  generation?: number;
}

type Content = Pick<OutboxBlock, 'notices' | 'sources' | 'at'> & { generation: number };

/** @returns the block after the head: this one, or the one that another process inserted first */
export const insertAfter = (outbox: Outbox, subscription: string, { block, sequence }: OutboxHead, content: Content) =>
  outbox.insert(subscription, { ...content, block: block + 1, from: sequence + 1, token: randomUUID() });

export const toOutboxHead = (block: OutboxBlock): OutboxHead => ({
  block: block.block,
  sequence: lastOf(block),
  sources: block.sources,
  ...(block.generation !== undefined && { generation: block.generation }),
});

/**
 * Reads from a known head to the end of the outbox, which other processes may have extended. Streams that the subscription
 * reads only since its last change start where its status says.
 */
export async function findOutboxHead(
  outbox: Outbox,
  subscription: Subscription,
  known?: OutboxHead,
): Promise<OutboxHead> {
  const { id, status } = subscription;
  let head = known ?? (await firstHeadOf(outbox, id));
  for (;;) {
    const block = await outbox.read(id, head.block + 1);
    if (block === undefined) return { ...head, sources: { ...status.starts_at, ...head.sources } };
    head = toOutboxHead(block);
  }
}

async function firstHeadOf(outbox: Outbox, id: string): Promise<OutboxHead> {
  const { block, sequence } = await outbox.retained(id);
  // Before the first block the settings of generation 1 are in force.
  return { block: block - 1, sequence: sequence - 1, sources: {}, ...(block === 1 && { generation: 1 }) };
}
