import { readIds, readLookup, readSearch } from './arguments.js';
import { GRAPH_LIMITS } from './limits.js';
import { type Reading, viewOf } from './reading.js';
import { located, tooCostly } from './refusals.js';
import type { Variables } from './selection.js';
import { costOf, isFixed, type Open, type OperationShape, type Shape } from './shape.js';
import type { Planned, Work } from './work.js';

export interface Plan {
  members: readonly Planned[];
  cost: number;
}

export interface Planning {
  variables: Variables;
  views: Reading['views'];
}

/** The work of a field, and the number of rows for each row of its parent. */
interface Asked {
  work: Work;
  size: number;
}

/**
 * Reads every argument of an operation and computes its cost, before any data is read.
 * @throws GraphQLError whose original error has the code: graphql.too_costly, or that of an argument
 */
export function createPlan({ members: shapes }: OperationShape, planning: Planning): Plan {
  const members = shapes.map((shape) => planField(shape, planning));
  const cost = members.reduce((all, member) => all + member.cost, 0);
  if (cost > GRAPH_LIMITS.cost) throw tooCostly(costliest(members), cost);
  return { members, cost };
}

function planField(shape: Shape, planning: Planning): Planned {
  if (isFixed(shape)) return shape;
  const { prefix, path, node, reach } = shape;
  const { work, size } = located(shape, () => ask(shape, planning));
  const members = planFields(shape.members, planning);
  return { prefix, path, node, work, members, cost: costOf(members, size), reach };
}

/** Returns the list of the shape itself when nothing in it depends on the request: texts are cached by it. */
const planFields = (shapes: readonly Shape[], planning: Planning): readonly Planned[] =>
  shapes.every(isFixed) ? shapes : shapes.map((shape) => planField(shape, planning));

function ask({ asks }: Open, { variables, views }: Planning): Asked {
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
  const search = readSearch(given, view);
  const leaf = meaning.kind === 'referring' ? meaning.leaf : undefined;
  return { work: { kind: 'rows', view, search, leaf }, size: search.size };
}

/** Follows the costliest field of each level, down to the last that has fields of its own. */
function costliest(members: readonly Planned[]): Planned | undefined {
  const [dearest] = members.toSorted((one, other) => other.cost - one.cost);
  if (dearest === undefined) return undefined;
  const next = costliest(dearest.members);
  return next !== undefined && next.members.length > 0 ? next : dearest;
}
