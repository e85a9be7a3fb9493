import {
  getVariableValues,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type TypeNode,
} from 'graphql';
import type { Variables } from './selection.js';

const MOST_ERRORS = 10;

/**
 * The values of an operation's variables.
 * @param given as a reader made it that keeps integers as bigint
 * @throws GraphQLError for the first that is wrong; `graphql.variables` unless the scalar has a code of its own
 */
export function readVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Variables): Variables {
  const definitions = operation.variableDefinitions ?? [];
  const inputs = Object.fromEntries(
    definitions.flatMap(({ variable, type }) => {
      const name = variable.name.value;
      return Object.hasOwn(given, name) ? [[name, toInput(given[name], typeNameOf(schema, type))]] : [];
    }),
  );
  const { errors, coerced } = getVariableValues(schema, definitions, inputs, { maxErrors: MOST_ERRORS });
  const [error] = errors ?? [];
  if (error === undefined) return coerced ?? {};
  const { message, nodes, path, extensions } = error;
  throw new GraphQLError(message, { nodes, path, extensions: { code: 'graphql.variables', ...extensions } });
}

/** The built-in types know numbers alone; ours take the digits as they are. */
function toInput(value: unknown, type: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((entry) => toInput(entry, type));
  if (typeof value !== 'bigint') return value;
  if (type === GraphQLInt.name || type === GraphQLFloat.name) return Number(value);
  return type === GraphQLID.name ? String(value) : value;
}

function typeNameOf(schema: GraphQLSchema, node: TypeNode): string | undefined {
  if (node.kind !== Kind.NAMED_TYPE) return typeNameOf(schema, node.type);
  return typeFromAST(schema, node)?.name;
}
