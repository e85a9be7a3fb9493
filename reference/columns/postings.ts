import { ABSENT, type Column, type IdColumn, type ListColumn, type TextColumn } from './column.js';
import type { RecentRows } from './recent-rows.js';

type Coded = TextColumn | IdColumn;
type CodedList = ListColumn & { items: Coded };

/** An inverted index: from the code of a value to the rows that may hold it. */
export interface Postings {
  /** Number of a value, -1 when no row ever held it. */
  find(value: string | number | bigint | boolean): number;
  /** At most this many rows are visited. */
  count(code: number): number;
  /**
   * Visits every row that holds the value, in order except for rows that were set recently; some twice, and some that
   * held it before they were set again.
   */
  each(code: number, visit: (row: number) => void): void;
  rebuild(end: number): void;
  /** Number of rows set since it was built. */
  lag(): number;
  builtAt(): number;
  sizeBytes(): number;
}

const NONE: readonly number[] = [];
/** Approximate bytes of a row in the overlay. */
const LATER_BYTES = 100;

/**
 * Concatenated row lists, by value and then by row, with an overlay of the rows that were set since the build.
 * @returns undefined for a column whose values have no codes
 */
export function createPostings(column: Column, recent: RecentRows): Postings | undefined {
  if (!isCoded(column)) return undefined;
  const values: Coded | CodedList = column;
  const coded = column.kind === 'list' ? column.items : column;
  const { dictionary } = coded;
  /** Rows of `code`: `rows[starts[code]]` up to `rows[starts[code + 1]]`. */
  let starts = new Uint32Array(1);
  let rows = new Int32Array(0);
  let builtAt = 0;
  let later = new Map<number, number[]>();
  /** Time up to which the overlay `later` is complete. */
  let readTo = 0;

  function addLater(row: number, code: number): void {
    const known = later.get(code);
    if (known === undefined) later.set(code, [row]);
    else known.push(row);
  }

  /** Rows set since the build, read on demand: right after loading, all rows of a dataset are in the overlay. */
  function laterOf(code: number): readonly number[] {
    if (readTo < recent.now()) {
      eachCode(values, recent.since(readTo), addLater);
      readTo = recent.now();
    }
    return later.get(code) ?? NONE;
  }

  return {
    find: (value) =>
      coded.kind === 'text' ? coded.dictionary.find(String(value)) : coded.dictionary.find(value as bigint),
    count: (code) => Math.max(0, (starts[code + 1] ?? 0) - (starts[code] ?? 0)) + laterOf(code).length,
    each(code, visit) {
      const end = starts[code + 1] ?? 0;
      for (let at = starts[code] ?? 0; at < end; at += 1) visit(rows[at] ?? 0);
      for (const row of laterOf(code)) visit(row);
    },
    rebuild(end) {
      const all = { length: end };
      starts = new Uint32Array(dictionary.size() + 1);
      eachCode(column, all, (_, code) => (starts[code + 1] = (starts[code + 1] ?? 0) + 1));
      for (let code = 0; code < dictionary.size(); code += 1)
        starts[code + 1] = (starts[code + 1] ?? 0) + (starts[code] ?? 0);
      rows = new Int32Array(starts[dictionary.size()] ?? 0);
      const next = starts.slice();
      eachCode(column, all, (row, code) => {
        const at = next[code] ?? 0;
        rows[at] = row;
        next[code] = at + 1;
      });
      builtAt = recent.now();
      readTo = builtAt;
      later = new Map();
    },
    lag: () => recent.now() - builtAt,
    builtAt: () => builtAt,
    sizeBytes: () => starts.byteLength + rows.byteLength + (readTo - builtAt) * LATER_BYTES,
  };
}

function isCoded(column: Column): column is Coded | CodedList {
  const { kind } = column.kind === 'list' ? column.items : column;
  return kind === 'text' || kind === 'id';
}

/** Visits each value of these rows, or of all rows up to a length. */
function eachCode(
  column: Coded | CodedList,
  rows: Int32Array | { length: number },
  visit: (row: number, code: number) => void,
): void {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows instanceof Int32Array ? (rows[at] ?? 0) : at;
    if (column.kind === 'list') {
      const start = column.starts[row] ?? 0;
      const end = start + (column.counts[row] ?? ABSENT);
      for (let entry = start; entry < end; entry += 1) visit(row, column.items.codes[entry] ?? ABSENT);
    } else {
      const code = column.codes[row] ?? ABSENT;
      if (code !== ABSENT) visit(row, code);
    }
  }
}
