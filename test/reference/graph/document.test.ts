import { beforeAll, expect, test } from 'vitest';
import { GraphQLError } from 'graphql';
import { createDocuments, GRAPH_LIMITS } from '../../../reference/graph/index.js';
import { findOperation } from '../../../reference/graph/document.js';
import { codeOf, createSmallGraph } from './small-graph.js';

let graph: Awaited<ReturnType<typeof createSmallGraph>>;
beforeAll(async () => {
  graph = await createSmallGraph({ places: new Map([[1n, { name: 'A' }]]), people: new Map() });
});

const documents = createDocuments();
const refusalOf = (read: () => unknown): GraphQLError => {
  try {
    read();
  } catch (err) {
    if (err instanceof GraphQLError) return err;
    throw err;
  }
  throw new Error('it was accepted');
};

test.each([
  ['nothing', ''],
  ['a comment', '# nothing'],
  ['an open brace', '{'],
  ['no selection', '{ }'],
  ['an empty list of arguments', '{ place() { id } }'],
  ['a character that no document has', '{ \0 }'],
  ['an open text', '{ places(filter: "a) { id } }'],
  ['a lone surrogate', `{ places(filter: "\\uD800") { id } }`],
  ['a number that is none', '{ place(id: 007) { id } }'],
  ['JSON', '{"query": "{ a }"}'],
])('%s is no document, and the next one is read', (_, text) => {
  const refusal = refusalOf(() => documents.parse(text));
  expect(codeOf(refusal)).toBe('graphql');
  expect(documents.parse('{ __typename }').operations).toHaveLength(1);
});

/** Texts of exactly so many tokens: two braces and a field for each other token. */
const ofTokens = (count: number): string => `{ ${'a '.repeat(count - 2)}}`;

test('a document has as many tokens as may be, wherever they are', () => {
  expect(documents.parse(ofTokens(GRAPH_LIMITS.tokens)).operations).toHaveLength(1);
  expect(codeOf(refusalOf(() => documents.parse(ofTokens(GRAPH_LIMITS.tokens + 1))))).toBe('graphql.too_long');
  const fragments = Array.from({ length: 400 }, (_, at) => `fragment f${at} on Query { a }`).join(' ');
  expect(codeOf(refusalOf(() => documents.parse(`{ a } ${fragments}`)))).toBe('graphql.too_long');
  // Comments and commas are no tokens.
  expect(documents.parse(`{ a }${' ,# many\n'.repeat(5_000)}`).operations).toHaveLength(1);
});

test('nesting without end is refused by its tokens, not by an exhausted stack', () => {
  for (const open of ['{a', '[', '{ a(b: [', '{ a(b: {c: ']) {
    expect([open, refusalOf(() => documents.parse(open.repeat(50_000))) instanceof GraphQLError]).toEqual([open, true]);
  }
});

test('aliases count wherever they are, also in fragments that are not used', () => {
  const aliased = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => `${name}${at}: __typename`).join(' ');
  const most = GRAPH_LIMITS.aliases;
  expect(documents.parse(`{ ${aliased(most - 5, 'a')} } fragment f on Query { ${aliased(5, 'b')} }`)).toBeDefined();
  const over = `{ ${aliased(most - 5, 'a')} } fragment f on Query { ${aliased(6, 'b')} }`;
  expect(codeOf(refusalOf(() => documents.parse(over)))).toBe('graphql.too_many_aliases');
});

// prettier-ignore
test.each<[string, string, boolean]>([
  ['no directive',               '{ a }', false],
  ['a directive on a field',     'query ($b: Boolean!) { a @skip(if: $b) }', true],
  ['one on a fragment',          'query ($b: Boolean!) { ...f @include(if: $b) } fragment f on Query { a }', true],
  ['one within a fragment',      'query ($b: Boolean!) { ...f } fragment f on Query { a @include(if: $b) }', true],
  ['one in an inline fragment',  'query ($b: Boolean!) { ... @include(if: $b) { a } }', true],
])('a document with %s depends on variables: %s', (_, text, isConditional) => {
  expect(documents.parse(text).isConditional).toBe(isConditional);
});

test.each([
  ['{ a }', undefined, 0],
  ['query one { a }', 'one', 0],
  ['query one { a } query two { a }', 'two', 1],
  ['query one { a } mutation two { a }', 'one', 0],
])('of %s the operation %s is found', (text, name, at) => {
  const document = documents.parse(text);
  expect(findOperation(document, name)).toBe(document.operations[at]);
});

test.each([
  ['{ a }', 'one'],
  ['query one { a }', 'On'],
  ['query one { a }', ''],
  ['query one { a } query two { a }', undefined],
  ['{ a } query two { a }', undefined],
  ['fragment f on Query { a }', undefined],
  ['query one { a } query one { b }', 'one'],
])('of %s there is no operation %s', (text, name) => {
  expect(codeOf(refusalOf(() => findOperation(documents.parse(text), name)))).toBe('graphql.operation');
});

const errorsOf = (text: string) => documents.validate(graph.graph.schema, documents.parse(text));

test.each([
  ['a field that is not there', '{ nothing }'],
  ['a field without its fields', '{ places }'],
  ['fields of a value', '{ places { total_count { a } } }'],
  ['an argument that is not there', '{ places(last: 1) { total_count } }'],
  ['a missing argument', '{ place { id } }'],
  ['a text for a number', '{ places(first: "1") { total_count } }'],
  ['a number that no Int holds', '{ places(first: 2147483648) { total_count } }'],
  ['a variable that is not declared', '{ place(id: $id) { id } }'],
  ['a variable that is not used', 'query ($id: Long) { __typename }'],
  ['a variable of another type', 'query ($id: String!) { place(id: $id) { id } }'],
  ['a nullable variable for a required argument', 'query ($id: Long) { place(id: $id) { id } }'],
  ['two fields of one name', '{ a: place(id: 1) { id } a: place(id: 2) { id } }'],
  ['fragments that spread each other', '{ ...f } fragment f on Query { ...g } fragment g on Query { ...f }'],
  ['a fragment that is not there', '{ ...f }'],
  ['a fragment that is not used', '{ __typename } fragment f on Query { __typename }'],
  ['a fragment of another type', '{ place(id: 1) { ...f } } fragment f on Person { id }'],
  ['a directive that is not there', '{ __typename @cost }'],
  [
    'introspection that nests lists',
    '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
  ],
])('%s is refused, each time', (_, text) => {
  for (const time of [1, 2]) expect([time, errorsOf(text).length > 0]).toEqual([time, true]);
});

test('a document that is valid for one schema is validated for another one', async () => {
  const text = '{ places { total_count } }';
  expect(errorsOf(text)).toEqual([]);
  const other = await createSmallGraph({ places: new Map(), people: new Map() });
  expect(other.graph.schema).not.toBe(graph.graph.schema);
  const parsed = documents.parse(text);
  expect(documents.validate(other.graph.schema, parsed)).toEqual([]);
  expect(documents.validate(other.graph.schema, documents.parse('{ nowhere { id } }'))).toHaveLength(1);
});

test.each(['subscription { places { total_count } }', 'mutation { places { total_count } }'])(
  'only queries are executed: %s',
  async (text) => {
    expect(codeOf(await graph.refused(text))).toBe('graphql.operation');
  },
);

test('no more errors of a document are listed than a client reads', () => {
  const text = `{ ${Array.from({ length: 200 }, (_, at) => `f${at}`).join(' ')} }`;
  const errors = errorsOf(text);
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.length).toBeLessThanOrEqual(21);
});
