import { parseStoredRow, type StoredRow, valueAt } from '../columns/stored-row.js';
import type { ScalarType } from '../dataset/dataset-field.js';
import type { Leaf } from '../dataset/dataset-leaves.js';
import type { Filter } from './filter.js';
import { compileRowPredicate, type RowPredicate } from './row-predicate.js';

/** Combines a rule with the filter of a request; undefined: every row. */
export function withRule(rule: Filter | undefined, filter: Filter | undefined): Filter | undefined {
  if (rule === undefined || filter === undefined) return rule ?? filter;
  const terms = [rule, filter].flatMap((each) => (each.kind === 'and' ? each.terms : [each]));
  return { kind: 'and', terms, start: 0, end: 0 };
}

/**
 * Compiles a rule to a test of stored rows. A row with a value of another type, which an earlier declaration accepted,
 * does not fulfil it: `not( )` of a comparison of two types would be true.
 */
export function compileRule(rule: Filter): RowPredicate {
  const leaves = leavesIn(rule);
  const fulfils = compileRowPredicate(rule);
  return (row) => leaves.every((leaf) => isOfType(leaf, row)) && fulfils(row);
}

/** The same for the stored text of a row. */
export function compileTextRule(rule: Filter): (body: string) => boolean {
  const fulfils = compileRule(rule);
  return (body) => fulfils(parseStoredRow(body));
}

function leavesIn(filter: Filter): Leaf[] {
  if (filter.kind === 'condition') return [filter.leaf];
  if (filter.kind === 'near') return [filter.point.latitude, filter.point.longitude];
  return (filter.kind === 'not' ? [filter.term] : filter.terms).flatMap(leavesIn);
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
const isInteger = (value: unknown) => typeof value === 'bigint' || Number.isInteger(value);
const isId = (value: unknown) => typeof value === 'string' && /^\d+$/.test(value);
// prettier-ignore
const STORED: Readonly<Record<ScalarType, (value: unknown) => boolean>> = {
  text: isText, enum: isText, date: isText, timestamp: isText,
  id: isId, integer: isInteger, decimal: isNumber,
  boolean: (value) => typeof value === 'boolean',
};

function isOfType(leaf: Leaf, row: StoredRow): boolean {
  const value = valueAt(row, leaf);
  if (value === undefined || value === null) return true;
  const isFitting = STORED[leaf.type];
  return leaf.list ? Array.isArray(value) && value.every(isFitting) : isFitting(value);
}
