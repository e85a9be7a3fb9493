import { GraphQLError, type GraphQLScalarType, Kind, parseValue } from 'graphql';
import { expect, test } from 'vitest';
import { DateScalar, Integer, Long, Timestamp } from '../../../reference/graph/scalars.js';
import { codeOf, createSmallGraph } from './small-graph.js';

const literal = (scalar: GraphQLScalarType, text: string): unknown => scalar.parseLiteral(parseValue(text), {});
/** The code of what is refused; its value otherwise. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (err) {
    if (!(err instanceof GraphQLError)) throw err;
    return err.extensions.code;
  }
}

const LARGEST = 2n ** 63n - 1n;

// prettier-ignore
test.each<[GraphQLScalarType, unknown, unknown]>([
  [Long,       '1',                          1n],
  [Long,       7n,                           7n],
  [Long,       String(LARGEST),              LARGEST],
  [Long,       LARGEST,                      LARGEST],
  [Long,       '0',                          'id.malformed'],
  [Long,       '01',                         'id.malformed'],
  [Long,       '-1',                         'id.malformed'],
  [Long,       LARGEST + 1n,                 'id.malformed'],
  [Long,       '1e3',                        'id.malformed'],
  [Long,       ' 1',                         'id.malformed'],
  [Long,       1.5,                          'id.malformed'],
  [Long,       2 ** 53,                      'id.malformed'],
  [Long,       true,                         'id.malformed'],
  [Long,       {},                           'id.malformed'],
  [Long,       ['1'],                        'id.malformed'],
  [Integer,    '-9223372036854775808',       -(2n ** 63n)],
  [Integer,    0n,                           0n],
  [Integer,    '9223372036854775808',        'graphql.variables'],
  [Integer,    1.5,                          'graphql.variables'],
  [DateScalar, '2026-03-01',                 '2026-03-01'],
  [DateScalar, '2026-02-30',                 'graphql.variables'],
  [DateScalar, '2026-03-01T00:00:00Z',       'graphql.variables'],
  [DateScalar, 20_260_301,                   'graphql.variables'],
  [Timestamp,  '2026-03-01T09:00:00+01:00',  '2026-03-01T08:00:00.000Z'],
  [Timestamp,  '2026-03-01T08:00:00.2504Z',  'graphql.variables'],
  [Timestamp,  '2026-03-01',                 'graphql.variables'],
  [Timestamp,  0,                            'graphql.variables'],
])('%s reads the variable %s as %s', (scalar, given, expected) => {
  expect(outcomeOf(() => scalar.parseValue(given))).toBe(expected);
});

// prettier-ignore
test.each<[GraphQLScalarType, string, unknown]>([
  [Long,       '9223372036854775807',      LARGEST],
  [Long,       '"9223372036854775807"',    LARGEST],
  [Long,       '9007199254740993',         2n ** 53n + 1n],
  [Long,       '9223372036854775808',      'id.malformed'],
  [Long,       '0',                        'id.malformed'],
  [Long,       '1.0',                      'id.malformed'],
  [Long,       'true',                     'id.malformed'],
  [Long,       'null',                     'id.malformed'],
  [Long,       'A',                        'id.malformed'],
  [Long,       '[1]',                      'id.malformed'],
  [Long,       '{ id: 1 }',                'id.malformed'],
  [Integer,    '-5',                       -5n],
  [Integer,    '1e3',                      'graphql.variables'],
  [DateScalar, '"2024-02-29"',             '2024-02-29'],
  [DateScalar, '"2025-02-29"',             'graphql.variables'],
  [Timestamp,  '"2026-03-01T08:00:00Z"',   '2026-03-01T08:00:00.000Z'],
  [Timestamp,  '2026',                     'graphql.variables'],
])('%s reads the literal %s as %s', (scalar, text, expected) => {
  expect(outcomeOf(() => literal(scalar, text))).toBe(expected);
});

test('a refused literal names its place in the document, a refused variable has none', () => {
  const node = parseValue('0');
  expect(node.kind).toBe(Kind.INT);
  const refusal = (read: () => unknown) => {
    try {
      read();
    } catch (err) {
      return err as GraphQLError;
    }
    throw new Error('it was read');
  };
  expect(refusal(() => Long.parseLiteral(node, {})).nodes).toEqual([node]);
  expect(refusal(() => Long.parseValue('0')).nodes).toBeUndefined();
});

test('an id is the same row as a literal, as text and as a variable in either form', async () => {
  const id = 2n ** 53n + 1n;
  const { ask } = await createSmallGraph({ places: new Map([[id, { name: 'Exact' }]]), people: new Map() });
  const place = { id: String(id), name: 'Exact' };
  expect((await ask(`{ place(id: ${id}) { id name } }`)).data).toEqual({ place });
  expect((await ask(`{ place(id: "${id}") { id name } }`)).data).toEqual({ place });
  const query = 'query ($id: Long!, $ids: [Long!]!) { place(id: $id) { id name } places_by_ids(ids: $ids) { id } }';
  for (const given of [id, String(id)]) {
    const { data } = await ask(query, { id: given, ids: [given, given] });
    expect(data).toEqual({ place, places_by_ids: [{ id: String(id) }, { id: String(id) }] });
  }
  // A neighbour that a floating point number would not tell apart.
  expect((await ask(query, { id: id - 1n, ids: [] })).data).toEqual({ place: null, places_by_ids: [] });
});

// prettier-ignore
test.each<[string, Record<string, unknown>, unknown]>([
  ['a missing id',        {},                           'graphql.variables'],
  ['null',                { id: null },                 'graphql.variables'],
  ['a malformed id',      { id: 'abc' },                'id.malformed'],
  ['a list of ids',       { id: ['1', '2'] },           'id.malformed'],
  ['a fraction',          { id: 1.5 },                  'id.malformed'],
])('a request with %s as its id is refused', async (_, variables, code) => {
  const { refused } = await createSmallGraph({ places: new Map(), people: new Map() });
  expect(codeOf(await refused('query ($id: Long!) { place(id: $id) { name } }', variables))).toBe(code);
});
