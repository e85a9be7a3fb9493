import { expect, test } from 'vitest';
import {
  buildSchema,
  type FieldNode,
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { createArgumentValues } from '../../../reference/graph/argument-values.js';
import { readVariables } from '../../../reference/graph/variables.js';

const schema = buildSchema(`
  enum Color { red green }
  input Range { from: Int! = 3, to: Int }
  type Query {
    rows(name: String!, first: Int = 20, size: Int! = 5, ids: [ID!], range: Range, color: Color, price: Float): Int
  }
`);
const rows = schema.getQueryType()?.getFields().rows;

function operationOf(text: string): OperationDefinitionNode {
  const [operation] = parse(text).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`${text} is no operation`);
  return operation;
}

function fieldOf({ selectionSet }: OperationDefinitionNode): FieldNode {
  const [field] = selectionSet.selections;
  if (field?.kind !== Kind.FIELD) throw new Error('the operation has no field');
  return field;
}

const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (err) {
    if (!(err instanceof GraphQLError)) throw err;
    return err.message;
  }
};

const VARIABLES = '$name: String!, $first: Int, $size: Int! = 7, $ids: [ID!], $id: ID!, $color: Color, $price: Float';
const GIVEN: Record<string, unknown>[] = [
  {},
  { name: 'a', id: '1' },
  { name: 'a', id: 1, first: 2, size: 3, ids: ['1', 2], color: 'red', price: 1.5 },
  { name: null, id: '1' },
  { name: 'a', id: '1', first: null, size: null, color: null },
  { name: 'a', id: '1', first: null, ids: null, color: null },
  { name: 5, id: '1' },
  { name: 'a', id: '1', color: 'blue' },
  { name: 'a', id: '1', ids: '7', price: 2, other: true },
  { name: 'a', id: '1', ids: ['7', null] },
];

test.each(GIVEN)('variables are read as the library reads them: %j', (given) => {
  const operation = operationOf(`query (${VARIABLES}) { rows(name: $name) }`);
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  const expected = errors?.[0]?.message ?? coerced;
  for (const time of ['first', 'second']) {
    expect([time, outcomeOf(() => readVariables(schema, operation, given))]).toEqual([time, expected]);
  }
});

test('digits of a variable are a number where the type is one', () => {
  const operation = operationOf('query ($first: Int, $ids: [ID!], $price: Float) { rows(name: "") }');
  const given = { first: 5n, ids: [9_007_199_254_740_993n], price: 2n };
  expect(readVariables(schema, operation, given)).toEqual({ first: 5, ids: ['9007199254740993'], price: 2 });
});

test.each([
  'name: "a"',
  'name: "a", first: null, color: red, price: 2',
  'name: $name',
  'name: $name, first: $first, size: $size, ids: $ids, color: $color, price: $price',
  'name: "a", ids: ["1", $id]',
  'name: "a", ids: "1", range: { to: $first }',
  'name: "a", range: { from: 1 }',
  'name: $name, size: $first',
  '',
  'name: 5',
])('arguments are read as the library reads them: (%s)', (text) => {
  if (rows === undefined) throw new Error('the schema has no rows');
  const node = fieldOf(operationOf(`query (${VARIABLES}) { rows${text && `(${text})`} }`));
  const read = createArgumentValues(rows, node);
  const variables: Record<string, unknown>[] = [
    {},
    { name: 'a' },
    { name: null, first: null },
    { name: 'a', first: 2, size: 3, ids: ['1', '2'], id: '4', color: 'red', price: 1.5 },
    { name: 'a', first: null, size: 3, ids: null, id: '4', color: null, price: null },
  ];
  for (const given of variables) {
    expect([given, outcomeOf(() => read(given))]).toEqual([
      given,
      outcomeOf(() => getArgumentValues(rows, node, given)),
    ]);
  }
});
