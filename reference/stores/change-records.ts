import type { Change } from '../dataset/change.js';
import { changeId } from '../dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { retryUnavailable } from '../../platform/stores/insert-once.js';
import { createWriteBatches } from '../../platform/stores/write-batches.js';

export interface ChangeRecords {
  get(id: string, version: number): Promise<Change | undefined>;
  /**
   * Inserting the record of a version decides who writes it.
   * @returns the record stored there: the given one, or another writer's
   * @throws unavailable: it may or may not be stored
   */
  insert(change: Change): Promise<Change>;
}

const MOST = 1_000;
const MOST_BYTES = 4 * 2 ** 20;

type Stored = Row & { dataset: string; change: Change };

export function createChangeRecords({ database, dataset }: { database: Database; dataset: string }): ChangeRecords {
  const table = database.table<Stored>(collections.changes);
  const get = async (id: string, version: number) => (await table.get(changeId(dataset, id, version)))?.change;

  /** Inserts rows. @returns the ids that were taken, perhaps by an earlier attempt of this writer */
  async function insertAll(rows: readonly Stored[]): Promise<Set<string>> {
    return new Set(await retryUnavailable(() => table.insertAll(rows)));
  }

  const insert = createWriteBatches<Change, Change>({
    most: MOST,
    mostBytes: MOST_BYTES,
    sizeOf: ({ body, previous }) => (body?.length ?? 0) + (previous?.length ?? 0),
    async flush(changes) {
      const rows = changes.map((change) => ({ _id: changeId(dataset, change.id, change.version), dataset, change }));
      const taken = await insertAll(rows);
      return Promise.all(
        rows.map(async ({ _id, change }) => {
          if (!taken.has(_id)) return change;
          const there = await get(change.id, change.version);
          if (there === undefined) throw new SlipwayError('unavailable', `change record ${_id} cannot be read`);
          return there;
        }),
      );
    },
  });

  return { get, insert };
}
