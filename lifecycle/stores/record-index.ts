import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { addFindings, createFindings, type Findings, hasCall, sortFindings } from './findings.js';
import { hashId, type IndexRow } from './index-file.js';
import { createIndexReader, type WantedId } from './index-reader.js';
import { counterOf, HOUR_MS, hourPath, recordRoot } from './record-path.js';
import { sumTraffic, type Traffic } from './traffic.js';

/** One uploaded part of a spool, with its place in the order of uploads. */
export interface UploadedPart {
  /** `YYYYMMDDHH`, in UTC. */
  hour: string;
  /** Counts from 0 within the hour, without gaps. */
  n: number;
  uploadedAt: string;
  rows: () => Promise<IndexRow[]>;
}

/**
 * Where the records of a request id are, written by the uploaders: `record_index/year=.../<YYYYMMDDHH>_<n>.idx`, one
 * file per upload. Those of past days are put together (`record-index-upkeep.ts`). All throw `unavailable` when the
 * store does not answer.
 */
export interface RecordIndex {
  /** Calls and feedback per request id, oldest first; a few reads per day that the index keeps. */
  find(requestIds: readonly string[], options?: FindOptions): Promise<Findings>;
  /** Uploads of the hour of `since` and later, in the order of keys. They are there for `UPLOADS_KEPT_MS` at least. */
  parts(since: number): AsyncIterable<UploadedPart>;
  traffic(): Promise<Traffic>;
}

export interface FindOptions {
  /** Only what was uploaded in this hour or later; milliseconds since 1970. */
  since?: number;
  /** Goes back day by day, and no further than the last call of an id. */
  lastCall?: boolean;
}

export interface RecordIndexOptions {
  objects: ObjectStore;
  /** Key prefix of inference records. */
  prefix?: string;
}

const FOLDER = 'record_index';
export const indexFolder = (prefix: string): string => `${recordRoot(prefix)}${FOLDER}/`;
/** The path of an upload's index file without its counter; `isIndexPath` recognizes it. */
export const indexPath = (at: number): string => `${FOLDER}/${hourPath(at)}`;
export const isIndexPath = (path: string): boolean => path.startsWith(`${FOLDER}/`);

/** For so long after its day an upload has a file of its own. */
export const UPLOADS_KEPT_MS = 8 * HOUR_MS;
const AT_ONCE = 16;

export function createRecordIndex({ objects, prefix = '' }: RecordIndexOptions): RecordIndex {
  const folder = indexFolder(prefix);
  const reader = createIndexReader(objects);
  const listFrom = (since?: number) => ({
    details: true,
    ...(since !== undefined && { from: `${folder}${hourPath(since)}` }),
  });

  async function find(ids: readonly string[], { since, lastCall = false }: FindOptions): Promise<Findings> {
    const found = createFindings(ids);
    let wanted: WantedId[] = [...found.keys()].map((id) => ({ id, hash: hashId(id) }));
    for (const files of await filesByDay(since)) {
      await inParallel(files, async (file) => {
        const entries = await reader.lookUp(file, wanted);
        if (entries.length > 0) addFindings(found, entries, await reader.rowsOf(file));
      });
      if (lastCall) wanted = wanted.filter(({ id }) => !hasCall(found.get(id)));
      if (wanted.length === 0) break;
    }
    return sortFindings(found);
  }

  /** The newest day first. */
  async function filesByDay(since?: number): Promise<ObjectInfo[][]> {
    const days = new Map<string, ObjectInfo[]>();
    for await (const file of objects.list(folder, listFrom(since))) {
      const day = file.key.slice(0, file.key.lastIndexOf('/'));
      const files = days.get(day) ?? [];
      days.set(day, files);
      files.push(file);
    }
    return [...days.values()].reverse();
  }

  return {
    find: (requestIds, options = {}) => unlessGone(() => find(requestIds, options)),

    async *parts(since) {
      for await (const file of objects.list(folder, listFrom(since))) {
        const hour = /\/(\d{10})_\d+\.idx$/.exec(file.key)?.[1];
        if (hour === undefined) continue;
        yield { hour, n: counterOf(file.key), uploadedAt: file.updatedAt, rows: () => reader.rowsOf(file) };
      }
    },

    traffic: () =>
      unlessGone(async () => {
        const parts: Traffic[] = [];
        await inParallel((await filesByDay()).flat(), async (file) => void parts.push(await reader.trafficOf(file)));
        return sumTraffic(parts);
      }),
  };
}

/** A file that goes while it is looked for was put together with others: a second look finds those. */
async function unlessGone<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (err) {
    if (!(err instanceof SlipwayError) || err.code !== 'not_found') throw err;
    return look();
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const drain = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drain));
}
