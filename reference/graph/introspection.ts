import { type DocumentNode, execute, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { GraphDocument } from './document.js';
import type { Plan } from './plan.js';
import type { Variables } from './selection.js';

interface IntrospectionRequest {
  schema: GraphQLSchema;
  document: GraphDocument;
  operation: OperationDefinitionNode;
  variables: Variables;
}

/** Executes the introspection fields of a plan. @returns JSON text by response name */
export async function introspect({ members }: Plan, asked: IntrospectionRequest): Promise<Map<string, string>> {
  const { schema, document, operation, variables } = asked;
  const selections = members.flatMap(({ work }) => (work.kind === 'introspection' ? work.nodes : []));
  if (selections.length === 0) return new Map();
  const alone: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } },
      ...document.fragments.values(),
    ],
  };
  const { data, errors } = await execute({ schema, document: alone, variableValues: variables });
  if (errors?.[0] !== undefined) throw errors[0];
  return new Map(Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}
