import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import type { OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import { createOutboxEvent } from '../../notifications/delivery/cloud-event.js';
import type { EventFault } from './event-batch.js';
import { type CollectedEvents, createEventCollector } from './event-collector.js';
import { insertAfter, type OutboxHead, toOutboxHead } from './outbox-head.js';
import type { EventStream } from './source-position.js';

export interface FanOut {
  readonly head: OutboxHead;
  /**
   * Writes the next block, or takes the one that another process wrote meanwhile.
   * @returns `block: undefined` when nothing matched in the entries that were read, or when newer settings than those of
   * this fan-out are in force; `more`: the streams were not read to their ends
   */
  writeBlock(): Promise<{ block: OutboxBlock | undefined; more: boolean }>;
}

export interface FanOutOptions {
  subscription: string;
  /** Generation of the subscription that `matcher` was made of. */
  generation: number;
  matcher: EventMatcher;
  outbox: Outbox;
  streamOf: (name: string) => EventStream;
  head: OutboxHead;
  settledThrough: () => number;
  baseUrl: string;
  /** Called with the data of each new event. */
  check?: SchemaCheck;
  /** Called with each event that fails by a bug. */
  onFault?: (fault: EventFault) => void;
  now?: () => Date;
}

/**
 * Writes new events to the outbox of a subscription. Every process continues from the blocks in the outbox, so several at
 * once agree on one content for each sequence, and each event is written once.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { subscription, generation, matcher, outbox, streamOf, settledThrough, baseUrl } = options;
  const { check, onFault, now = () => new Date() } = options;
  const collect = createEventCollector({
    matcher,
    streamOf,
    ...(check && { check }),
    ...(onFault && { onFault }),
    now,
  });
  let { head } = options;

  async function insert({ events, sources }: Omit<CollectedEvents, 'more'>): Promise<OutboxBlock> {
    const from = head.sequence + 1;
    const shared = { subscription, payload: matcher.payload, settledThrough: settledThrough(), baseUrl };
    const notices = events.map((event, index) => createOutboxEvent(event, { ...shared, sequence: from + index }));
    const content = { notices, sources, generation, at: now().toISOString() };
    const block = await insertAfter(outbox, subscription, head, content);
    head = toOutboxHead(block);
    return block;
  }

  return {
    get head() {
      return head;
    },
    async writeBlock() {
      const { generation: inForce = generation, sources } = head;
      if (inForce > generation) return { block: undefined, more: false };
      // An empty block activates the new settings.
      if (inForce < generation) return { block: await insert({ events: [], sources }), more: true };
      const collected = await collect(sources);
      if (collected.events.length === 0) {
        head = { ...head, sources: collected.sources };
        return { block: undefined, more: collected.more };
      }
      return { block: await insert(collected), more: true };
    },
  };
}
