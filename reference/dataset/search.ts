import type { Columns } from '../columns/index.js';
import { grown } from '../columns/growing-array.js';
import { type Access, findAccess } from '../filter/access.js';
import { type Condition, explainFilter, type Filter } from '../filter/index.js';
import { compilePredicate, costOf } from '../filter/predicate.js';

export interface SearchOptions {
  filter: Filter;
  columns: Columns;
  /** Whether the row is one of the state that is searched. */
  isVisible: (row: number) => boolean;
  /** The row of an id in that state, -1 when there is none. */
  findId: (id: bigint) => number;
}

export interface Search {
  /**
   * Goes on for so much work, in comparisons of two numbers: a million takes some 10 ms, whatever the filter. Between two
   * calls others may have their turn, but no row may be set that is visible.
   * @returns whether all rows were looked at
   */
  advance(work: number): boolean;
  /** What was found so far, each row once; in order of their numbers but for those that were set lately. */
  found(): Int32Array;
  /** How many rows were looked at. */
  tested(): number;
  readonly plan: Plan;
}

/** How the rows of a search are found. */
export interface Plan {
  /** Without one, every row. */
  filter?: Filter | undefined;
  /** The conditions that are looked up in an index; without one, all rows are looked at. */
  byIndex?: readonly Condition[] | undefined;
  /** How many are looked at, of how many. */
  rows: number;
  end: number;
}

/** An index is worth its jumps through memory where it leaves out at least this share of the rows. */
const WORTH_IT = 1 / 2;

/** Finds the rows of a filter through the narrowest index that there is, else by looking at each row. */
export function createSearch({ filter, columns, isVisible, findId }: SearchOptions): Search {
  const predicate = compilePredicate(filter, columns);
  const cost = costOf(filter);
  const end = columns.end();
  const access = findAccess(filter, { columns, findId });
  const narrow = access !== undefined && access.rows < end * WORTH_IT ? access : undefined;
  const candidates = narrow && collect(narrow, end);
  const total = candidates?.length ?? end;
  let next = 0;
  // What is found takes the places of what was looked at.
  let found = candidates ?? new Int32Array(0);
  let count = 0;

  return {
    advance(work) {
      const stop = Math.min(total, next + Math.ceil(work / cost));
      for (; next < stop; next += 1) {
        const row = candidates ? (candidates[next] ?? 0) : next;
        if (!isVisible(row) || !predicate(row)) continue;
        if (count === found.length) found = grown(found, count + 1);
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

/** The filter in words, and how its rows are found. */
export function explainPlan({ filter, byIndex, rows, end }: Plan): string {
  const way = byIndex === undefined ? `all ${end} rows` : `${rows} of ${end} rows by index`;
  if (filter === undefined) return way;
  const note = (condition: Condition) => (byIndex?.includes(condition) === true ? 'by index' : undefined);
  return `${explainFilter(filter, note)}\nlooks at ${way}`;
}

/** Few enough for a set rather than a mark for every row that there is. */
const FEW = 4_096;

/** Each row once. */
function collect(access: Access, end: number): Int32Array {
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
