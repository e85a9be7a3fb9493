import { OperationTypeNode } from 'graphql';
import { type GraphDocument, findOperation } from './document.js';
import { SlipwayError } from '../../resources/errors.js';
import { execute, type Execution } from './execute.js';
import { introspect } from './introspection.js';
import { createPlan } from './plan.js';
import { toGraphError } from './refusals.js';
import type { GraphSchema } from './schema.js';
import type { Variables } from './selection.js';
import { shapeOf } from './shape.js';
import { readVariables } from './variables.js';
import type { Cursors, DatasetView } from './view.js';
import type { Planned } from './work.js';

export interface GraphRequest {
  graph: GraphSchema;
  /** Valid for the schema. */
  document: GraphDocument;
  operationName: string | undefined;
  variables: Variables;
}

export interface GraphReading {
  /** Every dataset of the schema, as this request reads it. */
  views: ReadonlyMap<string, DatasetView>;
  cursors: Cursors;
  rowOf: Execution['rowOf'];
}

export interface GraphAnswer {
  /** JSON text. */
  data: string;
  cost: number;
  /** Of the datasets that were read. */
  versions: Record<string, number>;
}

/**
 * Answers a query from memory alone, each dataset in one version.
 * @throws GraphQLError; where one of our codes belongs to it, a SlipwayError is its original error
 */
export async function answerGraph(
  request: GraphRequest,
  { views, cursors, rowOf }: GraphReading,
): Promise<GraphAnswer> {
  const { graph, document } = request;
  const { schema } = graph;
  const operation = findOperation(document, request.operationName);
  if (operation.operation !== OperationTypeNode.QUERY) {
    throw toGraphError(new SlipwayError('graphql.operation', 'only queries are executed: rows are written over REST'));
  }
  const variables = readVariables(schema, operation, request.variables);
  const viewOf = (name: string): DatasetView => {
    const view = views.get(name);
    if (view === undefined) throw new SlipwayError('internal', `the schema has ${name}, and there is no view of it`);
    return view;
  };
  const shape = shapeOf({ graph, document, operation, variables });
  const plan = createPlan(shape, { variables, viewOf });
  const states = [...views.values()].map(({ name, version, asOf }) => ({ name, version, asOf }));
  await takeVersions(plan.members, cursors, new Map());
  const introspected = await introspect(plan, { schema, document, operation, variables });
  const data = await execute(plan, { cursors, rowOf, viewOf, states, introspected });
  const versions = Object.fromEntries(shape.datasets.map((name) => [name, viewOf(name).version]));
  return { data, cost: plan.cost, versions };
}

/** A walk goes on in the version that it began with, and with it all that this request reads of that dataset. */
async function takeVersions(fields: readonly Planned[], cursors: Cursors, taken: Map<string, number>): Promise<void> {
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
