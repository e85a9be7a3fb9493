import fc from 'fast-check';
import { type GraphQLEnumType, isEnumType, isObjectType, validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createGraphSchema } from '../../../reference/graph/index.js';
import { toEnumNames } from '../../../reference/graph/names.js';
import { createGraphOf } from './small-graph.js';

const withEnum = (values: readonly string[]) =>
  DatasetSpec.parse({ fields: { state: { type: 'enum', values } }, lookup: null });

/** Errors of the whole schema: one of them refuses every query over every dataset. */
const errorsOf = (datasets: Record<string, DatasetSpec>): string[] =>
  validateSchema(createGraphSchema(Object.entries(datasets).map(([name, spec]) => ({ name, spec }))).schema).map(
    ({ message }) => message,
  );

// The language keeps names that begin with two underscores to itself.
test.each([
  [['男', '女']],
  [['é', 'ü', 'ö', 'ä']],
  [['+', '-', '_']],
  [['_', '!', '?']],
  [['__a', '_a', ' _a']],
  [['😀', '😁']],
  [['', ' ', '  '].map((text) => `x${text}`)],
])('values without a letter of the language have names that it takes: %j', (values) => {
  expect([...toEnumNames(values).values()].filter((name) => name.startsWith('__'))).toEqual([]);
  expect(errorsOf({ people: withEnum(values) })).toEqual([]);
});

test('any values of an enum have distinct names that the language takes', () => {
  const value = fc.string({
    unit: fc.constantFrom('a', 'B', '1', '_', ' ', '-', 'é', '女', '😀'),
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(fc.uniqueArray(value, { minLength: 1, maxLength: 30 }), (values) => {
      const names = [...toEnumNames(values).values()];
      expect(new Set(names).size).toBe(values.length);
      expect(names.filter((name) => !/^(?!__)[A-Za-z_]\w*$/.test(name))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('a value that is a name keeps it, whatever the others are called', () => {
  const names = toEnumNames(['女', '_', '男', 'Open', 'O pen', 'O_pen']);
  expect([names.get('_'), names.get('Open'), names.get('O_pen')]).toEqual(['_', 'Open', 'O_pen']);
});

test('rows are answered with the names of their values, and filtered by the values', async () => {
  const { ask } = await createGraphOf(
    { people: withEnum(['男', '女']) },
    { people: new Map([['男', 1n] as const, ['女', 2n] as const].map(([state, id]) => [id, { state }])) },
  );
  const { data } = await ask(
    '{ all: people { nodes { state } } some: people(filter: "state == 女") { nodes { id } } }',
  );
  const { all, some } = data as { all: { nodes: { state: string }[] }; some: { nodes: { id: string }[] } };
  expect(new Set(all.nodes.map(({ state }) => state)).size).toBe(2);
  expect(some.nodes).toEqual([{ id: '2' }]);
});

const plain = DatasetSpec.parse({ fields: { name: { type: 'text' } }, lookup: { fields: ['name'] } });

// The singular of some words is empty, or the name of something else.
test.each([
  's',
  'ss',
  'as',
  'is',
  'series',
  'news',
  'x',
  'data',
  'people',
  'types',
  'strings',
  'ints',
  'floats',
  'ids',
])('a dataset may be called %s', async (name) => {
  expect(errorsOf({ [name]: plain })).toEqual([]);
  const { ask } = await createGraphOf({ [name]: plain }, { [name]: new Map([[7n, { name: 'a' }]]) });
  expect((await ask(`{ ${name} { nodes { id __typename } } }`)).data).toMatchObject({
    [name]: { nodes: [{ id: '7' }] },
  });
  expect((await ask(`{ ${name}_by_ids(ids: [7]) { name } }`)).data).toEqual({ [`${name}_by_ids`]: [{ name: 'a' }] });
});

test('datasets whose names meet in the graph are all there', () => {
  const names = [
    'position',
    'positions',
    'positions_by_ids',
    'positions_lookup',
    'position_',
    'positions_',
    'position_by_id',
  ];
  const datasets = Object.fromEntries(names.map((name) => [name, plain]));
  expect(errorsOf(datasets)).toEqual([]);
  const { schema } = createGraphSchema(names.map((name) => ({ name, spec: plain })));
  const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
  // The states of all, and of each dataset its rows, one row, rows by ids and a lookup.
  expect(fields).toHaveLength(1 + 4 * names.length);
  expect(fields).toEqual(expect.arrayContaining(names));
});

test('the fields of every schema have a meaning, and no field is called as another', () => {
  const word = fc.stringMatching(/^[a-c][a-c_s0-9]{0,4}$/);
  const field = fc.constantFrom<object>(
    { type: 'text' },
    { type: 'integer' },
    { type: 'enum', values: ['a', '1', '-', '女'] },
    { type: 'list', of: { type: 'enum', values: ['é', '+'] } },
    {
      type: 'object',
      fields: { edge: { type: 'enum', values: ['x'] }, hit: { type: 'object', fields: { a: { type: 'date' } } } },
    },
  );
  const fields = fc.dictionary(word, field, { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 5 }),
      fc.array(fields, { minLength: 5, maxLength: 5 }),
      (names, all) => {
        const datasets = names.map((name, at) => {
          const [other = ''] = names;
          const own = { ...all[at], self: { type: 'ref', dataset: name }, other: { type: 'ref', dataset: other } };
          return { name, spec: DatasetSpec.parse({ fields: own }) };
        });
        const { schema, fieldOf } = createGraphSchema(datasets);
        expect(validateSchema(schema)).toEqual([]);
        for (const type of Object.values(schema.getTypeMap())) {
          if (!isObjectType(type) || type.name.startsWith('__')) continue;
          for (const name of Object.keys(type.getFields())) {
            expect([type.name, name, fieldOf(type.name, name) === undefined]).toEqual([type.name, name, false]);
          }
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('enums of one name in several places are types of their own', () => {
  const values = (...given: string[]) => ({ type: 'enum', values: given });
  const spec = DatasetSpec.parse({
    fields: {
      state: values('a'),
      work: { type: 'object', fields: { state: values('b') } },
      work_state: values('c'),
      states: { type: 'list', of: values('d') },
    },
  });
  const { schema } = createGraphSchema([{ name: 'people', spec }]);
  const enums = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLEnumType => isEnumType(type) && !type.name.startsWith('__'),
  );
  expect(enums.map((type) => type.getValues().map(({ name }) => name)).sort()).toEqual([['a'], ['b'], ['c'], ['d']]);
});
