import { decodeEntries, decodeRows, encodeIndex } from './index-file.js';
import type { IndexFile } from './index-file.js';
import type { ObjectInfo, ObjectStore } from '../../platform/stores/objects.js';
import { entryBytesOf, indexMetadata } from './index-reader.js';
import { indexFolder, UPLOADS_KEPT_MS } from './record-index.js';
import { counterOf, HOUR_MS } from './record-path.js';

interface RecordIndexUpkeepOptions {
  objects: ObjectStore;
  prefix?: string;
  now?: () => Date;
}

const DAY_MS = 24 * HOUR_MS;
const MERGED_BYTES = 4 * 2 ** 20;
const MERGED = '/merged_';

/** Keeps the index of records quick to read. One caller at a time. */
export function createRecordIndexUpkeep({ objects, prefix = '', now = () => new Date() }: RecordIndexUpkeepOptions) {
  const folder = indexFolder(prefix);

  async function load(files: readonly ObjectInfo[]): Promise<IndexFile> {
    const loaded: IndexFile = { entries: [], rows: [] };
    for (const file of files) {
      const bytes = await objects.read(file.key);
      const offset = loaded.rows.length;
      for (const row of decodeRows(bytes.subarray(entryBytesOf(file)))) loaded.rows.push(row);
      for (const entry of decodeEntries(bytes.subarray(0, entryBytesOf(file)))) {
        loaded.entries.push({ ...entry, row: entry.row + offset });
      }
    }
    return loaded;
  }

  const partsOf = async (files: readonly ObjectInfo[]): Promise<string[]> =>
    (await load(files)).rows.map(({ part }) => part);

  /** Writes first and removes then: what dies in between leaves doubles, which the next round removes. */
  async function mergeDay(files: readonly ObjectInfo[]): Promise<number> {
    const merged = files.filter(({ key }) => key.includes(MERGED));
    const uploads = files.filter(({ key }) => !key.includes(MERGED));
    const known = new Set<string>();
    for (const file of merged) for (const part of await partsOf([file])) known.add(part);
    const fresh: ObjectInfo[] = [];
    for (const file of uploads) if (!(await partsOf([file])).every((part) => known.has(part))) fresh.push(file);
    let next = Math.max(-1, ...merged.map(({ key }) => counterOf(key))) + 1;
    for (const group of groupBySize(fresh)) {
      const { body, entryBytes } = encodeIndex(await load(group));
      const key = group[0]?.key.replace(/\/[^/]+$/, `${MERGED}${next}.idx`) ?? '';
      await objects.put(key, body, { metadata: indexMetadata(entryBytes), ifAbsent: true });
      next += 1;
    }
    for (const { key } of uploads) await objects.remove(key);
    return uploads.length;
  }

  return {
    /** The many files of a past day become a few; those of days before `before` are removed. @returns files removed */
    async compact(before: Date): Promise<number> {
      const days = new Map<string, ObjectInfo[]>();
      for await (const file of objects.list(folder, { details: true })) {
        const day = /year=(\d{4})\/month=(\d\d)\/day=(\d\d)\//.exec(file.key)?.slice(1).join('-') ?? '';
        const known = days.get(day);
        if (known === undefined) days.set(day, [file]);
        else known.push(file);
      }
      let removed = 0;
      for (const [day, files] of days) {
        const end = Date.parse(day) + DAY_MS;
        if (end <= before.getTime()) {
          for (const { key } of files) await objects.remove(key);
          removed += files.length;
        } else if (end + UPLOADS_KEPT_MS <= now().getTime() && files.some(({ key }) => !key.includes(MERGED))) {
          removed += await mergeDay(files);
        }
      }
      return removed;
    },
  };
}

function groupBySize(files: readonly ObjectInfo[]): ObjectInfo[][] {
  const groups: ObjectInfo[][] = [];
  let room = 0;
  for (const file of files) {
    const group = file.sizeBytes <= room ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([file]);
    else group.push(file);
    room = (group === undefined ? MERGED_BYTES : room) - file.sizeBytes;
  }
  return groups;
}
