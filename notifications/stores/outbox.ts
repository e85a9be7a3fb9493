import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import type { OutboxBlock } from '../kinds/outbox-event.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { retryUnavailable } from '../../platform/stores/insert-once.js';
import { createWriteBatches } from '../../platform/stores/write-batches.js';
import {
  endPurge,
  type OutboxMark,
  type Retained,
  startPurge,
  WHOLE_OUTBOX,
  withKept,
  withoutKept,
} from './outbox-mark.js';
import { createOutboxSearch, entryAt, type OutboxEntry, type ReadBlock } from './outbox-search.js';

export type { OutboxEntry } from './outbox-search.js';

/** The events of each subscription in blocks: dense, never changed, found by point reads. */
export interface Outbox {
  read(subscription: string, block: number): Promise<OutboxBlock | undefined>;
  /**
   * @returns the stored block of this number: the given one, or that of another writer
   * @throws unavailable: it may or may not be stored
   */
  insert(subscription: string, block: OutboxBlock): Promise<OutboxBlock>;
  /** @returns the event with its block; undefined when it is not written yet, or purged */
  find(subscription: string, sequence: number): Promise<OutboxEntry | undefined>;
  /** Walks events from this one on, upward or downward, to the last one. */
  walk(subscription: string, sequence: number, direction: 'up' | 'down'): AsyncIterable<OutboxEntry>;
  /** @returns the oldest block that is kept */
  retained(subscription: string): Promise<Retained>;
  /**
   * Removes everything before this block; after it returns no reader finds it.
   * @param remove called with some blocks before their removal, also with those that an interrupted purge left
   * @returns the number of removed blocks
   */
  removeBefore(
    subscription: string,
    first: Retained,
    remove: (blocks: readonly OutboxBlock[]) => Promise<void>,
  ): Promise<number>;
  /** Keeps events whose blocks will be removed: afterwards only `find` finds them. */
  keep(subscription: string, notices: readonly OutboxEntry[]): Promise<void>;
  /** @returns the sequences that are kept */
  kept(subscription: string): Promise<readonly number[]>;
  removeKept(subscription: string, sequence: number): Promise<void>;
}

/** Blocks whose removal an interruption may leave unfinished. */
const REMOVED_AT_ONCE = 100;
const READ_AT_ONCE = 16;
const INSERTED_AT_ONCE = 100;
const MOST_BYTES = 4 * 2 ** 20;

type StoredBlock = Row & { block: OutboxBlock };
type StoredMark = Row & OutboxMark;

export function createOutbox({ database }: { database: Database }): Outbox {
  const table = database.table<StoredBlock>(collections.outbox);
  const marks = database.table<StoredMark>(collections.outboxMark);
  /** Marks only move forward: a cached one is a valid start, and is read again when a search from it finds nothing. */
  const known = new LRUCache<string, Retained>({ max: 10_000 });
  const read: ReadBlock = async (subscription, block) => (await table.get(rowId(subscription, block)))?.block;
  const search = createOutboxSearch(read);

  async function retained(subscription: string): Promise<Retained> {
    const mark = (await marks.get(subscription))?.retained ?? WHOLE_OUTBOX.retained;
    known.set(subscription, mark);
    return mark;
  }

  async function find(subscription: string, sequence: number): Promise<OutboxEntry | undefined> {
    const begin = known.get(subscription) ?? (await retained(subscription));
    const found = await search(subscription, sequence, begin);
    if (found !== undefined) return found;
    const newer = await retained(subscription);
    const again = newer.block === begin.block ? undefined : await search(subscription, sequence, newer);
    if (again !== undefined || sequence >= newer.sequence) return again;
    const alone = (await table.get(keptId(subscription, sequence)))?.block;
    return alone && entryAt(alone, sequence);
  }

  /**
   * Inserts a block. Those of several subscriptions that come at once share a round trip.
   * @returns false when a block exists, perhaps from an earlier try whose acknowledgement was lost
   */
  const insertOnce = createWriteBatches<StoredBlock, boolean>({
    most: INSERTED_AT_ONCE,
    mostBytes: MOST_BYTES,
    sizeOf: ({ block }) => block.notices.reduce((sum, { body }) => sum + body.length, 200),
    async flush(rows) {
      const taken = new Set(await retryUnavailable(() => table.insertAll(rows)));
      return rows.map(({ _id }) => !taken.has(_id));
    },
  });

  return {
    read,
    async insert(subscription, block) {
      if (await insertOnce({ _id: rowId(subscription, block.block), block })) return block;
      const stored = await read(subscription, block.block);
      if (stored === undefined)
        throw new SlipwayError('unavailable', `block ${block.block} of ${subscription} is gone`);
      return stored;
    },
    find,
    async *walk(subscription, sequence, direction) {
      const step = direction === 'up' ? 1 : -1;
      let block = (await find(subscription, sequence))?.block;
      for (let next = sequence; block !== undefined;) {
        for (let entry = entryAt(block, next); entry !== undefined; entry = entryAt(block, next)) {
          yield entry;
          next += step;
        }
        block = await read(subscription, block.block + step);
      }
    },
    retained,
    async removeBefore(subscription, first, remove) {
      const mark = startPurge(await marks.get(subscription), first);
      const [from, to] = [mark.removedBefore, mark.retained.block];
      if (to <= from) return 0;
      // The mark is written first, so that a search never meets a hole.
      await marks.put({ _id: subscription, ...mark });
      for (let next = from; next < to; next += REMOVED_AT_ONCE) {
        const numbers = Array.from({ length: Math.min(REMOVED_AT_ONCE, to - next) }, (_, index) => next + index);
        const blocks = await mapSome(numbers, READ_AT_ONCE, (number) => read(subscription, number));
        await remove(blocks.filter((block) => block !== undefined));
        await table.removeAll(numbers.map((number) => rowId(subscription, number)));
      }
      await marks.put({ _id: subscription, ...endPurge(mark) });
      return to - from;
    },
    async keep(subscription, notices) {
      const mark = (await marks.get(subscription)) ?? { _id: subscription, ...WHOLE_OUTBOX };
      // The list is written first, so that a crash in between leaves no row outside of it.
      const sequences = notices.map(({ event }) => event.sequence);
      await marks.put(withKept(mark, sequences));
      for (const { event: notice, block } of notices) {
        const alone = { ...block, from: notice.sequence, notices: [notice] };
        await table.insert({ _id: keptId(subscription, notice.sequence), block: alone });
      }
    },
    kept: async (subscription) => (await marks.get(subscription))?.kept ?? [],
    async removeKept(subscription, sequence) {
      const mark = await marks.get(subscription);
      if (mark === undefined) return;
      await table.remove(keptId(subscription, sequence));
      await marks.put(withoutKept(mark, sequence));
    },
  };
}

const keptId = (subscription: string, sequence: number): string => `${subscription}#kept/${sequence}`;
const rowId = (subscription: string, block: number): string => `${subscription}#${block}`;
