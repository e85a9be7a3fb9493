import { unreachable } from '../../platform/kinds/errors.js';
import type { Columns } from '../columns/index.js';
import type { Condition, Filter } from './filter.js';

/** An access path: a way to the rows of a filter without a full scan. */
export interface AccessPath {
  /** Upper bound of the rows that will be visited. */
  rows: number;
  /** Visits at least the rows that fulfil the filter, some of them more than once. */
  each(visit: (row: number) => void): void;
  /** The conditions answered by an index. */
  conditions: readonly Condition[];
}

export interface Indexes {
  columns: Pick<Columns, 'index'>;
  /** The row of an id, -1 when there is none. */
  findId: (id: bigint) => number;
}

/** Finds the narrowest access path of a filter; undefined when a full scan is needed. */
export function findAccessPath(filter: Filter, indexes: Indexes): AccessPath | undefined {
  switch (filter.kind) {
    case 'and':
      return filter.terms
        .map((term) => findAccessPath(term, indexes))
        .filter((access) => access !== undefined)
        .toSorted((one, other) => one.rows - other.rows)[0];
    case 'or': {
      const accesses = filter.terms.map((term) => findAccessPath(term, indexes));
      const found = accesses.filter((access) => access !== undefined);
      return found.length === accesses.length ? unionOf(found) : undefined;
    }
    case 'not':
    case 'near':
      return undefined;
    case 'condition':
      return accessOf(filter, indexes);
    default:
      return unreachable(filter);
  }
}

const unionOf = (accesses: readonly AccessPath[]): AccessPath => ({
  rows: accesses.reduce((sum, { rows }) => sum + rows, 0),
  each(visit) {
    for (const access of accesses) access.each(visit);
  },
  conditions: accesses.flatMap(({ conditions }) => conditions),
});

function accessOf(condition: Condition, { columns, findId }: Indexes): AccessPath | undefined {
  const { leaf, operator, values } = condition;
  if (operator !== '==' && operator !== '=in=') return undefined;
  if (leaf.path === 'id') {
    const rows = values.map((id) => findId(id as bigint)).filter((row) => row >= 0);
    return {
      rows: rows.length,
      each(visit) {
        for (const row of rows) visit(row);
      },
      conditions: [condition],
    };
  }
  const index = columns.index(leaf.path);
  if (index === undefined) return undefined;
  const codes = values.map((value) => index.find(value)).filter((code) => code >= 0);
  return {
    rows: codes.reduce((sum, code) => sum + index.count(code), 0),
    each(visit) {
      for (const code of codes) index.each(code, visit);
    },
    conditions: [condition],
  };
}
