import { OperationTypeNode } from 'graphql';
import { type GraphDocument, findOperation } from './document.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createExecutor, type ExecutorOptions } from './executor.js';
import { introspect } from './introspection.js';
import { createPlan } from './plan.js';
import { type ReadContext, viewOf } from './read-context.js';
import { toGraphError } from './graph-errors.js';
import type { GraphSchema } from './schema.js';
import type { Variables } from './selection.js';
import { type OperationShape, shapeOf } from './shape.js';
import { readVariables } from './variables.js';
import type { Cursors, DatasetView } from './view.js';
import type { PlannedField } from './planned-field.js';

export interface GraphRequest {
  graph: GraphSchema;
  /** Validated against the schema. */
  document: GraphDocument;
  operationName: string | undefined;
  variables: Variables;
  /** Returns the current view of a dataset of the schema. */
  viewOf: (dataset: string) => DatasetView;
}

export interface GraphAnswer {
  /** JSON text. */
  data: string;
  cost: number;
  /** Versions of the datasets that were read. */
  versions: Record<string, number>;
}

/**
 * Answers queries from memory alone, each dataset in one version.
 * @throws GraphQLError; its original error is a SlipwayError where an error code applies
 */
export function createAnswerGraph({ cursors, rowsOf }: ExecutorOptions) {
  const execute = createExecutor({ cursors, rowsOf });
  return async (request: GraphRequest): Promise<GraphAnswer> => {
    const { graph, document } = request;
    const { schema } = graph;
    const operation = findOperation(document, request.operationName);
    if (operation.operation !== OperationTypeNode.QUERY) {
      const why = 'only queries are executed: rows are written over REST';
      throw toGraphError(new SlipwayError('graphql.operation', why));
    }
    const variables = readVariables(schema, operation, request.variables);
    const shape = shapeOf({ graph, document, operation, variables });
    const views = viewsFor(shape, request);
    const plan = createPlan(shape, { variables, views });
    const states = shape.readsStates ? statesOf(views) : [];
    if (plan.members.some(continues)) await takeVersions(plan.members, cursors, new Map());
    const introspected = shape.introspects
      ? await introspect(plan, { schema, document, operation, variables })
      : NOT_ASKED;
    const data = await execute(plan, { views, states, introspected });
    const versions: Record<string, number> = {};
    for (const name of shape.datasets) versions[name] = viewOf({ views }, name).version;
    return { data, cost: plan.cost, versions };
  };
}

const NOT_ASKED: ReadonlyMap<string, string> = new Map();

/** Takes the views of all datasets synchronously, so that they are consistent. */
function viewsFor(shape: OperationShape, { graph, viewOf: view }: GraphRequest): ReadContext['views'] {
  const views = new Map<string, DatasetView>();
  for (const name of shape.readsStates ? graph.datasets : shape.datasets) views.set(name, view(name));
  return views;
}

const statesOf = (views: ReadContext['views']) =>
  [...views.values()].map(({ name, version, asOf }) => ({ name, version, asOf }));

/** Whether the field, or a field within it, continues a walk. */
const continues = ({ work, members }: PlannedField): boolean =>
  (work.kind === 'rows' && work.search.after !== undefined) || members.some(continues);

/** Sets the version of each dataset that a cursor names: a walk and all else in the request read that version. */
async function takeVersions(
  fields: readonly PlannedField[],
  cursors: Cursors,
  taken: Map<string, number>,
): Promise<void> {
  for (const field of fields) {
    const { work } = field;
    if (work.kind === 'rows' && work.search.after !== undefined) {
      const { view, search } = work;
      const version = await cursors.versionOf(search.after ?? '', view.name).catch((cause: unknown) => {
        throw cause instanceof SlipwayError ? toGraphError(cause, field) : cause;
      });
      const other = taken.get(view.name);
      if (other !== undefined && other !== version) {
        const why = `one request reads one version of ${view.name}, and its cursors are of ${other} and ${version}`;
        throw toGraphError(new SlipwayError('page.token_mismatch', why), field);
      }
      taken.set(view.name, version);
      view.version = version;
    }
    await takeVersions(field.members, cursors, taken);
  }
}
