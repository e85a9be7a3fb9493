import { expect, test } from 'vitest';
import fc from 'fast-check';
import { leavesOf } from '../../../reference/dataset/dataset-leaves.js';
import { acceptDataset, referencesOf } from '../../../reference/dataset/dataset-validation.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';

const POSITIONS = {
  title: 'Positions',
  attribution: null,
  fields: {
    title: { type: 'text', required: true, max_length: 200 },
    staffing_status: { type: 'enum', values: ['Open', 'Filled', 'On Hold', 'Closed'], required: true },
    customer: { type: 'object', fields: { id: { type: 'id', required: true }, name: { type: 'text' } } },
    location: { type: 'ref', dataset: 'locations', on_delete: 'restrict' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' } },
    day_rate: { type: 'decimal' },
    starts_on: { type: 'date', sortable: false },
  },
  lookup: { fields: ['title'], aliases: ['customer.name'], weight: 'day_rate' },
  validators: [
    { rule: 'row_count', min: 1 },
    { rule: 'max_drop_percent', value: 20 },
  ],
};

/** `pointer message` of every problem. */
function problems(spec: unknown, { id = 'positions', ...envelope }: { id?: string; kind?: unknown } = {}): string[] {
  try {
    acceptDataset(id, { ...envelope, spec });
  } catch (err) {
    if (!(err instanceof SlipwayError)) throw err;
    expect(err.code).toBe('dataset.invalid');
    return err.problems.map(({ pointer, message }) => `${pointer} ${message}`);
  }
  return [];
}
const withField = (field: unknown) => problems({ fields: { a: field } });

test('the declaration of the guide is accepted, with its defaults filled in', () => {
  const { spec } = acceptDataset('positions', { kind: 'Dataset', id: 'positions', spec: POSITIONS });
  expect(spec.fields.starts_on).toEqual({ type: 'date', required: false, filterable: true, sortable: false });
  expect(spec.fields.skills).toEqual({
    type: 'list',
    of: { type: 'ref', dataset: 'skills', on_delete: 'keep' },
    required: false,
    filterable: true,
  });
  expect(spec).toMatchObject({
    allow_blind_put: false,
    lookup: { fields: ['title'], aliases: ['customer.name'], weight: 'day_rate' },
    validators: [
      { rule: 'row_count', min: 1, max: null },
      { rule: 'max_drop_percent', value: 20 },
    ],
  });
  expect([...referencesOf(spec)]).toEqual(['locations', 'skills']);
});

test('what was accepted is accepted again unchanged', () => {
  const { spec } = acceptDataset('positions', { spec: POSITIONS });
  expect(acceptDataset('positions', { spec }).spec).toEqual(spec);
});

test('leaves are what a filter can name', () => {
  const { spec } = acceptDataset('positions', { spec: POSITIONS });
  const leaves = leavesOf(spec);
  expect([...leaves.keys()]).toEqual([
    ...['id', 'version', 'created_at', 'updated_at', 'title', 'staffing_status', 'customer.id', 'customer.name'],
    ...['location.id', 'skills.id', 'day_rate', 'starts_on'],
  ]);
  expect(leaves.get('skills.id')).toEqual({
    path: 'skills.id',
    steps: ['skills', 'id'],
    type: 'id',
    list: true,
    dataset: 'skills',
    filterable: true,
    sortable: false,
  });
  expect(leaves.get('starts_on')).toMatchObject({ sortable: false, filterable: true });
  expect(leaves.get('constructor')).toBeUndefined();
});

test('integers may come as what a reader of exact digits makes of them', () => {
  const { spec } = acceptDataset('a', { spec: { fields: { a: { type: 'text', max_length: 20n } } } });
  expect(spec.fields.a).toMatchObject({ max_length: 20 });
});

test('a dataset may refer to itself', () => {
  expect(problems({ fields: { boss: { type: 'ref', dataset: 'people' } } }, { id: 'people' })).toEqual([]);
});

test.each([
  ['datasets', '/id "datasets" is a path of the service itself'],
  ['event-types', '/id "event-types" is a path of the service itself'],
  ['', '/id a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['Skills', '/id a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['__proto__', '/id a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['a/b', '/id a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['a'.repeat(64), '/id a dataset is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
])('a dataset cannot be named %j', (id, problem) => {
  expect(problems({ fields: { a: { type: 'text' } } }, { id })).toEqual([problem]);
});

const ON_TYPES =
  'must be an object with a type of: text, integer, id, decimal, boolean, date, timestamp, enum, ref, object, list';
// prettier-ignore
const REFUSED_FIELDS: [unknown, string[]][] = [
  [{ type: 'string' }, [`/spec/fields/a/type ${ON_TYPES}`]],
  [null, [`/spec/fields/a ${ON_TYPES}`]],
  ['text', [`/spec/fields/a ${ON_TYPES}`]],
  [{ type: 'text', max_length: 0 }, ['/spec/fields/a/max_length must be an integer from 1 to 10000']],
  [{ type: 'text', max_length: '9' }, ['/spec/fields/a/max_length must be an integer from 1 to 10000']],
  [{ type: 'text', colour: 1, required: 'yes' }, ['/spec/fields/a/required must be true or false', '/spec/fields/a/colour is not known here']],
  [{ type: 'enum' }, ['/spec/fields/a/values must be a list of texts']],
  [{ type: 'enum', values: [] }, ['/spec/fields/a/values must have at least one value']],
  [{ type: 'enum', values: ['x', 'x'] }, ['/spec/fields/a/values must not repeat a value']],
  [{ type: 'enum', values: ['', 7] }, ['/spec/fields/a/values/0 must not be empty', '/spec/fields/a/values/1 must be text']],
  [{ type: 'enum', values: ['e\u0301'] }, ['/spec/fields/a/values/0 must be NFC text']],
  [{ type: 'ref' }, ['/spec/fields/a/dataset must name a dataset']],
  [{ type: 'ref', dataset: 'keys' }, ['/spec/fields/a/dataset "keys" is a path of the service itself']],
  [{ type: 'ref', dataset: 'b', on_delete: 'cascade' }, ['/spec/fields/a/on_delete must be restrict or keep']],
  [{ type: 'list', of: { type: 'list', of: { type: 'text' } } }, ['/spec/fields/a/of/type a list holds plain values or references, no objects and no lists']],
  [{ type: 'list', of: { type: 'object', fields: {} } }, ['/spec/fields/a/of/type a list holds plain values or references, no objects and no lists']],
  [{ type: 'list', of: { type: 'text', required: true } }, ['/spec/fields/a/of/required is not known here']],
  [{ type: 'object', fields: {} }, ['/spec/fields/a/fields must have at least one field']],
  [{ type: 'object', fields: [] }, ['/spec/fields/a/fields must be an object of fields by name']],
];
test.each(REFUSED_FIELDS)('%j is no field', (field, expected) => {
  expect(withField(field)).toEqual(expected);
});

test('an enum has at most a thousand values', () => {
  const values = Array.from({ length: 1_001 }, (_, at) => `v${at}`);
  expect(withField({ type: 'enum', values })).toEqual(['/spec/fields/a/values must have at most 1000 values']);
  expect(withField({ type: 'enum', values: values.slice(1) })).toEqual([]);
});

// prettier-ignore
test.each([
  ['id', '/spec/fields/id "id" is reserved'],
  ['updated_at', '/spec/fields/updated_at "updated_at" is reserved'],
  ['not', '/spec/fields/not "not" is reserved'],
  ['Title', '/spec/fields/Title a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['a.b', '/spec/fields/a.b a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['$where', '/spec/fields/$where a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['__proto__', '/spec/fields/__proto__ a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
  ['a/~b', '/spec/fields/a~1~0b a field is named with a-z, 0-9 and _, from a letter on, at most 63 in all'],
])('a field cannot be named %j', (name, problem) => {
  expect(problems(JSON.parse(`{"fields":{${JSON.stringify(name)}:{"type":"text"}}}`))).toEqual([problem]);
});

test('a field of an object may be named like a member of a row', () => {
  const fields = { id: { type: 'id' }, not: { type: 'text' }, constructor: { type: 'text' } };
  expect(withField({ type: 'object', fields })).toEqual([]);
});

test('objects nest four levels deep and no deeper', () => {
  const nest = (levels: number): object =>
    levels === 0 ? { type: 'text' } : { type: 'object', fields: { a: nest(levels - 1) } };
  expect(withField(nest(4))).toEqual([]);
  const place = `/spec${'/fields/a'.repeat(5)}/type`;
  expect(withField(nest(5))).toEqual([`${place} objects nest at most 4 levels deep`]);
  expect(withField(nest(2_000))).toEqual([`${place} objects nest at most 4 levels deep`]);
});

test('fields are counted on all levels together', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'boolean' }]));
  expect(problems({ fields: many(200) })).toEqual([]);
  expect(problems({ fields: many(201) })).toEqual(['/spec/fields must have at most 200 fields']);
  expect(problems({ fields: { ...many(150), o: { type: 'object', fields: many(50) } } })).toEqual([
    '/spec/fields must have at most 200 fields on all levels together',
  ]);
});

const FIELDS = {
  name: { type: 'text' },
  rank: { type: 'integer' },
  tags: { type: 'list', of: { type: 'text' } },
  at: { type: 'ref', dataset: 'places' },
};
// prettier-ignore
test.each([
  [{ lookup: { fields: ['nome'] } }, ['/spec/lookup/fields/0 there is no field "nome"']],
  [{ lookup: { fields: ['rank'] } }, ['/spec/lookup/fields/0 "rank" must be a text or an enum']],
  [{ lookup: { fields: ['tags'] } }, ['/spec/lookup/fields/0 "tags" must be a text or an enum']],
  [{ lookup: { fields: [] } }, ['/spec/lookup/fields must have at least one path']],
  [{ lookup: { fields: ['name'], aliases: ['at'] } }, ['/spec/lookup/aliases/0 there is no field "at"']],
  [{ lookup: { fields: ['name'], weight: 'name' } }, ['/spec/lookup/weight "name" must be an integer or a decimal']],
  [{ lookup: { fields: ['name'], aliases: ['tags'], weight: 'rank' } }, []],
  [{ lookup: { fields: ['constructor'] } }, ['/spec/lookup/fields/0 there is no field "constructor"']],
  [{ validators: [{ rule: 'none' }] }, ['/spec/validators/0/rule must be an object with a rule of: row_count, max_drop_percent, unique, references']],
  [{ validators: [{ rule: 'unique', field: 'tags' }] }, ['/spec/validators/0/field "tags" must be one value, no list']],
  [{ validators: [{ rule: 'row_count', min: 5, max: 4 }] }, ['/spec/validators/0/max must not be below min']],
  [{ validators: [{ rule: 'max_drop_percent', value: 101 }] }, ['/spec/validators/0/value must be an integer from 0 to 100']],
  [{ validators: {} }, ['/spec/validators must be a list']],
  [{ colour: 'red' }, ['/spec/colour is not known here']],
])('%j', (spec, expected) => {
  expect(problems({ fields: FIELDS, ...spec })).toEqual(expected);
});

test('the envelope is validated too', () => {
  expect(problems({ fields: FIELDS }, { kind: 'ModelTraining' })).toEqual(['/kind must be Dataset']);
  expect(problems(undefined)).toEqual(['/spec must be an object']);
  expect(() => acceptDataset('a', null)).toThrow('the declaration of dataset "a" has problems');
  expect(() => acceptDataset('a', { id: 'b', spec: { fields: FIELDS } })).toThrow(SlipwayError);
});

test('any JSON is accepted or refused, never more', () => {
  const words = ['type', 'fields', 'of', 'values', 'dataset', 'lookup', 'aliases', 'weight', 'validators', 'rule', 'a'];
  const types = ['text', 'enum', 'ref', 'list', 'object', 'integer', 'unique', 'row_count', 'a', '__proto__', ''];
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(...types),
      fc.boolean(),
      fc.constantFrom(null, 0, -1, 1e300, 5n),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...words, '__proto__', 'constructor'), tie('value'), { maxKeys: 5 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (spec) => problems(spec).every((text) => text.length < 500)),
    { numRuns: 2_000 },
  );
});
