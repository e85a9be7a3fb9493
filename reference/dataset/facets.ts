import { setImmediate as turn } from 'node:timers/promises';
import { ABSENT, type Column, presenceOf, type ScalarColumn } from '../columns/column.js';
import { fromHalves } from '../columns/int64.js';
import { formatDate, formatTimestamp } from '../rows/time.js';
import type { Scalar } from '../rows/value.js';

/** The values of a field in the rows of a search, the most frequent first. */
export interface Facet {
  values: { value: Scalar; count: number }[];
  /** Rows that have only values beyond the listed ones; a row of a list counts for each of its values. */
  others: number;
  /** Rows without a value. */
  missing: number;
}

/** Aggregates of a field of numbers; `null` where no row has a value. */
export interface Aggregate {
  count: number;
  min: Scalar | null;
  max: Scalar | null;
  sum: Scalar;
  average: number | null;
}

/** Rows counted before the loop yields. */
const SLICE = 50_000;

/** Counts the rows of each value; each row once for a value that its list repeats. */
export async function countValues(column: Column, rows: Int32Array, most: number): Promise<Facet> {
  const counts = new Map<number | bigint, number>();
  let missing = 0;
  const add = (key: number | bigint) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const present = presenceOf(column);
  const items = column.kind === 'list' ? column.items : column;
  const keyAt = keyReader(items);
  await eachRow(rows, (row) => {
    if (!present(row)) missing += 1;
    else if (column.kind !== 'list') add(keyAt(row));
    else {
      const start = column.starts[row] ?? 0;
      const keys = Array.from({ length: column.counts[row] ?? 0 }, (_, at) => keyAt(start + at));
      new Set(keys).forEach(add);
    }
  });
  const toValue = valueReader(items);
  const sorted = [...counts]
    .map(([key, count]) => ({ value: toValue(key), count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  const others = sorted.slice(most).reduce((sum, { count }) => sum + count, 0);
  return { values: sorted.slice(0, most), others, missing };
}

/** Integers are added exactly. */
export async function aggregate(column: ScalarColumn, rows: Int32Array): Promise<Aggregate> {
  const present = presenceOf(column);
  const keyAt = keyReader(column);
  let count = 0;
  let [min, max, sum]: (number | bigint | undefined)[] = [];
  await eachRow(rows, (row) => {
    if (!present(row)) return;
    const value = keyAt(row);
    count += 1;
    if (min === undefined || value < min) min = value;
    if (max === undefined || value > max) max = value;
    sum = sum === undefined ? value : plus(sum, value);
  });
  const average = sum === undefined ? null : Number(sum) / count;
  return { count, min: min ?? null, max: max ?? null, sum: sum ?? 0, average };
}

const plus = (one: number | bigint, other: number | bigint): number | bigint =>
  typeof one === 'bigint' && typeof other === 'bigint' ? one + other : Number(one) + Number(other);

async function eachRow(rows: Int32Array, visit: (row: number) => void): Promise<void> {
  for (let at = 0; at < rows.length; at += 1) {
    if (at % SLICE === SLICE - 1) await turn();
    visit(rows[at] ?? ABSENT);
  }
}

/** A key for each present value: a code of its dictionary, or the number itself. */
function keyReader(column: ScalarColumn): (at: number) => number | bigint {
  switch (column.kind) {
    case 'text':
    case 'id': {
      const { codes } = column;
      return (at) => codes[at] ?? ABSENT;
    }
    case 'int64': {
      const { high, low } = column;
      return (at) => fromHalves(high[at] ?? 0, low[at] ?? 0);
    }
    case 'number': {
      const { values } = column;
      return (at) => values[at] ?? 0;
    }
  }
}

function valueReader(column: ScalarColumn): (key: number | bigint) => Scalar {
  switch (column.kind) {
    case 'text':
      return (key) => column.dictionary.text(Number(key));
    case 'id':
      return (key) => column.dictionary.value(Number(key));
    case 'int64':
      return (key) => key;
    case 'number':
      return (key) => NUMBERS[column.type](Number(key));
  }
}
const NUMBERS = {
  number: (key: number) => key,
  boolean: (key: number) => key === 1,
  date: formatDate,
  timestamp: formatTimestamp,
} as const;
