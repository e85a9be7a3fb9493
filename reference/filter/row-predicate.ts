import type { ScalarType } from '../dataset/dataset-field.js';
import { unreachable } from '../../platform/kinds/errors.js';
import { type StoredRow, valueAt } from '../columns/stored-row.js';
import type { Scalar } from '../rows/value.js';
import type { Condition, Filter } from './filter.js';
import { isRowNear } from './near.js';
import { compileLike } from './like-matcher.js';

export type RowPredicate = (row: StoredRow) => boolean;

/** Compiles a filter to a test of single stored rows, without building columns. */
export function compileRowPredicate(filter: Filter): RowPredicate {
  switch (filter.kind) {
    case 'and': {
      const terms = filter.terms.map(compileRowPredicate);
      return (row) => terms.every((term) => term(row));
    }
    case 'or': {
      const terms = filter.terms.map(compileRowPredicate);
      return (row) => terms.some((term) => term(row));
    }
    case 'not': {
      const term = compileRowPredicate(filter.term);
      return (row) => !term(row);
    }
    case 'near':
      return (row) => isRowNear(filter, row);
    case 'condition':
      return compileCondition(filter);
    default:
      return unreachable(filter);
  }
}

type Test = (value: Scalar) => boolean;

/** Converts a stored value to a filter value; a stored integer may be a bigint or a number, whatever its type. */
const asIs = (value: unknown) => value as Scalar;
// prettier-ignore
const NORMAL_FORM: Readonly<Record<ScalarType, (value: unknown) => Scalar>> = {
  id:      (value) => BigInt(value as string),
  integer: (value) => BigInt(value as number | bigint),
  decimal: Number,
  text: asIs, enum: asIs, boolean: asIs, date: asIs, timestamp: asIs,
};

function compileCondition({ leaf, operator, values }: Condition): RowPredicate {
  const toScalar = NORMAL_FORM[leaf.type];
  const entries = (row: StoredRow): Scalar[] | undefined => {
    const value = valueAt(row, leaf);
    if (value === undefined || value === null) return undefined;
    return Array.isArray(value) ? value.map(toScalar) : [toScalar(value)];
  };
  const some =
    (test: Test): RowPredicate =>
    (row) =>
      entries(row)?.some(test) ?? false;
  const none =
    (test: Test): RowPredicate =>
    (row) =>
      entries(row)?.every((value) => !test(value)) ?? false;
  const [first = '', second = ''] = values;
  switch (operator) {
    case '==':
      return some((value) => value === first);
    case '!=':
      return none((value) => value === first);
    case '=in=':
      return some((value) => values.includes(value));
    case '=out=':
      return none((value) => values.includes(value));
    case '=null=':
      return (row) => (entries(row) === undefined) === first;
    case '=like=':
      return some((value) => isLike(String(first), String(value)));
    case '<':
      return some((value) => compare(value, first) < 0);
    case '<=':
      return some((value) => compare(value, first) <= 0);
    case '>':
      return some((value) => compare(value, first) > 0);
    case '>=':
      return some((value) => compare(value, first) >= 0);
    case '=between=':
      return some((value) => compare(value, first) >= 0 && compare(value, second) <= 0);
    default:
      return unreachable(operator);
  }
}

function isLike(pattern: string, text: string): boolean {
  const pool = Buffer.from(text);
  return compileLike(pattern, { pool, offsets: Uint32Array.of(0, pool.length) })(0);
}

/** Compares two values of one type; text by code point, the order of UTF-8 bytes and not of UTF-16. */
function compare(one: Scalar, other: Scalar): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return one < other ? -1 : one > other ? 1 : 0;
}
