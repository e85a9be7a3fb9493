import { mapSome } from '../../platform/kinds/map-some.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { HOUR_MS, type RecordTag, recordRoot } from './record-path.js';

/** Metadata of a file of records: the days after which it is removed, by the rules of its deployment when it was written. */
export const RETENTION_DAYS = 'slipway-retention-days';

export const RECORD_TAGS = ['request_response', 'response_body', 'inference_detail', 'feedback'] as const;

interface RecordRetentionOptions {
  objects: ObjectStore;
  prefix?: string;
  /** For files whose deployment says nothing; unset: they are kept. */
  defaultDays?: number | undefined;
  now: () => Date;
}

/** Most files that one call removes: a round goes on to other work in between. */
const MOST_FILES = 2_000;
const AT_ONCE = 16;
const DAY_MS = 24 * HOUR_MS;

/** Removes files of records that are past their time. */
export function createRecordRetention({ objects, prefix = '', defaultDays, now }: RecordRetentionOptions) {
  return {
    /** @returns how many files were removed; fewer than are due when there are many */
    async purge(tag: RecordTag): Promise<number> {
      const due: string[] = [];
      for await (const { key, metadata } of objects.list(`${recordRoot(prefix)}${tag}/`, { details: true })) {
        const days = daysOf(metadata[RETENTION_DAYS]) ?? defaultDays;
        const end = endOfHour(key);
        if (days === undefined || end === undefined || end + days * DAY_MS > now().getTime()) continue;
        due.push(key);
        if (due.length === MOST_FILES) break;
      }
      await mapSome(due, AT_ONCE, (key) => objects.remove(key));
      return due.length;
    },
  };
}

const daysOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;

/** The end of the hour in the name of a file: its newest record is not younger. */
function endOfHour(key: string): number | undefined {
  const [, year, month, day, hour] = /\/(\d{4})(\d\d)(\d\d)(\d\d)_\d+\.\w+$/.exec(key) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
  return Number.isNaN(at) ? undefined : at + HOUR_MS;
}
