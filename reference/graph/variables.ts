import {
  coerceInputValue,
  getNamedType,
  getVariableValues,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { Variables } from './selection.js';

const MOST_ERRORS = 10;

interface Definition {
  name: string;
  type: GraphQLInputType;
  /** Name of the type, without its lists. */
  typeName: string;
  /** Whether it is nullable and has no default. */
  isOptional: boolean;
}

const known = new WeakMap<GraphQLSchema, WeakMap<OperationDefinitionNode, readonly Definition[]>>();

/**
 * The values of an operation's variables.
 * @param given values from the lossless parser, which keeps integers as bigint
 * @throws GraphQLError for the first invalid one; `graphql.variables` unless the scalar has a code of its own
 */
export function readVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Variables): Variables {
  const read: Record<string, unknown> = {};
  const definitions = definitionsOf(schema, operation);
  let isWrong = false;
  for (const { name, type, typeName, isOptional } of definitions) {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? toInput(given[name], typeName) : undefined;
    if (value != null) read[name] = coerceInputValue(value, type, () => void (isWrong = true));
    else if (!isOptional) isWrong = true;
    else if (isGiven) read[name] = null;
  }
  // The library applies defaults and words the errors.
  return isWrong ? readByLibrary(schema, operation, { definitions, given }) : read;
}

function readByLibrary(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  { definitions, given }: { definitions: readonly Definition[]; given: Variables },
): Variables {
  const inputs = Object.fromEntries(
    definitions.flatMap(({ name, typeName }) =>
      Object.hasOwn(given, name) ? [[name, toInput(given[name], typeName)]] : [],
    ),
  );
  const { variableDefinitions = [] } = operation;
  const { errors, coerced } = getVariableValues(schema, variableDefinitions, inputs, { maxErrors: MOST_ERRORS });
  const [error] = errors ?? [];
  if (error === undefined) return coerced ?? {};
  const { message, nodes, path, extensions } = error;
  throw new GraphQLError(message, { nodes, path, extensions: { code: 'graphql.variables', ...extensions } });
}

/** Resolves the definitions once per operation and schema. */
function definitionsOf(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly Definition[] {
  const before = known.get(schema)?.get(operation);
  if (before !== undefined) return before;
  const { variableDefinitions = [] } = operation;
  const made = variableDefinitions.flatMap(({ variable, type: node, defaultValue }): Definition[] => {
    const type = typeFromAST(schema, node);
    // Variables of a valid document have input types only.
    if (!isInputType(type)) return [];
    const isOptional = defaultValue === undefined && node.kind !== Kind.NON_NULL_TYPE;
    return [{ name: variable.name.value, type, typeName: getNamedType(type).name, isOptional }];
  });
  const ofSchema = known.get(schema) ?? new WeakMap<OperationDefinitionNode, readonly Definition[]>();
  known.set(schema, ofSchema.set(operation, made));
  return made;
}

/** Converts a bigint for the built-in types, which take numbers; the scalars of this schema take the digits. */
function toInput(value: unknown, type: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => toInput(entry, type));
  if (typeof value !== 'bigint') return value;
  if (type === GraphQLInt.name || type === GraphQLFloat.name) return Number(value);
  return type === GraphQLID.name ? String(value) : value;
}
