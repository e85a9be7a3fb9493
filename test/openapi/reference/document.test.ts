import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReferenceDocument, type DeclaredDataset } from '../../../openapi/reference/document.js';
import { acceptDataset } from '../../../reference/dataset/dataset-validation.js';
import { asRead, nodesOf, operationsOf, resolve } from '../operations.js';

const declared = (name: string, fields: object = { name: { type: 'text' } }): DeclaredDataset => ({
  ...{ name, generation: 1 },
  spec: acceptDataset(name, { spec: { fields } }).spec,
});
const documentOf = (...datasets: DeclaredDataset[]) => asRead(createReferenceDocument('1', datasets));
const idsOf = (document: ReturnType<typeof documentOf>): string[] =>
  [...nodesOf(document)].flatMap(([, { operationId }]) => (typeof operationId === 'string' ? [operationId] : []));
const repeated = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

// Names that are words of the document too.
const NAMES = [
  ...['dataset', 'key', 'subscription', 'consumer', 'delivery', 'recovery', 'any_dataset', 'row'],
  ...['a', 'import_a', 'a_import', 'secret', 'problem', 'event_type'],
];

test.each(NAMES)('the operations on a dataset that is called %s have names of their own', (name) => {
  expect(repeated(idsOf(documentOf(declared(name))))).toEqual([]);
});

test('operations and schemas have names of their own, whatever datasets there are', () => {
  const word = fc.constantFrom('a', 'import', 'dataset', 'read', 'key', 'page', 'hits', 'request', 'x1');
  const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
  const names = fc.uniqueArray(fc.oneof(name, fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 6 });
  const shared = Object.keys(documentOf(declared('z')).components?.schemas ?? {}).filter((each) => !/^z/.test(each));
  fc.assert(
    fc.property(names, (chosen) => {
      const document = documentOf(...chosen.map((each) => declared(each)));
      expect(repeated(idsOf(document))).toEqual([]);
      // Each dataset has schemas of its rows, their request, patch, pages, lists of hits and hits.
      expect(Object.keys(document.components?.schemas ?? {})).toHaveLength(shared.length + 6 * chosen.length);
    }),
    { numRuns: 60 },
  );
});

test('an id is that of its operation and its dataset, with a dash where another operation has it', () => {
  const ids = new Set(idsOf(documentOf(declared('key'), declared('places'), declared('import_places'))));
  for (const id of ['read_key', 'read-key', 'put_key', 'read_places', 'read_import_places', 'read-import_places']) {
    expect([id, ids.has(id)]).toEqual([id, true]);
  }
});

test('a dataset with every type of field has schemas that compile, and references that lead somewhere', () => {
  const leaf = fc.constantFrom<object>(
    { type: 'text', max_length: 1 },
    { type: 'text', required: true },
    { type: 'integer' },
    { type: 'decimal' },
    { type: 'boolean' },
    { type: 'date' },
    { type: 'timestamp' },
    { type: 'id' },
    { type: 'enum', values: ['a b', 'é', '"'] },
    { type: 'ref', dataset: 'places' },
  );
  const field = fc.oneof(
    leaf,
    leaf.filter((each) => !('required' in each)).map((of) => ({ type: 'list', of })),
    fc.dictionary(fc.constantFrom('x', 'y'), leaf, { minKeys: 1 }).map((fields) => ({ type: 'object', fields })),
  );
  const name = fc.constantFrom('constructor', 'to_string', 'a', 'items', 'type', 'properties', 'required', 'ref');
  fc.assert(
    fc.property(fc.dictionary(name, field, { minKeys: 1, maxKeys: 6, noNullPrototype: true }), (fields) => {
      const document = documentOf(declared('places', fields));
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(document, 'openapi');
      for (const schema of ['places', 'placesRequest', 'placesPage', 'placesHits']) {
        expect(typeof ajv.compile({ $ref: `openapi#/components/schemas/${schema}` })).toBe('function');
      }
      for (const [pointer, { $ref }] of nodesOf(document)) {
        if (typeof $ref === 'string')
          expect([pointer, resolve(document, $ref) === undefined]).toEqual([pointer, false]);
      }
      const { properties, required = [] } = document.components?.schemas?.placesRequest as {
        properties: object;
        required?: string[];
      };
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(fields)));
      const needed = Object.entries(fields).flatMap(([each, given]) => ('required' in given ? [each] : []));
      expect(required.toSorted()).toEqual(needed.toSorted());
    }),
    { numRuns: 10 },
  );
});

test('paths have the name of their dataset, and none is left open', () => {
  const document = documentOf(declared('places'), declared('a'));
  const paths = operationsOf(document).map(({ path }) => path);
  expect(paths.filter((path) => path.includes('{dataset}'))).toEqual([]);
  for (const name of ['places', 'a']) {
    expect(paths.filter((path) => path === `/v2/${name}` || path.startsWith(`/v2/${name}/`))).toHaveLength(16);
  }
  expect(document.tags?.map(({ name }) => name)).toEqual(expect.arrayContaining(['places', 'a', 'Datasets']));
});

test('without a credential only the document, its problems and the public keys are read', () => {
  const operations = operationsOf(documentOf(declared('places')));
  const open = operations.filter(({ operation }) => operation.security?.some((each) => Object.keys(each).length === 0));
  expect(open.map(({ id }) => id).toSorted()).toEqual(['explain_problem', 'read_openapi', 'read_webhook_keys']);
  for (const { id, operation } of operations) {
    expect([id, '401' in (operation.responses ?? {}), '403' in (operation.responses ?? {})]).toEqual([id, true, true]);
  }
});

test('a dataset is described by its title, or by its name where it has none', () => {
  const titled = acceptDataset('b', { spec: { title: 'Büros <b>', fields: { name: { type: 'text' } } } }).spec;
  const { tags = [] } = documentOf(declared('a'), { name: 'b', spec: titled, generation: 1 });
  expect(tags.slice(0, 2)).toEqual([
    { name: 'a', description: 'a' },
    { name: 'b', description: 'Büros <b>' },
  ]);
});
