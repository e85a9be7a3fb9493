import { LRUCache } from 'lru-cache';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { decodeRows, entriesOf, hashId, placeOf } from './index-file.js';
import type { IndexEntry, IndexRow } from './index-file.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { counterOf, HOUR_MS, hourPath, recordRoot } from './record-path.js';

/** An index entry of one request id: a call that was answered, or feedback that was sent. */
export interface Finding {
  /** Milliseconds since 1970. */
  at: number;
  row: IndexRow;
}

/** One uploaded part of a spool, with its place in the order of uploads. */
export interface UploadedPart {
  /** `YYYYMMDDHH`, in UTC. */
  hour: string;
  /** Counts from 0 within the hour, without gaps. */
  n: number;
  uploadedAt: string;
  rows: () => Promise<IndexRow[]>;
}

/** Records that the index keeps. */
export interface Traffic {
  /** Calls by `<uid of the deployment>/<generation>`. */
  calls: Map<string, number>;
  /** Feedback by `<model>/<version>`, both percent-encoded. */
  feedback: Map<string, number>;
}

/**
 * Where the records of a request id are, written by the uploaders: `record_index/year=.../<YYYYMMDDHH>_<n>.idx`, one
 * file per upload. Those of past days are put together (`record-index-upkeep.ts`). All throw `unavailable` when the
 * store does not answer.
 */
export interface RecordIndex {
  /** Calls and feedback per request id, oldest first; a few reads per day that the index keeps. */
  find(requestIds: readonly string[], options?: FindOptions): Promise<Map<string, Finding[]>>;
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
interface Wanted {
  id: string;
  hash: Buffer;
}

/** Metadata of an index file: how many of its bytes are entries. */
const ENTRY_BYTES = 'slipway-entry-bytes';
export const indexMetadata = (entryBytes: number): Record<string, string> => ({ [ENTRY_BYTES]: String(entryBytes) });
export const entryBytesOf = ({ metadata }: ObjectInfo): number => Number(metadata[ENTRY_BYTES] ?? 0);
export const indexFolder = (prefix: string): string => `${recordRoot(prefix)}${FOLDER}/`;
/** The path of an upload's index file without its counter; `isIndexPath` recognizes it. */
export const indexPath = (at: number): string => `${FOLDER}/${hourPath(at)}`;
export const isIndexPath = (path: string): boolean => path.startsWith(`${FOLDER}/`);

/** For so long after its day an upload has a file of its own. */
export const UPLOADS_KEPT_MS = 8 * HOUR_MS;
const WHOLE_BYTES = 64 * 1024; // a smaller file is read at once and remembered
const REMEMBERED_BYTES = 64 * 2 ** 20;
const AT_ONCE = 16;

export const trafficKey = (model: string, version: string): string =>
  `${encodeURIComponent(model)}/${encodeURIComponent(version)}`;

export function createRecordIndex({ objects, prefix = '' }: RecordIndexOptions): RecordIndex {
  const folder = indexFolder(prefix);
  const files = new LRUCache<string, Buffer>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (bytes) => bytes.length + 1_000,
  });
  const totals = new LRUCache<string, Traffic>({ max: 10_000 });
  // A name can be used again after its file was put together with others.
  const nameOf = ({ key, updatedAt }: ObjectInfo): string => `${key} ${updatedAt}`;

  async function read(file: ObjectInfo, start: number, end: number): Promise<Buffer> {
    if (file.sizeBytes > WHOLE_BYTES) return objects.read(file.key, { start, end });
    const whole = files.get(nameOf(file)) ?? (await objects.read(file.key));
    files.set(nameOf(file), whole);
    return whole.subarray(start, end);
  }

  const rowsOf = async (file: ObjectInfo): Promise<IndexRow[]> =>
    decodeRows(await read(file, entryBytesOf(file), file.sizeBytes));

  /** Looks for every hash, in as few bytes as that takes. */
  async function lookUp(file: ObjectInfo, wanted: readonly Wanted[]): Promise<(IndexEntry & Pick<Wanted, 'id'>)[]> {
    const all = entryBytesOf(file);
    const places = wanted.map(({ id, hash }) => ({ id, hash, ...placeOf(hash, all) }));
    const few = places.reduce((sum, { start, end }) => sum + end - start, 0) < all;
    const found: (IndexEntry & Pick<Wanted, 'id'>)[] = [];
    let whole = few ? undefined : await read(file, 0, all);
    for (const { id, hash, start, end, covers } of places) {
      const part = whole ?? (await read(file, start, end));
      if (whole === undefined && !covers(part)) whole = await read(file, 0, all);
      found.push(...entriesOf(whole ?? part, hash).map((entry) => ({ ...entry, id })));
    }
    return found;
  }

  async function totalsOf(file: ObjectInfo): Promise<Traffic> {
    const known = totals.get(nameOf(file));
    if (known !== undefined) return known;
    const traffic: Traffic = { calls: new Map(), feedback: new Map() };
    for (const row of await rowsOf(file)) {
      if (row.kind === 'call') add(traffic.calls, `${row.deploymentUid ?? ''}/${row.generation}`, row.records);
      else add(traffic.feedback, trafficKey(row.model, row.version), row.records);
    }
    totals.set(nameOf(file), traffic);
    return traffic;
  }

  async function find(
    ids: readonly string[],
    { since, lastCall = false }: FindOptions,
  ): Promise<Map<string, Finding[]>> {
    const found = new Map<string, Finding[]>([...new Set(ids)].map((id) => [id, []]));
    let wanted: Wanted[] = [...found.keys()].map((id) => ({ id, hash: hashId(id) }));
    for (const files of await filesByDay(since)) {
      await inParallel(files, async (file) => {
        const entries = await lookUp(file, wanted);
        const rows = entries.length > 0 ? await rowsOf(file) : [];
        for (const { id, at, row } of entries) addFinding(found.get(id) ?? [], at, rows[row]);
      });
      if (lastCall) wanted = wanted.filter(({ id }) => !found.get(id)?.some(({ row }) => row.kind === 'call'));
      if (wanted.length === 0) break;
    }
    for (const findings of found.values()) findings.sort((a, b) => a.at - b.at);
    return found;
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

  const listFrom = (since?: number) => (since === undefined ? {} : { from: `${folder}${hourPath(since)}` });

  return {
    find: (requestIds, options = {}) => unlessGone(() => find(requestIds, options)),

    async *parts(since) {
      for await (const file of objects.list(folder, listFrom(since))) {
        const hour = /\/(\d{10})_\d+\.idx$/.exec(file.key)?.[1];
        if (hour === undefined) continue;
        yield { hour, n: counterOf(file.key), uploadedAt: file.updatedAt, rows: () => rowsOf(file) };
      }
    },

    traffic: () =>
      unlessGone(async () => {
        const sum: Traffic = { calls: new Map(), feedback: new Map() };
        await inParallel((await filesByDay()).flat(), async (file) => {
          const { calls, feedback } = await totalsOf(file);
          for (const [name, count] of calls) add(sum.calls, name, count);
          for (const [name, count] of feedback) add(sum.feedback, name, count);
        });
        return sum;
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

/** After an interrupted merge of files, one part is in two of them. */
function addFinding(findings: Finding[], at: number, row: IndexRow | undefined): void {
  if (row === undefined) return;
  const same = (one: Finding): boolean => one.at === at && one.row.part === row.part && one.row.key === row.key;
  if (!findings.some(same)) findings.push({ at, row });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const drain = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drain));
}

const add = (counts: Map<string, number>, name: string, count: number): void =>
  void counts.set(name, (counts.get(name) ?? 0) + count);
