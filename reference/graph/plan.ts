import {
  type FieldNode,
  getArgumentValues,
  GraphQLError,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Leaf } from '../../resources/dataset-leaves.js';
import { type ErrorCode, SlipwayError } from '../../resources/errors.js';
import { type LookupArguments, readIds, readLookup, readSearch, type SearchArguments } from './arguments.js';
import { GRAPH_LIMITS, INTROSPECTION_COST, REFERENCES_COUNTED } from './limits.js';
import type { Meaning } from './meaning.js';
import type { GraphSchema } from './schema.js';
import { collectFields, type Selecting } from './selection.js';
import type { DatasetView } from './view.js';

type Reading = 'rows' | 'referring' | 'one' | 'by_ids' | 'lookup' | 'reference';

/** What a field of a request reads, with its arguments. */
export type Work =
  | { kind: 'typename'; text: string }
  | { kind: 'introspection'; nodes: readonly FieldNode[] }
  | { kind: 'rows'; view: DatasetView; search: SearchArguments; /** Only rows that refer through it. */ leaf?: Leaf }
  | { kind: 'ids'; view: DatasetView; ids: readonly bigint[]; list: boolean }
  | { kind: 'lookup'; view: DatasetView; lookup: LookupArguments }
  | { kind: 'reference'; view: DatasetView; member: string; list: boolean }
  | Exclude<Meaning, { kind: Reading }>;

/** A field of a request. */
export interface Planned {
  /** `"key":` */
  prefix: string;
  path: readonly string[];
  node: FieldNode;
  work: Work;
  members: readonly Planned[];
  /** Of the field and all within it. */
  cost: number;
}

export interface Plan {
  members: readonly Planned[];
  cost: number;
}

export interface PlanOptions extends Selecting {
  graph: GraphSchema;
  viewOf: (dataset: string) => DatasetView;
}

/** What a field reads, how many rows for one of those above, and the type of its own fields. */
interface Found {
  work: Work;
  size: number;
  inner?: GraphQLObjectType | undefined;
}

interface Place {
  path: readonly string[];
  /** How often it is read: the sizes of all lists that it stands in, multiplied. */
  times: number;
}

/**
 * Reads an operation that was found valid: what it asks for in which order, every argument, and what it will cost, before
 * anything is looked up.
 * @throws GraphQLError whose original error has the code: graphql.too_deep, graphql.too_costly, or that of an argument
 */
export function createPlan(operation: OperationDefinitionNode, options: PlanOptions): Plan {
  const { graph, viewOf, variables } = options;
  let fields = 0;

  const planFields = (type: GraphQLObjectType, sets: readonly SelectionSetNode[], place: Place): Planned[] =>
    [...collectFields(sets, type.name, options)].map(([key, nodes]) => planField(type, key, nodes, place));

  function planField(type: GraphQLObjectType, key: string, nodes: readonly FieldNode[], above: Place): Planned {
    const [node] = nodes;
    if (node === undefined) throw new SlipwayError('internal', 'a field without a node');
    const here = { path: [...above.path, key], node };
    fields += 1;
    if (fields > GRAPH_LIMITS.cost) throw tooCostly(here);
    const { work, size, inner } = workOf(type, nodes, here);
    const isOfSchema = work.kind !== 'typename' && work.kind !== 'introspection';
    if (isOfSchema && here.path.length > GRAPH_LIMITS.depth) {
      throw refusal('graphql.too_deep', `fields nest at most ${GRAPH_LIMITS.depth} levels deep`, here);
    }
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    const place = { path: here.path, times: above.times * size };
    const members = inner === undefined ? [] : planFields(inner, sets, place);
    const own = work.kind === 'introspection' ? INTROSPECTION_COST : above.times;
    return { ...here, prefix: `${JSON.stringify(key)}:`, work, members, cost: sum(members, own) };
  }

  function workOf(type: GraphQLObjectType, nodes: readonly FieldNode[], here: Located): Found {
    const { node } = here;
    const name = node.name.value;
    const alone = (work: Work) => ({ work, size: 1 });
    if (name === '__typename') return alone({ kind: 'typename', text: JSON.stringify(type.name) });
    if (name.startsWith('__')) return alone({ kind: 'introspection', nodes });
    const known = graph.fieldOf(type.name, name);
    if (known === undefined) throw new SlipwayError('internal', `no ${type.name}.${name}`);
    const { field, meaning, inner } = known;
    if (!('dataset' in meaning)) return { ...alone(meaning), inner };
    return located(here, (): Found => {
      const view = viewOf(meaning.dataset);
      if (meaning.kind === 'reference') {
        const { member, list } = meaning;
        return { work: { kind: 'reference', view, member, list }, size: list ? REFERENCES_COUNTED : 1, inner };
      }
      const given = getArgumentValues(field, node, variables);
      if (meaning.kind === 'one' || meaning.kind === 'by_ids') {
        const ids = readIds(given);
        return { work: { kind: 'ids', view, ids, list: meaning.kind === 'by_ids' }, size: ids.length, inner };
      }
      if (meaning.kind === 'lookup') {
        const lookup = readLookup(given, view);
        return { work: { kind: 'lookup', view, lookup }, size: lookup.limit, inner };
      }
      const search = readSearch(given, view);
      const through = meaning.kind === 'referring' ? { leaf: meaning.leaf } : {};
      return { work: { kind: 'rows', view, search, ...through }, size: search.size, inner };
    });
  }

  const query = graph.schema.getQueryType();
  if (query == null) throw new SlipwayError('internal', 'the schema has no query type');
  const members = planFields(query, [operation.selectionSet], { path: [], times: 1 });
  const cost = sum(members, 0);
  if (cost > GRAPH_LIMITS.cost) throw tooCostly(costliest(members), cost);
  return { members, cost };
}

const sum = (members: readonly Planned[], own: number): number => members.reduce((all, { cost }) => all + cost, own);

/** Down the dearest field of each level, to the last that has fields of its own. */
function costliest(members: readonly Planned[]): Planned | undefined {
  const [dearest] = members.toSorted((one, other) => other.cost - one.cost);
  if (dearest === undefined) return undefined;
  const next = costliest(dearest.members);
  return next !== undefined && next.members.length > 0 ? next : dearest;
}

/** Where something stands in a request. */
export interface Located {
  path: readonly string[];
  node: FieldNode;
}

function tooCostly(at: Located | undefined, cost?: number): GraphQLError {
  const path = at?.path.join('.') ?? '';
  const found = cost === undefined ? `more than ${GRAPH_LIMITS.cost}` : String(cost);
  const message = `the request costs ${found}, at most ${GRAPH_LIMITS.cost} is allowed; the costliest path is ${path}`;
  return refusal('graphql.too_costly', message, at, { cost: cost ?? null, costliest_path: path });
}

function refusal(code: ErrorCode, message: string, at?: Located, members: Record<string, unknown> = {}) {
  return toGraphError(new SlipwayError(code, message, { members }), at);
}

/** An error of ours at its place in a request. */
export const toGraphError = (originalError: SlipwayError, at?: Located): GraphQLError =>
  new GraphQLError(originalError.message, { nodes: at?.node, path: at?.path, originalError });

/** Errors of ours that come up in here are errors of this place. */
export function located<Result>(at: Located, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof SlipwayError ? toGraphError(cause, at) : cause;
  }
}
