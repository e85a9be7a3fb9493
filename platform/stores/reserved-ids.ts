import { SlipwayError } from '../kinds/errors.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/** Which id a call that creates an entity was given: a repeat of the call gets the same, so it cannot create two. */
export interface ReservedIds {
  /**
   * @returns the id for this call, `isRepeat` when an earlier try got it
   * @throws idempotency.mismatch when the call came with another body
   */
  reserve(
    dataset: string,
    call: { key: string; digest: string },
    id: bigint,
  ): Promise<{ id: bigint; isRepeat: boolean }>;
  /** Removes ids that are out of date; for a schedule. @returns how many */
  purge(): Promise<number>;
}

type Reserved = Row & { id: string; digest: string; at: string };

const KEPT_MS = 24 * 3_600_000;

export function createReservedIds({
  database,
  now = database.now,
}: {
  database: Database;
  now?: () => Date;
}): ReservedIds {
  const table = database.table<Reserved>(collections.reservedId);
  return {
    async reserve(dataset, { key, digest }, id) {
      const row = { _id: `${dataset}/${key}`, id: String(id), digest, at: now().toISOString() };
      if (await table.insert(row)) return { id, isRepeat: false };
      const known = await table.get(row._id);
      if (known === undefined) throw new SlipwayError('unavailable', `reservation ${row._id} cannot be read`);
      if (known.digest !== digest) {
        throw new SlipwayError('idempotency.mismatch', 'this Idempotency-Key was used with another body');
      }
      return { id: BigInt(known.id), isRepeat: true };
    },
    async purge() {
      const before = new Date(now().getTime() - KEPT_MS).toISOString();
      const old: string[] = [];
      for await (const { _id, at } of table.members(['at'])) if (at < before) old.push(_id);
      await table.removeAll(old);
      return old.length;
    },
  };
}
