import { unreachable } from '../../platform/kinds/errors.js';
import { type StoredRow, valueAt } from '../columns/stored-row.js';
import { explainFilter } from './explanation.js';
import type { Filter } from './filter.js';
import { compileRowPredicate } from './row-predicate.js';

/** The evaluation of a filter on one row, condition by condition. */
export type FilterTestResult =
  | { holds: boolean; of: 'all of' | 'any of' | 'not'; terms: FilterTestResult[] }
  /** @param value of the row; integers as text, which keeps their digits; `null`: absent */
  | { holds: boolean; condition: string; value: unknown };

export function testRow(filter: Filter, row: StoredRow): FilterTestResult {
  const holds = compileRowPredicate(filter)(row);
  switch (filter.kind) {
    case 'and':
      return { holds, of: 'all of', terms: filter.terms.map((term) => testRow(term, row)) };
    case 'or':
      return { holds, of: 'any of', terms: filter.terms.map((term) => testRow(term, row)) };
    case 'not':
      return { holds, of: 'not', terms: [testRow(filter.term, row)] };
    case 'near': {
      const { latitude, longitude } = filter.point;
      const value = [valueAt(row, latitude), valueAt(row, longitude)].map((each) => shown(each));
      return { holds, condition: explainFilter(filter), value };
    }
    case 'condition':
      return { holds, condition: explainFilter(filter), value: shown(valueAt(row, filter.leaf)) };
    default:
      return unreachable(filter);
  }
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}
