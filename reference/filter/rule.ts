import { parseStoredRow, type StoredRow } from '../columns/stored-row.js';
import type { Filter } from './filter.js';
import { compileRowPredicate, type RowPredicate } from './row-predicate.js';

/** Combines a rule with the filter of a request; undefined: every row. */
export function withRule(rule: Filter | undefined, filter: Filter | undefined): Filter | undefined {
  if (rule === undefined || filter === undefined) return rule ?? filter;
  const terms = [rule, filter].flatMap((each) => (each.kind === 'and' ? each.terms : [each]));
  return { kind: 'and', terms, start: 0, end: 0 };
}

/** Compiles a rule; a row that it cannot be compared with, under an earlier declaration, does not fulfil it. */
export function compileRule(rule: Filter): RowPredicate {
  const fulfils = compileRowPredicate(rule);
  return (row: StoredRow) => {
    try {
      return fulfils(row);
    } catch {
      return false;
    }
  };
}

/** The same for the stored text of a row. */
export function compileTextRule(rule: Filter): (body: string) => boolean {
  const fulfils = compileRule(rule);
  return (body) => fulfils(parseStoredRow(body));
}
