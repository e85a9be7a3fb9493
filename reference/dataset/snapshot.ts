import { setImmediate as turn } from 'node:timers/promises';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Replica, ReplicaHead } from './replica.js';
import type { KeptRow } from '../rows/row-store.js';

/**
 * A snapshot is lines of UTF-8: the state beside the rows as JSON; in the order of their numbers a line for each row
 * that some version shows, `<id> <version> <from> <to, or 0> <1: deleted> <text>`, with `0 <count>` for numbers that
 * have none; and last the number of rows as JSON.
 */
const FORMAT = 1;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const ZERO = 0x30;
const CHUNK_BYTES = 1 << 18;
/** Rows examined before the loop yields. */
const SLICE = 10_000;

/**
 * Writes the state at the moment of the call, while changes continue. Nothing may be forgotten until it is done.
 * @param head of this state
 */
export async function* encodeSnapshot({ rows }: Pick<Replica, 'rows'>, head: ReplicaHead): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ format: FORMAT, ...head })}\n`);
  const writer = createChunks();
  let count = 0;
  let unused = 0;
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (row % SLICE === SLICE - 1) await turn();
    const kept = rows.keptAt(row, head.position);
    if (kept === undefined) {
      unused += 1;
      continue;
    }
    if (unused > 0) for (const full of writer.skip(unused)) yield full;
    unused = 0;
    count += 1;
    // A plain loop: `yield*` in an async generator would wait at every row.
    for (const full of writer.add(kept)) yield full;
  }
  yield writer.rest();
  yield Buffer.from(`${JSON.stringify({ rows: count })}\n`);
}

function createChunks() {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = 0;
  const rest = (): Buffer => {
    const full = chunk.subarray(0, used);
    chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    used = 0;
    return full;
  };
  /** Makes room; a full chunk is yielded first. */
  function* room(length: number): Generator<Buffer> {
    if (used + length > chunk.length) yield rest();
    if (length > chunk.length) chunk = Buffer.allocUnsafe(length);
  }
  return {
    *add({ id, version, from, to, deleted, bytes }: KeptRow & { bytes: Buffer }): Generator<Buffer> {
      const head = `${id} ${version} ${from} ${to ?? 0} ${deleted ? 1 : 0} `;
      yield* room(head.length + bytes.length + 1);
      used += chunk.write(head, used, 'latin1');
      used += bytes.copy(chunk, used);
      chunk[used] = NEWLINE;
      used += 1;
    },
    *skip(count: number): Generator<Buffer> {
      const line = `0 ${count}\n`;
      yield* room(line.length);
      used += chunk.write(line, used, 'latin1');
    },
    rest,
  };
}

/**
 * Restores an empty replica from a snapshot. When it fails, the replica must be discarded.
 * @throws internal when it is no whole snapshot of this format
 */
export async function decodeSnapshot(chunks: AsyncIterable<Buffer>, replica: Replica): Promise<void> {
  let head: (ReplicaHead & { format: number }) | undefined;
  let count = 0;
  let total: number | undefined;
  const split = createSplitter((line) => {
    if (head === undefined) {
      // Written by `encodeSnapshot`, and its digest was checked; the format says whether this code can read it.
      head = JSON.parse(line.toString()) as ReplicaHead & { format: number };
      if (head.format !== FORMAT) throw new SlipwayError('internal', `format ${head.format} of snapshots is unknown`);
    } else if (line[0] === OBJECT) {
      ({ rows: total } = JSON.parse(line.toString()) as { rows: number });
    } else if (line[0] === ZERO) {
      replica.rows.skip(Number(line.toString('latin1', 2)));
    } else {
      replica.rows.restore(readRow(line));
      count += 1;
    }
  });
  for await (const chunk of chunks) split(chunk);
  if (head === undefined || total !== count) throw new SlipwayError('internal', 'the snapshot is not whole');
  replica.rows.link();
  const { format: _, ...state } = head;
  replica.restore(state);
}

const OBJECT = '{'.charCodeAt(0);

/** Splits chunks into lines synchronously: waiting at each of a million lines would cost too much. */
function createSplitter(take: (line: Buffer) => void): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, at);
      take(held.length === 0 ? line : Buffer.concat([...held, line]));
      held = [];
      from = at + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  };
}

function readRow(line: Buffer): KeptRow {
  const cursor = { line, at: 0 };
  const id = readId(cursor);
  const version = readNumber(cursor);
  const from = readNumber(cursor);
  const to = readNumber(cursor);
  const deleted = readNumber(cursor) === 1;
  return { id, version, from, to: to === 0 ? undefined : to, deleted, bytes: line.subarray(cursor.at) };
}

interface Cursor {
  line: Buffer;
  at: number;
}

function readNumber(cursor: Cursor): number {
  const { line } = cursor;
  let value = 0;
  let { at } = cursor;
  for (; at < line.length && line[at] !== SPACE; at += 1) value = value * 10 + (line[at] ?? 0) - ZERO;
  cursor.at = at + 1;
  return value;
}

/** Number of digits that a `number` holds exactly. */
const EXACT_DIGITS = 15;

function readId(cursor: Cursor): bigint {
  const { line, at } = cursor;
  const end = line.indexOf(SPACE, at);
  if (end - at <= EXACT_DIGITS) return BigInt(readNumber(cursor));
  cursor.at = end + 1;
  return BigInt(line.toString('latin1', at, end));
}
