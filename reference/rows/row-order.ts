import { SlipwayError } from '../../platform/kinds/errors.js';
import { ABSENT, type Column, presenceOf, type TextColumn } from '../columns/column.js';
import type { Columns } from '../columns/index.js';
import { compareBytes, prefixOf } from '../columns/text-dictionary.js';
import type { TextRank } from '../columns/text-ranks.js';
import type { FieldKey, Order, OrderKey } from '../dataset/order.js';
import { compileDistance } from '../filter/near.js';

/** Compares two rows: negative, 0 or positive. */
type CompareRows = (one: number, other: number) => number;

export interface RowOrder {
  compare: CompareRows;
  /**
   * A cheap sort key: a row of a smaller rank comes first, and rows of equal rank are compared by `compare`.
   */
  rank: (row: number) => number;
}

/**
 * Compiles an order to a comparison of the rows that exist now. Texts sort by code point, enum values in declared
 * order; rows without a value come last, in both directions.
 */
export function compileOrder(order: Order, columns: Pick<Columns, 'column'>): RowOrder {
  const compares = order.map((key) => compileKey(key, columns));
  const [first] = order;
  return { compare: inTurn(compares), rank: first === undefined ? () => 0 : compileRank(first, columns) };
}

function inTurn(compares: readonly CompareRows[]): CompareRows {
  const [first, second] = compares;
  if (first !== undefined && second === undefined) return first;
  return (one, other) => {
    for (const compare of compares) {
      const sign = compare(one, other);
      if (sign !== 0) return sign;
    }
    return 0;
  };
}

function columnOf({ leaf }: FieldKey, columns: Pick<Columns, 'column'>): Column {
  const column = columns.column(leaf.path);
  if (column === undefined) throw new SlipwayError('internal', `${leaf.path} has no column`);
  return column;
}

const directionOf = ({ descending }: OrderKey): number => (descending ? -1 : 1);

function compileKey(key: OrderKey, columns: Pick<Columns, 'column'>): CompareRows {
  if ('near' in key) {
    const rank = compileRank(key, columns);
    return (one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other));
  }
  const column = columnOf(key, columns);
  const has = presenceOf(column);
  const compare = compareValues(column, key.leaf.type === 'enum');
  const direction = directionOf(key);
  return (one, other) => {
    const [hasOne, hasOther] = [has(one), has(other)];
    if (hasOne && hasOther) return direction * compare(one, other);
    return Number(hasOther) - Number(hasOne);
  };
}

/** Compares two rows that both have a value. */
function compareValues(column: Column, byCode: boolean): CompareRows {
  switch (column.kind) {
    case 'text': {
      const { codes, dictionary } = column;
      const bytes = dictionary.bytes();
      const code = (row: number) => codes[row] ?? ABSENT;
      if (byCode) return (one, other) => code(one) - code(other);
      return (one, other) => (code(one) === code(other) ? 0 : compareBytes(bytes, code(one), code(other)));
    }
    case 'id': {
      const { codes, dictionary } = column;
      const compare = compareHalves(dictionary.halves());
      return (one, other) => compare(codes[one] ?? ABSENT, codes[other] ?? ABSENT);
    }
    case 'int64':
      return compareHalves(column);
    case 'number': {
      const { values } = column;
      return (one, other) => (values[one] ?? 0) - (values[other] ?? 0);
    }
    case 'list':
      throw new SlipwayError('internal', 'a list has no order');
  }
}

interface Halves {
  high: Int32Array;
  low: Uint32Array;
}

const compareHalves =
  ({ high, low }: Halves): CompareRows =>
  (one, other) =>
    (high[one] ?? 0) - (high[other] ?? 0) || (low[one] ?? 0) - (low[other] ?? 0);

/** Compiles the rank by the first key: as much of its value as a number holds. Runs for each row of a search. */
function compileRank(key: OrderKey, columns: Pick<Columns, 'column'>): RowOrder['rank'] {
  const direction = directionOf(key);
  if ('near' in key) {
    const distance = compileDistance(key.near, columns);
    return (row) => {
      const metres = distance(row);
      return Number.isNaN(metres) ? Infinity : direction * metres;
    };
  }
  const column = columnOf(key, columns);
  switch (column.kind) {
    case 'text': {
      const { codes } = column;
      const rank = key.leaf.type === 'enum' ? (code: number) => code : rankOfTexts(column);
      return (row) => {
        const code = codes[row] ?? ABSENT;
        return code === ABSENT ? Infinity : direction * rank(code);
      };
    }
    case 'id': {
      const { codes, dictionary } = column;
      const halves = dictionary.halves();
      return (row) => {
        const code = codes[row] ?? ABSENT;
        return code === ABSENT ? Infinity : direction * nearest(halves, code);
      };
    }
    case 'int64': {
      const { present } = column;
      return (row) => (present[row] === 1 ? direction * nearest(column, row) : Infinity);
    }
    case 'number': {
      const { values, absent } = column;
      return (row) => {
        const value = values[row] ?? absent;
        return value === absent || Number.isNaN(value) ? Infinity : direction * value;
      };
    }
    case 'list':
      throw new SlipwayError('internal', 'a list has no order');
  }
}

function rankOfTexts({ dictionary, ranks }: TextColumn): TextRank {
  const bytes = dictionary.bytes();
  return ranks.rank() ?? ((code) => prefixOf(bytes, code));
}

/** Rounds a 64-bit integer monotonically: the smaller of two never becomes the larger. */
const nearest = ({ high, low }: Halves, at: number): number => (high[at] ?? 0) * 2 ** 32 + (low[at] ?? 0);
