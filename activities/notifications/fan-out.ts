import { randomUUID } from 'node:crypto';
import type { EventMatcher } from '../../notifications/events/event-matcher.js';
import type { SchemaCheck } from '../../notifications/events/schema-check.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import {
  lastOf,
  type OutboxBlock,
  type SourcePosition,
  type SourcePositions,
} from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import { createOutboxEvent } from '../../notifications/delivery/cloud-event.js';
import {
  declaredBy,
  type EventStream,
  findGap,
  positionAfter,
  recallDeclaration,
  releasedAt,
} from './source-position.js';

/** How far the outbox of a subscription has come. */
export interface OutboxHead {
  block: number;
  sequence: number;
  sources: SourcePositions;
  /** Of the subscription, in force there; absent where it was not noted. */
  generation?: number;
}

export interface FanOut {
  readonly minted: OutboxHead;
  /**
   * Adds the next block, or takes the one that another minter added meanwhile.
   * @returns `undefined` when nothing matched in what was read, or newer settings are in force than this minter has; `more`: the streams have not been read to their ends
   */
  mint(): Promise<{ block: OutboxBlock | undefined; more: boolean }>;
}

export interface FanOutOptions {
  subscription: string;
  /** Of the subscription that `matching` was made of. */
  generation: number;
  matching: EventMatcher;
  outbox: Outbox;
  streamOf: (name: string) => EventStream;
  minted: OutboxHead;
  settledThrough: () => number;
  baseUrl: string;
  /** Told of all data that become a notice. */
  check?: SchemaCheck;
  now?: () => Date;
}

const MOST_NOTICES = 200;
const MOST_BYTES = 2 ** 20;
/** Entries that are read in one go though nothing matches. */
const MOST_ENTRIES = 500;

/**
 * Turns events into notices. Whoever mints goes by the blocks that stand in the outbox, so several minters at once agree
 * on one content for each sequence, and each event becomes one notice.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { subscription, generation, matching, outbox, streamOf, settledThrough, baseUrl } = options;
  const { check = () => {}, now = () => new Date() } = options;
  let { minted } = options;

  /** Another minter may have passed the declaration. @returns false while it cannot be read: nothing may be told by another */
  async function isDeclared(stream: string, { declaredAt }: SourcePosition): Promise<boolean> {
    if (declaredAt === undefined || matching.specOf(stream).position === declaredAt) return true;
    const recalled = await recallDeclaration(streamOf(stream), declaredAt);
    if (recalled?.declared !== undefined) matching.declared(stream, recalled.declared);
    return recalled !== undefined;
  }

  /** The entry that became several blocks: an import may release a million changes with one. */
  let unfinished: { entry: StreamEntry; events: SourceEvent[] } | undefined;

  async function eventsOf(stream: string, source: SourcePosition, entry: StreamEntry): Promise<SourceEvent[]> {
    if (unfinished?.entry.token === entry.token) return unfinished.events;
    const events = await readEvents(stream, source, entry);
    unfinished = events.length > MOST_NOTICES ? { entry, events } : undefined;
    return events;
  }

  async function readEvents(stream: string, source: SourcePosition, entry: StreamEntry): Promise<SourceEvent[]> {
    if (entry.kind === 'schema') matching.declared(stream, declaredBy(entry));
    if (source.heldFrom !== undefined && entry.kind === 'changes') return [];
    const released = entry.kind === 'release' ? await releasedAt(streamOf(stream), source, entry.position) : [];
    return eventsOfStream(stream, matching.specOf(stream), entry, released);
  }

  /** What matches in the next entries of every stream. */
  async function collect() {
    const events: SourceEvent[] = [];
    const sources: Record<string, SourcePosition> = { ...minted.sources };
    let [entries, bytes] = [0, 0];
    const isFull = () => events.length >= MOST_NOTICES || bytes >= MOST_BYTES || entries >= MOST_ENTRIES;
    const take = (event: SourceEvent): void => {
      events.push(event);
      const data = event.data(matching.payload);
      check(event, data, matching.specOf(event.stream));
      bytes += data.length;
    };
    for (const [stream, begun] of Object.entries(minted.sources)) {
      for (let source = begun; !isFull();) {
        const entry = await streamOf(stream).read(source.position + 1);
        if (entry === undefined) {
          const gap = await findGap(stream, source, streamOf(stream), now().toISOString());
          if (gap === undefined) break;
          ({ source } = gap);
          if (gap.declared !== undefined) matching.declared(stream, gap.declared);
          take(gap.event);
          sources[stream] = source;
          continue;
        }
        if (!(await isDeclared(stream, source))) break;
        entries += 1;
        const found = await eventsOf(stream, source, entry);
        let index = source.index;
        for (; index < found.length && !isFull(); index += 1) {
          const event = found[index];
          if (event === undefined || !matching.matches(event)) continue;
          take(event);
        }
        source = index < found.length ? { ...source, index } : positionAfter(source, entry);
        sources[stream] = source;
      }
    }
    return { events, sources, more: isFull() };
  }

  return {
    get minted() {
      return minted;
    },
    async mint() {
      const { generation: inForce = generation } = minted;
      if (inForce > generation) return { block: undefined, more: false };
      if (inForce < generation) return { block: await insert([], minted.sources), more: true };
      const { events, sources, more } = await collect();
      if (events.length === 0) {
        minted = { ...minted, sources };
        return { block: undefined, more };
      }
      return { block: await insert(events, sources), more: true };
    },
  };

  async function insert(events: readonly SourceEvent[], sources: SourcePositions): Promise<OutboxBlock> {
    const from = minted.sequence + 1;
    const shared = { subscription, payload: matching.payload, settledThrough: settledThrough(), baseUrl };
    const notices = events.map((event, index) => createOutboxEvent(event, { ...shared, sequence: from + index }));
    const block = await insertAfter(outbox, subscription, minted, {
      notices,
      sources,
      generation,
      at: now().toISOString(),
    });
    minted = toOutboxHead(block);
    return block;
  }
}

type Content = Pick<OutboxBlock, 'notices' | 'sources' | 'at'> & { generation: number };

/** @returns the block that stands there: this one, or another minter's */
export const insertAfter = (outbox: Outbox, subscription: string, { block, sequence }: OutboxHead, content: Content) =>
  outbox.insert(subscription, { ...content, block: block + 1, from: sequence + 1, token: randomUUID() });

export const toOutboxHead = (block: OutboxBlock): OutboxHead => ({
  block: block.block,
  sequence: lastOf(block),
  sources: block.sources,
  ...(block.generation !== undefined && { generation: block.generation }),
});

/**
 * Goes on from what is known to what stands in the outbox, which others may have added to. Streams that the subscription
 * reads only since its last change begin where that says.
 */
export async function findOutboxHead(
  outbox: Outbox,
  subscription: Subscription,
  known?: OutboxHead,
): Promise<OutboxHead> {
  const { id, status } = subscription;
  let minted = known ?? (await beginningOf(outbox, id));
  for (;;) {
    const block = await outbox.read(id, minted.block + 1);
    if (block === undefined) return { ...minted, sources: { ...status.starts_at, ...minted.sources } };
    minted = toOutboxHead(block);
  }
}

async function beginningOf(outbox: Outbox, id: string): Promise<OutboxHead> {
  const { block, sequence } = await outbox.retained(id);
  // Before the first notice the settings are those that it was created with.
  return { block: block - 1, sequence: sequence - 1, sources: {}, ...(block === 1 && { generation: 1 }) };
}
