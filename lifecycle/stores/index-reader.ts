import { LRUCache } from 'lru-cache';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { decodeRows, entriesOf, type IndexEntry, type IndexRow, placeOf } from './index-file.js';
import { type Traffic, trafficOf } from './traffic.js';

/** A request id to look for, and its hash. */
export interface WantedId {
  id: string;
  hash: Buffer;
}

/** Metadata of an index file: how many of its bytes are entries. */
const ENTRY_BYTES = 'slipway-entry-bytes';
export const indexMetadata = (entryBytes: number): Record<string, string> => ({ [ENTRY_BYTES]: String(entryBytes) });
export const entryBytesOf = ({ metadata }: Pick<ObjectInfo, 'metadata'>): number => Number(metadata[ENTRY_BYTES] ?? 0);

const WHOLE_BYTES = 64 * 1024; // a smaller file is read at once and remembered
const REMEMBERED_BYTES = 64 * 2 ** 20;

/** Reads files of the index; small files and sums are remembered. */
export function createIndexReader(objects: Pick<ObjectStore, 'read'>) {
  const files = new LRUCache<string, Buffer>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (bytes) => bytes.length + 1_000,
  });
  const totals = new LRUCache<string, Traffic>({ max: 10_000 });

  async function read(file: ObjectInfo, start: number, end: number): Promise<Buffer> {
    if (file.sizeBytes > WHOLE_BYTES) return objects.read(file.key, { start, end });
    const whole = files.get(nameOf(file)) ?? (await objects.read(file.key));
    files.set(nameOf(file), whole);
    return whole.subarray(start, end);
  }

  async function rowsOf(file: ObjectInfo): Promise<IndexRow[]> {
    return decodeRows(await read(file, entryBytesOf(file), file.sizeBytes));
  }

  return {
    rowsOf,

    /** Finds the entries of every hash, in as few bytes as that takes. */
    async lookUp(file: ObjectInfo, wanted: readonly WantedId[]): Promise<(IndexEntry & Pick<WantedId, 'id'>)[]> {
      const all = entryBytesOf(file);
      const places = wanted.map(({ id, hash }) => ({ id, hash, ...placeOf(hash, all) }));
      const few = places.reduce((sum, { start, end }) => sum + end - start, 0) < all;
      const found: (IndexEntry & Pick<WantedId, 'id'>)[] = [];
      let whole = few ? undefined : await read(file, 0, all);
      for (const { id, hash, start, end, covers } of places) {
        const part = whole ?? (await read(file, start, end));
        if (whole === undefined && !covers(part)) whole = await read(file, 0, all);
        found.push(...entriesOf(whole ?? part, hash).map((entry) => ({ ...entry, id })));
      }
      return found;
    },

    /** Sums the records of a file. */
    async trafficOf(file: ObjectInfo): Promise<Traffic> {
      const known = totals.get(nameOf(file));
      if (known !== undefined) return known;
      const traffic = trafficOf(await rowsOf(file));
      totals.set(nameOf(file), traffic);
      return traffic;
    },
  };
}

/** A name can be used again after its file was put together with others. */
const nameOf = ({ key, updatedAt }: ObjectInfo): string => `${key} ${updatedAt}`;
