import { SlipwayError } from '../resources/errors.js';
import { lastOf, type Notice, type OutboxBlock } from '../resources/notice.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/** What each subscription is to be told, in blocks: dense, never changed, found by point reads. */
export interface Outbox {
  read(subscription: string, block: number): Promise<OutboxBlock | undefined>;
  /**
   * @returns the block that stands under this number: the given one, or another minter's
   * @throws unavailable: it may or may not stand there
   */
  insert(subscription: string, block: OutboxBlock): Promise<OutboxBlock>;
  /** @returns the notice with its block; undefined when it is not minted, or purged */
  find(subscription: string, sequence: number): Promise<{ notice: Notice; block: OutboxBlock } | undefined>;
}

type Stored = Row & { block: OutboxBlock };
const ATTEMPTS = 3;

export function createOutbox({ database }: { database: Database }): Outbox {
  const table = database.table<Stored>(collections.outbox);
  const read = async (subscription: string, block: number) => (await table.get(rowId(subscription, block)))?.block;

  /** @returns false when another one stands there, or an earlier try of ours whose acknowledgement was lost */
  async function insertOnce(subscription: string, block: OutboxBlock): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await table.insert({ _id: rowId(subscription, block.block), block });
      } catch (err) {
        const lost = err instanceof SlipwayError && err.code === 'unavailable';
        if (!lost || attempt === ATTEMPTS) throw err;
      }
    }
  }

  return {
    read,
    async insert(subscription, block) {
      if (await insertOnce(subscription, block)) return block;
      const there = await read(subscription, block.block);
      if (there === undefined) throw new SlipwayError('unavailable', `block ${block.block} of ${subscription} is gone`);
      return there;
    },
    async find(subscription, sequence) {
      // A block holds at least one notice, so it is at or before the block of this number; halving finds it from there.
      let [low, high] = [1, sequence];
      while (low <= high) {
        const middle = Math.floor((low + high) / 2);
        const block = await read(subscription, middle);
        if (block === undefined || block.from > sequence) high = middle - 1;
        else if (lastOf(block) < sequence) low = middle + 1;
        else {
          const notice = block.notices[sequence - block.from];
          return notice && { notice, block };
        }
      }
      return undefined;
    },
  };
}

const rowId = (subscription: string, block: number): string => `${subscription}#${block}`;
