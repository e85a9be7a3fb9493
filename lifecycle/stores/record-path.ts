import { createHash } from 'node:crypto';

/** Trees of record files; the first three hold one line per call, `inference_detail` what the specification has no field for. */
export type RecordTag = 'request_response' | 'response_body' | 'inference_detail' | 'feedback';

/** Metadata that ties an object to the part of the spool that it was built from. */
export const SPOOL_PART = 'slipway-spool';

export const HOUR_MS = 3_600_000;

/** `prefix` as the beginning of every key. */
export const recordRoot = (prefix: string): string => (prefix === '' ? '' : `${prefix.replace(/^\/+|\/+$/g, '')}/`);

/** `<tag>/<name>`: what is stored of a model, one folder per version. */
export const modelFolder = (tag: RecordTag, name: string): string => `${tag}/${toSegment(name)}`;

export const versionFolder = (tag: RecordTag, name: string, version: string): string =>
  `${modelFolder(tag, name)}/${toSegment(version)}`;

/** `year=YYYY/month=MM/day=DD/<YYYYMMDDHH>` in UTC; `_<n>` and an ending follow. Sorts as time does. */
export function hourPath(at: number): string {
  const iso = new Date(at).toISOString();
  const [year, month, day, hour] = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8, 10), iso.slice(11, 13)];
  return `year=${year}/month=${month}/day=${day}/${year}${month}${day}${hour}`;
}

/** Counter of a key within its hour: the order in which its files were written, which is not the order of the keys. */
export const counterOf = (key: string): number => Number(/_(\d+)\.\w+$/.exec(key)?.[1] ?? -1);

/** Object storage refuses longer names, and one record that is refused would hold up all after it. */
const LONGEST_SEGMENT = 200;

/** A name, chosen by a caller, as one part of a path. A long one is cut and made unique by its digest. */
function toSegment(name: string): string {
  const encoded = encodeURIComponent(name).replace(/^\.{1,2}$/, (dots) => dots.replaceAll('.', '%2E'));
  if (encoded.length <= LONGEST_SEGMENT) return encoded;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  const start = encoded.slice(0, LONGEST_SEGMENT - digest.length - 1).replace(/%[0-9A-F]?$/, '');
  return `${start}-${digest}`;
}

/** `2026-11-20 08:46:40 +0000` */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
}

/** Milliseconds since 1970; undefined when it is no such time. Records of other writers may have another offset. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day, time, hours, minutes] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? undefined : at;
}
