import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Calls of one model that one deployment answered, in one uploaded part of a spool. */
const CallRow = z.object({
  kind: z.literal('call'),
  model: z.string(),
  version: z.string(),
  deployment: z.string(),
  deploymentUid: z.string().optional(),
  generation: z.int(),
  imageId: z.string().optional(),
  /** Object that holds the responses. */
  key: z.string(),
  records: z.int(),
  /** The part of the spool: tells rows apart that say the same. */
  part: z.string(),
});
/** Feedback on one model in one uploaded part of a spool. */
const FeedbackRow = z.object({
  kind: z.literal('feedback'),
  model: z.string(),
  version: z.string(),
  /** Object that holds the feedback. */
  key: z.string(),
  records: z.int(),
  part: z.string(),
});
const IndexRow = z.discriminatedUnion('kind', [CallRow, FeedbackRow]);
export type CallRow = z.infer<typeof CallRow>;
export type FeedbackRow = z.infer<typeof FeedbackRow>;
export type IndexRow = CallRow | FeedbackRow;

/** One call or feedback: whose it is, when it was recorded (milliseconds since 1970), and the row that says more. */
export interface IndexEntry {
  hash: Buffer;
  at: number;
  row: number;
}

/**
 * A file of the index: entries of a fixed width in the order of their hashes, then the rows as JSON lines. Hashes are
 * spread evenly, so the place of an entry is known before anything is read.
 */
export interface IndexFile {
  entries: IndexEntry[];
  rows: IndexRow[];
}

const HASH_BYTES = 8;
const ENTRY_BYTES = HASH_BYTES + 6 + 4;

/** The first bytes of the SHA-256 of a request id; two ids in 2^32 share one, and the records tell them apart. */
export const hashId = (requestId: string): Buffer =>
  createHash('sha256').update(requestId).digest().subarray(0, HASH_BYTES);

/** @returns the bytes, and how many of them are entries */
export function encodeIndex({ entries, rows }: IndexFile): { body: Buffer; entryBytes: number } {
  const sorted = [...entries].sort((a, b) => a.hash.compare(b.hash) || a.at - b.at);
  const table = Buffer.alloc(sorted.length * ENTRY_BYTES);
  sorted.forEach(({ hash, at, row }, index) => {
    const offset = index * ENTRY_BYTES;
    hash.copy(table, offset);
    table.writeUIntBE(at, offset + HASH_BYTES, 6);
    table.writeUInt32BE(row, offset + HASH_BYTES + 6);
  });
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return { body: Buffer.concat([table, Buffer.from(lines)]), entryBytes: table.length };
}

export function decodeEntries(table: Buffer): IndexEntry[] {
  return Array.from({ length: Math.floor(table.length / ENTRY_BYTES) }, (_, index) => {
    const offset = index * ENTRY_BYTES;
    return {
      hash: table.subarray(offset, offset + HASH_BYTES),
      at: table.readUIntBE(offset + HASH_BYTES, 6),
      row: table.readUInt32BE(offset + HASH_BYTES + 6),
    };
  });
}

export const decodeRows = (lines: Buffer): IndexRow[] =>
  lines
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => IndexRow.parse(JSON.parse(line)));

/** Entries of a hash; in a table that is a part of a sorted one, those that the part has. */
export function entriesOf(table: Buffer, hash: Buffer): IndexEntry[] {
  let low = 0;
  let high = table.length / ENTRY_BYTES;
  const hashAt = (index: number) => table.subarray(index * ENTRY_BYTES, index * ENTRY_BYTES + HASH_BYTES);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hashAt(middle).compare(hash) < 0) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end * ENTRY_BYTES < table.length && hashAt(end).equals(hash)) end += 1;
  return decodeEntries(table.subarray(low * ENTRY_BYTES, end * ENTRY_BYTES));
}

/**
 * The part of a table that may hold a hash: six standard deviations around its expected position.
 * `covers` says of the bytes read whether that was wide enough.
 */
export function placeOf(hash: Buffer, entryBytes: number) {
  const count = entryBytes / ENTRY_BYTES;
  const expected = (hash.readUInt32BE(0) / 2 ** 32) * count;
  const slack = 6 * Math.sqrt(count) * 0.5 + 16;
  const first = Math.max(0, Math.floor(expected - slack));
  const last = Math.min(count, Math.ceil(expected + slack));
  const covers = (part: Buffer): boolean => {
    const opens = first === 0 || part.compare(hash, 0, HASH_BYTES, 0, HASH_BYTES) < 0;
    const end = part.length - ENTRY_BYTES;
    return opens && (last === count || part.compare(hash, 0, HASH_BYTES, end, end + HASH_BYTES) > 0);
  };
  return { start: first * ENTRY_BYTES, end: last * ENTRY_BYTES, covers };
}
