import { unreachable } from '../../platform/kinds/errors.js';
import { type StoredRow, valueAt } from '../columns/stored-row.js';
import { explainFilter } from './explain.js';
import type { Filter } from './filter.js';
import { compileRowPredicate } from './row-predicate.js';

/** Why a row fulfils a filter or not, condition by condition. */
export type Verdict =
  | { holds: boolean; of: 'all of' | 'any of' | 'not'; terms: Verdict[] }
  /** @param value of the row; integers as text, which keeps their digits; `null`: it is absent */
  | { holds: boolean; condition: string; value: unknown };

export function judgeRow(filter: Filter, row: StoredRow): Verdict {
  const holds = compileRowPredicate(filter)(row);
  switch (filter.kind) {
    case 'and':
      return { holds, of: 'all of', terms: filter.terms.map((term) => judgeRow(term, row)) };
    case 'or':
      return { holds, of: 'any of', terms: filter.terms.map((term) => judgeRow(term, row)) };
    case 'not':
      return { holds, of: 'not', terms: [judgeRow(filter.term, row)] };
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
