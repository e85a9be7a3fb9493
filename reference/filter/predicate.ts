import { SlipwayError, unreachable } from '../../platform/kinds/errors.js';
import { ABSENT, type Column, type ListColumn, presenceOf } from '../columns/column.js';
import type { Columns } from '../columns/index.js';
import { compileEntry, type EntryTest, type PositiveOperator } from './entry-test.js';
import type { Condition, Filter } from './filter.js';
import { compileNear } from './near.js';

/** Whether a row fulfils the filter. */
export type Predicate = (row: number) => boolean;

/**
 * Compiles a filter to a test of the rows that exist now; rows set later need a new predicate. Cheap terms of a
 * junction are tested first.
 */
export function compilePredicate(filter: Filter, columns: Pick<Columns, 'column'>): Predicate {
  switch (filter.kind) {
    case 'and':
      return allOf(inOrderOfCost(filter.terms).map((term) => compilePredicate(term, columns)));
    case 'or':
      return anyOf(inOrderOfCost(filter.terms).map((term) => compilePredicate(term, columns)));
    case 'not': {
      const term = compilePredicate(filter.term, columns);
      return (row) => !term(row);
    }
    case 'near':
      return compileNear(filter, columns);
    case 'condition':
      return compileCondition(filter, columns);
    default:
      return unreachable(filter);
  }
}

function allOf(terms: readonly Predicate[]): Predicate {
  const [first, second] = terms;
  if (first !== undefined && second !== undefined && terms.length === 2) return (row) => first(row) && second(row);
  return (row) => {
    for (const term of terms) if (!term(row)) return false;
    return true;
  };
}

function anyOf(terms: readonly Predicate[]): Predicate {
  return (row) => {
    for (const term of terms) if (term(row)) return true;
    return false;
  };
}

const inOrderOfCost = (terms: readonly Filter[]): Filter[] =>
  terms.toSorted((one, other) => costOf(one) - costOf(other));

/** Cost of a distance, of which most rows need only the first comparison. */
const NEAR_COST = 4;

/** Estimates the worst-case cost of testing one row, in comparisons of two numbers. */
export function costOf(filter: Filter): number {
  if (filter.kind === 'not') return costOf(filter.term);
  if (filter.kind === 'near') return NEAR_COST;
  if (filter.kind !== 'condition') return filter.terms.reduce((sum, term) => sum + costOf(term), 0);
  const { leaf, operator } = filter;
  const isWords = leaf.type === 'text' && !['==', '!=', '=null=', '=in=', '=out='].includes(operator);
  return (isWords ? 10 : 1) * (leaf.list ? 4 : 1) + (filter.values.length > 2 ? 2 : 0);
}

function compileCondition({ leaf, operator, values }: Condition, columns: Pick<Columns, 'column'>): Predicate {
  const column = columns.column(leaf.path);
  if (column === undefined) throw new SlipwayError('internal', `${leaf.path} has no column`);
  switch (operator) {
    case '!=':
      return compileNegated(column, '==', values);
    case '=out=':
      return compileNegated(column, '=in=', values);
    case '=null=': {
      const present = presenceOf(column);
      return values[0] === true ? (row) => !present(row) : present;
    }
    case '==':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '=in=':
    case '=like=':
    case '=between=':
      return compilePositive(column, operator, values);
    default:
      return unreachable(operator);
  }
}

const compilePositive = (column: Column, operator: PositiveOperator, values: Condition['values']): Predicate =>
  column.kind === 'list'
    ? anyEntry(column, compileEntry(column.items, operator, values))
    : compileEntry(column, operator, values);

function compileNegated(column: Column, operator: PositiveOperator, values: Condition['values']): Predicate {
  const present = presenceOf(column);
  const holds = compilePositive(column, operator, values);
  return (row) => present(row) && !holds(row);
}

function anyEntry({ starts, counts }: ListColumn, entry: EntryTest): Predicate {
  return (row) => {
    const start = starts[row] ?? 0;
    const end = start + (counts[row] ?? ABSENT);
    for (let at = start; at < end; at += 1) if (entry(at)) return true;
    return false;
  };
}
