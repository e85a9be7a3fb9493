import { beforeAll, expect, test } from 'vitest';
import { GraphQLError, isObjectType } from 'graphql';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createDocuments, createGraphSchema, GRAPH_LIMITS } from '../../../reference/graph/index.js';
import { createNames, singularOf, toEnumNames, toTypeName } from '../../../reference/graph/names.js';
import { relationsTo } from '../../../reference/graph/relations.js';
import { codeOf, createSmallGraph, SPECS } from './small-graph.js';

let graph: Awaited<ReturnType<typeof createSmallGraph>>;
beforeAll(async () => {
  const places = new Map([1n, 2n, 3n].map((id) => [id, { name: `Place ${id}` }]));
  graph = await createSmallGraph({
    places,
    people: new Map([[1n, { name: 'Ana', age: 2n ** 53n + 1n, home: { id: '2' } }]]),
  });
});

/** The code of a refusal; undefined for an answer. */
async function refusal(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
  try {
    await graph.ask(query, variables);
    return undefined;
  } catch (err) {
    if (!(err instanceof GraphQLError)) throw err;
    return codeOf(err);
  }
}

// A field costs one, and what is in it once for each row that it may find.
test.each([
  ['{ datasets { name } }', 2],
  ['{ place(id: 1) { id name } }', 3],
  ['{ places_by_ids(ids: [1, 2, 3]) { id name } }', 7],
  ['{ places(first: 10) { nodes { id } } }', 21],
  ['{ places(first: 10) { total_count nodes { id } } }', 31],
  ['{ places(first: 10) { nodes { id parent { id } } } }', 41],
  ['{ people(first: 10) { nodes { visited { id } } } }', 71],
  ['{ places(first: 4) { nodes { people(first: 5) { nodes { id } } } } }', 1 + 4 * (1 + (1 + 5 * 2))],
  ['{ places_lookup(q: "p", limit: 4) { typos } }', 5],
  ['{ places_lookup(q: "p") { node { id } } }', 21],
  ['{ a: place(id: 1) { id } b: place(id: 2) { id } }', 4],
  ['{ place(id: 1) { ...f ...f } } fragment f on Place { id name }', 3],
  ['{ __typename }', 1],
  ['{ __schema { queryType { name } } }', 500],
])('%s costs %i', async (query, cost) => {
  expect((await graph.ask(query)).cost).toBe(cost);
});

test('what costs more than may be spent is refused before any row is read, at exactly the limit', async () => {
  const query = 'query ($n: Int, $m: Int) { places(first: $n) { nodes { people(first: $m) { nodes { id } } } } }';
  const costOf = (n: number, m: number) => 1 + n * (1 + (1 + m * 2));
  for (const [n, m] of [
    [24, 207],
    [48, 103],
    [500, 9],
    [500, 8],
    [100, 49],
    [100, 48],
  ] as const) {
    const isRefused = (await refusal(query, { n, m })) === 'graphql.too_costly';
    expect([n, m, isRefused]).toEqual([n, m, costOf(n, m) > GRAPH_LIMITS.cost]);
  }
});

test('a page larger than may be costs and has as much as may be', async () => {
  expect((await graph.ask('{ places(first: 1000000) { nodes { id } } }')).cost).toBe(1 + 2 * GRAPH_LIMITS.first);
});

const nested = (levels: number): string => (levels === 0 ? 'id' : `parent { ${nested(levels - 1)} }`);
test.each([
  ['fields as deep as may be', `{ place(id: 1) { ${nested(GRAPH_LIMITS.depth - 2)} } }`, undefined],
  ['fields one level deeper', `{ place(id: 1) { ${nested(GRAPH_LIMITS.depth - 1)} } }`, 'graphql.too_deep'],
  [
    'as many aliases as may be',
    `{ ${Array.from({ length: 30 }, (_, at) => `a${at}: __typename`).join(' ')} }`,
    undefined,
  ],
  [
    'one alias more',
    `{ ${Array.from({ length: 31 }, (_, at) => `a${at}: __typename`).join(' ')} }`,
    'graphql.too_many_aliases',
  ],
  ['too many tokens', `{ ${'__typename '.repeat(2_000)} }`, 'graphql.too_long'],
  [
    'too many ids',
    `{ places_by_ids(ids: [${Array.from({ length: 201 }, (_, at) => at + 1).join(',')}]) { id } }`,
    'parameter.invalid',
  ],
  ['a page of nothing', '{ places(first: 0) { nodes { id } } }', 'page.size'],
  ['a negative page', '{ places(first: -1) { nodes { id } } }', 'page.size'],
  ['too many hits', '{ places_lookup(q: "a", limit: 51) { typos } }', 'parameter.invalid'],
  ['no hits', '{ places_lookup(q: "a", limit: 0) { typos } }', 'parameter.invalid'],
  ['a text of 200 characters', `{ places_lookup(q: "${'😀'.repeat(200)}") { typos } }`, undefined],
  ['a text of 201 characters', `{ places_lookup(q: "${'😀'.repeat(201)}") { typos } }`, 'lookup.query_too_long'],
  ['a wrong filter', '{ places(filter: "nmae == a") { nodes { id } } }', 'filter.invalid'],
  ['a wrong order', '{ places(order_by: "nmae") { nodes { id } } }', 'order.unknown_field'],
  ['an id that is none', '{ place(id: 0) { id } }', 'id.malformed'],
  ['a mutation', 'mutation { datasets }', 'graphql.operation'],
  ['an unknown field', '{ nothing }', 'graphql'],
  ['no operation of two', 'query a { __typename } query b { __typename }', 'graphql.operation'],
])('%s', async (_, query, code) => {
  expect(await refusal(query)).toBe(code);
});

test('of several operations the named one is answered', async () => {
  const document = 'query one { place(id: 1) { name } } query two { place(id: 2) { name } }';
  expect((await graph.ask(document, {}, 'two')).data).toEqual({ place: { name: 'Place 2' } });
});

test.each([
  [true, false, { id: '1' }],
  [false, true, { name: 'Place 1' }],
  [false, false, { id: '1', name: 'Place 1' }],
])('variables leave fields out: skip %s, without id %s', async (skip, without, place) => {
  const query =
    'query ($skip: Boolean!, $without: Boolean!) { place(id: 1) { id @skip(if: $without) ... @skip(if: $skip) { name } } }';
  for (let time = 0; time < 2; time += 1) expect((await graph.ask(query, { skip, without })).data).toEqual({ place });
});

test('a document is parsed once, and validated once per schema', () => {
  const documents = createDocuments();
  const parsed = documents.parse('{ __typename }');
  expect(documents.parse('{ __typename }')).toBe(parsed);
  expect(documents.validate(graph.graph.schema, parsed)).toEqual([]);
  const other = documents.parse('{ nothing }');
  expect([1, 2].map(() => documents.validate(graph.graph.schema, other).length)).toEqual([1, 1]);
});

test.each([
  ['positions', 'Positions', 'position'],
  ['job_titles', 'JobTitles', 'job_title'],
  ['people', 'People', 'person'],
  ['a__b_', 'AB', 'a__b_'],
  ['sheep', 'Sheep', 'sheep'],
  ['x2_3', 'X23', 'x2_3'],
])('%s is the type %s, and one of it is a %s', (name, type, singular) => {
  expect([toTypeName(name), singularOf(name)]).toEqual([type, singular]);
});

test('names are made unique, also against those that were made so', () => {
  const claim = createNames(['a']);
  expect(['a', 'a', 'a_', 'b'].map(claim)).toEqual(['a_', 'a__', 'a___', 'b']);
});

test.each([
  [
    ['Open', 'On Hold'],
    ['Open', 'On_Hold'],
  ],
  [
    ['On Hold', 'On_Hold', 'On-Hold'],
    ['On_Hold_', 'On_Hold', 'On_Hold__'],
  ],
  [
    ['true', 'null', '1st', '__x', 'é', ''],
    ['v_true', 'v_null', 'v_1st', 'v___x', 'v__', 'v_'],
  ],
])('values of an enum have distinct names: %j', (values, names) => {
  const made = toEnumNames(values);
  expect([...made.values()]).toEqual(names);
  expect(new Set(made.values()).size).toBe(values.length);
});

test('relations have the name of their dataset, further ones that of their field too', () => {
  const all = Object.entries(SPECS).map(([name, spec]) => ({ name, spec }));
  const target = { name: 'places', spec: SPECS.places };
  expect(relationsTo(target, all).map(({ name, leaf }) => [name, leaf.path])).toEqual([
    ['places', 'parent.id'],
    ['people', 'home.id'],
    ['people_by_visited', 'visited.id'],
    ['people_by_work_place', 'work.place.id'],
  ]);
  const own = DatasetSpec.parse({ fields: { people: { type: 'text' } } });
  expect(relationsTo({ name: 'places', spec: own }, all).map(({ name }) => name)).toContain('people_by_home');
});

test('datasets whose names make the same type have distinct types, and every type has fields', () => {
  const spec = DatasetSpec.parse({
    fields: { query: { type: 'text' }, page: { type: 'object', fields: { info: { type: 'date' } } } },
  });
  const { schema } = createGraphSchema(['queries', 'query', 'page_infos', 'long'].map((name) => ({ name, spec })));
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  for (const type of types)
    if (isObjectType(type)) expect([type.name, Object.keys(type.getFields()).length > 0]).toEqual([type.name, true]);
  expect(schema.getQueryType()?.name).toBe('Query');
});
