import type { Columns } from '../columns/index.js';
import { withCapacity } from '../columns/growing-array.js';
import { type AccessPath, findAccessPath } from '../filter/access-path.js';
import { type Condition, explainFilter, type Filter } from '../filter/index.js';
import { compilePredicate, costOf } from '../filter/predicate.js';

export interface SearchOptions {
  filter: Filter;
  columns: Columns;
  /** Whether the row belongs to the searched state. */
  isVisible: (row: number) => boolean;
  /** The row of an id in that state, -1 when there is none. */
  findId: (id: bigint) => number;
}

export interface Search {
  /**
   * Continues for this amount of work, in comparisons of two numbers: a million takes about 10 ms, whatever the filter.
   * The caller may yield between two calls, but no visible row may be set.
   * @returns whether all rows were examined
   */
  advance(work: number): boolean;
  /** Rows found so far, each once; in row order except for rows that were set recently. */
  found(): Int32Array;
  /** Number of rows examined. */
  tested(): number;
  readonly plan: Plan;
}

/** The access plan of a search. */
export interface Plan {
  /** Without one, every row. */
  filter?: Filter | undefined;
  /** Conditions answered by an index; without any, all rows are examined. */
  byIndex?: readonly Condition[] | undefined;
  /** Number of rows examined, out of how many. */
  rows: number;
  end: number;
}

/** An index pays for its random memory access when it skips at least this share of the rows. */
const WORTH_IT = 1 / 2;

/** Finds the rows of a filter through the narrowest index that exists, else by a full scan. */
export function createSearch({ filter, columns, isVisible, findId }: SearchOptions): Search {
  const predicate = compilePredicate(filter, columns);
  const cost = costOf(filter);
  const end = columns.end();
  const access = findAccessPath(filter, { columns, findId });
  const narrow = access !== undefined && access.rows < end * WORTH_IT ? access : undefined;
  const candidates = narrow && collect(narrow, end);
  const total = candidates?.length ?? end;
  let next = 0;
  // Results overwrite the candidates that were already examined.
  let found = candidates ?? new Int32Array(0);
  let count = 0;

  return {
    advance(work) {
      const stop = Math.min(total, next + Math.ceil(work / cost));
      for (; next < stop; next += 1) {
        const row = candidates ? (candidates[next] ?? 0) : next;
        if (!isVisible(row) || !predicate(row)) continue;
        if (count === found.length) found = withCapacity(found, count + 1);
        found[count] = row;
        count += 1;
      }
      return next === total;
    },
    found() {
      return found.subarray(0, count);
    },
    tested() {
      return next;
    },
    plan: { filter, byIndex: narrow?.conditions, rows: total, end },
  };
}

/** Describes the filter and the access plan in words. */
export function explainPlan({ filter, byIndex, rows, end }: Plan): string {
  const way = byIndex === undefined ? `all ${end} rows` : `${rows} of ${end} rows by index`;
  if (filter === undefined) return way;
  const note = (condition: Condition) => (byIndex?.includes(condition) === true ? 'by index' : undefined);
  return `${explainFilter(filter, note)}\nlooks at ${way}`;
}

/** Up to this many rows, a set is cheaper than one mark per existing row. */
const FEW = 4_096;

/** Each row once. */
function collect(access: AccessPath, end: number): Int32Array {
  const rows = new Int32Array(access.rows);
  let count = 0;
  const seen = access.rows > FEW ? createMarks(end) : new Set<number>();
  access.each((row) => {
    if (seen.has(row)) return;
    seen.add(row);
    rows[count] = row;
    count += 1;
  });
  return rows.subarray(0, count);
}

function createMarks(end: number) {
  const marks = new Uint8Array(end);
  return { has: (row: number) => marks[row] === 1, add: (row: number) => void (marks[row] = 1) };
}
