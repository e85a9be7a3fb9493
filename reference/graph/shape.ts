import type { FieldNode, GraphQLObjectType, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type ArgumentValues, createArgumentValues } from './argument-values.js';
import { FIGURE_LIMITS } from '../dataset/figures.js';
import type { GraphDocument } from './document.js';
import { GRAPH_LIMITS, INTROSPECTION_COST, REFERENCES_COUNTED } from './limits.js';
import type { FieldMeaning } from './field-meaning.js';
import { type FieldLocation, graphError, tooCostly } from './graph-errors.js';
import type { GraphSchema } from './schema.js';
import { collectFields, type Variables } from './selection.js';
import type { ArgumentKind, FixedWork, PlannedField } from './planned-field.js';

type ArgumentMeaning = Extract<FieldMeaning, { kind: ArgumentKind }>;

/** A field with arguments that a request may set, on itself or on fields within it. */
export interface OpenField extends FieldLocation {
  prefix: string;
  /** Either it has arguments of its own, or only its members depend on the request. */
  asks:
    | { meaning: ArgumentMeaning; argumentsOf: (variables: Variables) => ArgumentValues }
    | { work: FixedWork; size: number };
  members: readonly Shape[];
  /** As in `Planned`. */
  reach?: readonly string[];
}

/** A field of an operation, as far as the document alone determines it. */
export type Shape = PlannedField | OpenField;

export interface OperationShape {
  members: readonly Shape[];
  /** Names of the datasets that it reads. */
  datasets: readonly string[];
  /** Whether it selects introspection fields. */
  introspects: boolean;
  /** Whether it selects the states of all datasets. */
  readsStates: boolean;
}

interface ShapeInput {
  graph: GraphSchema;
  document: GraphDocument;
  operation: OperationDefinitionNode;
  variables: Variables;
}

const known = new WeakMap<GraphSchema, WeakMap<OperationDefinitionNode, OperationShape>>();

/**
 * Returns the fields of a valid operation in order, before their arguments are read. Computed once per operation and
 * schema, unless variables select fields.
 * @throws GraphQLError whose original error has the code graphql.too_deep or graphql.too_costly
 */
export function shapeOf(reading: ShapeInput): OperationShape {
  const { graph, document, operation } = reading;
  const before = known.get(graph)?.get(operation);
  if (before !== undefined) return before;
  const shape = createShape(reading);
  if (document.isConditional) return shape;
  const shapes = known.get(graph) ?? new WeakMap<OperationDefinitionNode, OperationShape>();
  known.set(graph, shapes.set(operation, shape));
  return shape;
}

function createShape({ graph, document: { fragments }, operation, variables }: ShapeInput): OperationShape {
  const datasets = new Set<string>();
  let fields = 0;

  const shapeFields = (type: GraphQLObjectType, sets: readonly SelectionSetNode[], above: readonly string[]): Shape[] =>
    [...collectFields(sets, type.name, { fragments, variables })].map(([key, nodes]) =>
      shapeField(type, key, nodes, above),
    );

  function shapeField(
    type: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
    above: readonly string[],
  ): Shape {
    const [node] = nodes;
    if (node === undefined) throw new SlipwayError('internal', 'a field without a node');
    const here = { path: [...above, key], node, prefix: `${JSON.stringify(key)}:` };
    fields += 1;
    if (fields > GRAPH_LIMITS.cost) throw tooCostly(here);
    const name = node.name.value;
    if (name === '__typename') return leaf(here, { kind: 'typename', text: JSON.stringify(type.name) });
    if (name.startsWith('__')) return { ...leaf(here, { kind: 'introspection', nodes }), cost: INTROSPECTION_COST };
    const found = graph.fieldOf(type.name, name);
    if (found === undefined) throw new SlipwayError('internal', `no ${type.name}.${name}`);
    if (here.path.length > GRAPH_LIMITS.depth) {
      throw graphError('graphql.too_deep', `fields nest at most ${GRAPH_LIMITS.depth} levels deep`, here);
    }
    const { field, meaning, inner } = found;
    if ('dataset' in meaning) datasets.add(meaning.dataset);
    const sets = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
    const members = inner === undefined ? [] : shapeFields(inner, sets, here.path);
    const fixed = members.filter(isFixed);
    const reach = fixed.length === members.length ? { reach: reachOf(fixed) } : {};
    if (asksOf(meaning)) {
      return { ...here, asks: { meaning, argumentsOf: createArgumentValues(field, node) }, members, ...reach };
    }
    const size = countedSize(meaning);
    if (fixed.length < members.length) return { ...here, asks: { work: meaning, size }, members };
    return { ...here, work: meaning, members: fixed, cost: costOf(fixed, size), ...reach };
  }

  const query = graph.schema.getQueryType();
  if (query == null) throw new SlipwayError('internal', 'the schema has no query type');
  const members = shapeFields(query, [operation.selectionSet], []);
  const has = (kind: FixedWork['kind']) => members.some((member) => isFixed(member) && member.work.kind === kind);
  return {
    members,
    datasets: [...datasets],
    introspects: has('introspection'),
    readsStates: has('datasets'),
  };
}

const leaf = (here: FieldLocation & { prefix: string }, work: FixedWork): PlannedField => ({
  ...{ ...here, work, members: [], cost: 1, reach: [] },
});

export const isFixed = (shape: Shape): shape is PlannedField => 'work' in shape;

/** Rows that the cost assumes for a list without a size argument. */
function countedSize(meaning: FieldMeaning): number {
  if (meaning.kind === 'facet_values') return FIGURE_LIMITS.values;
  return meaning.kind === 'reference' && meaning.list ? REFERENCES_COUNTED : 1;
}

const asksOf = (meaning: FieldMeaning): meaning is ArgumentMeaning =>
  ['rows', 'referring', 'one', 'by_ids', 'lookup', 'facets', 'aggregates'].includes(meaning.kind);

/** Computes the cost of a field per parent object: itself, and its members for each row that it finds. */
export const costOf = (members: readonly PlannedField[], size: number): number =>
  1 + size * members.reduce((all, { cost }) => all + cost, 0);

const reachOf = (members: readonly PlannedField[]): string[] => [
  ...new Set(members.flatMap(({ work, reach = [] }) => (work.kind === 'reference' ? [work.dataset, ...reach] : reach))),
];
