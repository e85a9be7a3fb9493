import { readFigures, readIds, readLookup, readSearch } from './arguments.js';
import { GRAPH_LIMITS } from './limits.js';
import { type ReadContext, viewOf } from './read-context.js';
import { atField, tooCostly } from './graph-errors.js';
import type { Variables } from './selection.js';
import { costOf, isFixed, type OpenField, type OperationShape, type Shape } from './shape.js';
import type { PlannedField, Work } from './planned-field.js';

export interface Plan {
  members: readonly PlannedField[];
  cost: number;
}

export interface PlanContext {
  variables: Variables;
  views: ReadContext['views'];
}

/** The work of a field, and the number of rows for each row of its parent. */
interface SizedWork {
  work: Work;
  size: number;
}

/**
 * Reads every argument of an operation and computes its cost, before any data is read.
 * @throws GraphQLError whose original error has the code: graphql.too_costly, or that of an argument
 */
export function createPlan({ members: shapes }: OperationShape, planning: PlanContext): Plan {
  const members = shapes.map((shape) => planField(shape, planning));
  const cost = members.reduce((all, member) => all + member.cost, 0);
  if (cost > GRAPH_LIMITS.cost) throw tooCostly(costliest(members), cost);
  return { members, cost };
}

function planField(shape: Shape, planning: PlanContext): PlannedField {
  if (isFixed(shape)) return shape;
  const { prefix, path, node, reach } = shape;
  const { work, size } = atField(shape, () => workOf(shape, planning));
  const members = planFields(shape.members, planning);
  return { prefix, path, node, work, members, cost: costOf(members, size), reach };
}

/** Returns the list of the shape itself when nothing in it depends on the request: texts are cached by it. */
const planFields = (shapes: readonly Shape[], planning: PlanContext): readonly PlannedField[] =>
  shapes.every(isFixed) ? shapes : shapes.map((shape) => planField(shape, planning));

function workOf({ asks }: OpenField, { variables, views }: PlanContext): SizedWork {
  if ('work' in asks) return asks;
  const { meaning, argumentsOf } = asks;
  const view = viewOf({ views }, meaning.dataset);
  const given = argumentsOf(variables);
  if (meaning.kind === 'one' || meaning.kind === 'by_ids') {
    const ids = readIds(given);
    return { work: { kind: 'ids', view, ids, list: meaning.kind === 'by_ids' }, size: ids.length };
  }
  if (meaning.kind === 'lookup') {
    const lookup = readLookup(given, view);
    return { work: { kind: 'lookup', view, lookup }, size: lookup.limit };
  }
  if (meaning.kind === 'facets' || meaning.kind === 'aggregates') {
    const leaves = readFigures(meaning.kind, given, view);
    return { work: { kind: meaning.kind, leaves }, size: leaves.length };
  }
  const search = readSearch(given, view);
  const leaf = meaning.kind === 'referring' ? meaning.leaf : undefined;
  return { work: { kind: 'rows', view, search, leaf }, size: search.size };
}

/** Follows the costliest field of each level, down to the last that has fields of its own. */
function costliest(members: readonly PlannedField[]): PlannedField | undefined {
  const [dearest] = members.toSorted((one, other) => other.cost - one.cost);
  if (dearest === undefined) return undefined;
  const next = costliest(dearest.members);
  return next !== undefined && next.members.length > 0 ? next : dearest;
}
