import { execute, getIntrospectionQuery, parse } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { codeOf, createSmallGraph } from './small-graph.js';

let graph: Awaited<ReturnType<typeof createSmallGraph>>;
beforeAll(async () => {
  graph = await createSmallGraph({ places: new Map([[1n, { name: 'Berlin' }]]), people: new Map() });
});

/** Answers by the library alone. */
async function byLibrary(text: string, variableValues: Record<string, unknown> = {}): Promise<unknown> {
  const { data, errors } = await execute({ schema: graph.graph.schema, document: parse(text), variableValues });
  if (errors?.[0] !== undefined) throw errors[0];
  return JSON.parse(JSON.stringify(data));
}

// prettier-ignore
test.each<[string, string, Record<string, unknown>]>([
  ['the query of every tool', getIntrospectionQuery(), {}],
  ['one with every extension', getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true }), {}],
  ['one type', '{ __type(name: "Place") { name kind fields { name args { name defaultValue } type { kind ofType { name } } } } }', {}],
  ['a type that is not there', '{ __type(name: "Nothing") { name } }', {}],
  ['a type that a variable names', 'query ($n: String!) { __type(name: $n) { name } }', { n: 'Person' }],
  ['a default of a variable', 'query ($n: String = "Long") { __type(name: $n) { name description } }', {}],
  ['two types under other names', '{ a: __type(name: "Place") { name } b: __type(name: "Long") { kind } }', {}],
  ['one field in two parts', '{ __schema { queryType { name } } __schema { queryType { kind } } }', {}],
  ['fragments', '{ __schema { types { ...t } } } fragment t on __Type { name enumValues { name description } }', {}],
  ['what a variable leaves out', 'query ($no: Boolean!) { __schema { queryType { name @include(if: $no) kind } } }', { no: false }],
])('%s is answered as by the library', async (_, text, variables) => {
  expect((await graph.ask(text, variables)).data).toEqual(await byLibrary(text, variables));
});

test('introspection and rows are in one answer, in the order of the request', async () => {
  const { data, versions } = await graph.ask(
    '{ b: __type(name: "Place") { name } place(id: 1) { name __typename } a: __schema { queryType { name } } __typename }',
  );
  expect(Object.keys(data)).toEqual(['b', 'place', 'a', '__typename']);
  expect(data).toEqual({
    b: { name: 'Place' },
    place: { name: 'Berlin', __typename: 'Place' },
    a: { queryType: { name: 'Query' } },
    __typename: 'Query',
  });
  expect(Object.keys(versions)).toEqual(['places']);
});

test('variables of rows do not disturb the introspection beside them', async () => {
  const query =
    'query ($id: Long!, $first: Int = 1, $name: String!) { place(id: $id) { id } places(first: $first) { total_count } __type(name: $name) { name } }';
  expect((await graph.ask(query, { id: 2n ** 63n - 1n, name: 'Place' })).data).toEqual({
    place: null,
    places: { total_count: 1 },
    __type: { name: 'Place' },
  });
});

test('a fragment on the query may hold both', async () => {
  const query = '{ ...all } fragment all on Query { __type(name: "Date") { name } place(id: 1) { id } }';
  expect((await graph.ask(query)).data).toEqual({ __type: { name: 'Date' }, place: { id: '1' } });
});

test('each introspection has its price, and too many are refused before they run', async () => {
  const many = (count: number) =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: __type(name: "Place") { name }`).join(' ')} }`;
  expect((await graph.ask(many(20))).cost).toBe(10_000);
  expect(codeOf(await graph.refused(many(21)))).toBe('graphql.too_costly');
});

test('the types of names say what a row has', async () => {
  const { data } = await graph.ask(
    '{ __type(name: "Person") { fields { name type { kind name ofType { kind name } } } } }',
  );
  const { fields } = data.__type as {
    fields: { name: string; type: { kind: string; name: string; ofType: { name: string } } }[];
  };
  const typeOf = new Map(
    fields.map(({ name, type }) => [name, type.kind === 'NON_NULL' ? `${type.ofType.name}!` : type.name]),
  );
  expect(Object.fromEntries(typeOf)).toMatchObject({
    ...{ id: 'Long!', version: 'Int!', created_at: 'Timestamp!', updated_at: 'Timestamp!' },
    ...{ name: 'String', age: 'Integer', rate: 'Float', home: 'Place', work: 'PersonWork' },
  });
});
