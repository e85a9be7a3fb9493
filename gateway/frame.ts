import { crc32 } from 'node:zlib';

/** Names and values as they are recorded; a repeated header is joined with `, `. */
export type HeaderMap = Record<string, string>;

/** One prediction as the gateway saw it. `at` is milliseconds since 1970. */
export interface RequestHead {
  kind: 'request';
  at: number;
  requestId: string;
  modelName: string;
  modelVersion: string;
  uri: string;
  host: string;
  method: string;
  requestHeaders: HeaderMap;
  responseHeaders: HeaderMap;
  status: number;
  deployment: string;
  /** Absent in what an earlier release spooled. */
  deploymentUid?: string;
  revision: string;
  /** Image id (`sha256:...`) of what answers. */
  imageId?: string;
  /** Empty when no replica was reached. */
  replica: string;
  latencyMs: number;
  truncated: boolean;
  /** Bodies that were cut, and are recorded as far as they were kept; absent in what an earlier release spooled. */
  cut?: readonly ('request' | 'response')[];
  /** Absent: as the setting of the installation says. */
  retentionDays?: number;
}

export interface FeedbackHead {
  kind: 'feedback';
  at: number;
  requestId: string;
  modelName: string;
  modelVersion: string;
  /** Absent: as the setting of the installation says. */
  retentionDays?: number;
}

export type FrameHead = RequestHead | FeedbackHead;

/** A spooled record: header fields and two raw bodies (request and reply; the second of a feedback is empty). */
export interface Frame {
  head: FrameHead;
  first: Buffer;
  second: Buffer;
}

const PREFIX = 16; // length of what follows the crc, crc32 of it, length of the head, length of the first body
const CHECKED_FROM = 8;

/** length, crc32, header fields as JSON, raw bodies. */
export function encodeFrame({ head, first, second }: Frame): Buffer {
  const fields = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.allocUnsafe(PREFIX);
  const frame = Buffer.concat([prefix, fields, first, second]);
  frame.writeUInt32LE(frame.length - CHECKED_FROM, 0);
  frame.writeUInt32LE(fields.length, 8);
  frame.writeUInt32LE(first.length, 12);
  frame.writeUInt32LE(crc32(frame.subarray(CHECKED_FROM)), 4);
  return frame;
}

/** Length of the complete frame at `offset`; undefined where the log is torn or ends. */
export function frameLength(log: Buffer, offset: number): number | undefined {
  if (log.length - offset < PREFIX) return undefined;
  const length = CHECKED_FROM + log.readUInt32LE(offset);
  if (length < PREFIX || length > log.length - offset) return undefined;
  const checked = log.subarray(offset + CHECKED_FROM, offset + length);
  return crc32(checked) === log.readUInt32LE(offset + 4) ? length : undefined;
}

export function decodeFrame(frame: Buffer): Frame {
  const firstAt = PREFIX + frame.readUInt32LE(8);
  const secondAt = firstAt + frame.readUInt32LE(12);
  return {
    // Written by encodeFrame and guarded by its checksum.
    head: JSON.parse(frame.toString('utf8', PREFIX, firstAt)) as FrameHead,
    first: frame.subarray(firstAt, secondAt),
    second: frame.subarray(secondAt),
  };
}
