import {
  type FieldNode,
  getArgumentValues,
  type GraphQLField,
  type GraphQLInputType,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import type { Variables } from './selection.js';

export type ArgumentValues = Readonly<Record<string, unknown>>;

/** An argument whose value is a variable. */
interface VariableArgument {
  name: string;
  variable: string;
  nullable: boolean;
}

/**
 * Compiles the reading of a field's arguments (GraphQL, 6.4.1 CoerceArgumentValues): work that is the same for every
 * request is done once.
 */
export function createArgumentValues(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => ArgumentValues {
  const varying: VariableArgument[] = [];
  const constant: Record<string, unknown> = {};
  const nodes = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  for (const { name, type, defaultValue } of field.args) {
    const value = nodes.get(name);
    if (value?.kind === Kind.VARIABLE) {
      varying.push({ name, variable: value.name.value, nullable: !isNonNullType(type) });
      continue;
    }
    const read = value === undefined ? defaultValue : constantOf(value, type);
    if (read !== undefined) constant[name] = read;
    else if (value !== undefined || isNonNullType(type)) return (given) => getArgumentValues(field, node, given);
  }
  if (varying.length === 0) return () => constant;
  // With every name that a request will set: adding unknown names to an object later is slow.
  const all = { ...constant, ...Object.fromEntries(varying.map(({ name }) => [name, undefined])) };

  return (variables) => {
    const values: Record<string, unknown> = { ...all };
    for (const { name, variable, nullable } of varying) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      // The library applies defaults and words the errors.
      if (value === undefined || (value === null && !nullable)) return getArgumentValues(field, node, variables);
      values[name] = value;
    }
    return values;
  };
}

/** Returns undefined where the value must be read for each request: a list or an object may contain variables. */
const constantOf = (value: ValueNode, type: GraphQLInputType): unknown =>
  value.kind === Kind.LIST || value.kind === Kind.OBJECT ? undefined : valueFromAST(value, type);
