import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { createDocument } from '../../openapi/lifecycle/document.js';
import { createReferenceDocument } from '../../openapi/reference/document.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { asRead, nodesOf, operationsOf, resolve } from './operations.js';

const places = DatasetSpec.parse({
  title: 'Places',
  fields: { name: { type: 'text', required: true }, kind: { type: 'enum', values: ['city', 'town'] } },
  lookup: { fields: ['name'] },
});
const DOCUMENTS = {
  lifecycle: asRead(createDocument({ version: '1', tokenEndpoint: 'https://issuer.test/token' })),
  reference: asRead(createReferenceDocument('1', [])),
  'reference with a dataset': asRead(createReferenceDocument('1', [{ name: 'places', spec: places, generation: 3 }])),
};

describe.each(Object.entries(DOCUMENTS))('the document %s', (name, document) => {
  const operations = operationsOf(document);
  const nodes = [...nodesOf(document)];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const compile = (pointer: string) =>
    ajv.compile({ $ref: `openapi${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}` });

  test('has no reference to nothing', () => {
    const dangling = nodes.filter(([, { $ref }]) => typeof $ref === 'string' && resolve(document, $ref) === undefined);
    expect(dangling.map(([pointer]) => pointer)).toEqual([]);
  });

  test('names each operation once, webhooks too', () => {
    const names = nodes.flatMap(([, { operationId }]) => (typeof operationId === 'string' ? [operationId] : []));
    expect(names.length).toBeGreaterThanOrEqual(operations.length);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.filter((name) => !/^[A-Za-z][\w-]*$/.test(name))).toEqual([]);
  });

  test('declares the parameters of each path, and no others in paths', () => {
    for (const { id, path, parameters } of operations) {
      const inPath = parameters.filter((each) => each.in === 'path');
      expect([id, inPath.map(({ name }) => name).sort()]).toEqual([
        id,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
      ]);
      expect(inPath.filter(({ required }) => required !== true)).toEqual([]);
    }
  });

  test('declares each parameter of an operation once', () => {
    for (const { id, parameters } of operations) {
      const names = parameters.map((each) => `${each.in} ${each.name.toLowerCase()}`);
      expect([id, names.filter((name, at) => names.indexOf(name) !== at)]).toEqual([id, []]);
    }
  });

  test('has bounds and defaults that fit together', () => {
    for (const [pointer, { minimum, maximum, minLength, maxLength, default: byDefault, enum: values }] of nodes) {
      const [low, high] = [minimum ?? minLength, maximum ?? maxLength];
      if (typeof low === 'number' && typeof high === 'number') expect([pointer, low <= high]).toEqual([pointer, true]);
      if (typeof byDefault === 'number' && typeof minimum === 'number') {
        expect([pointer, byDefault >= minimum]).toEqual([pointer, true]);
      }
      if (typeof byDefault === 'number' && typeof maximum === 'number') {
        expect([pointer, byDefault <= maximum]).toEqual([pointer, true]);
      }
      if (Array.isArray(values)) {
        expect([pointer, new Set(values).size]).toEqual([pointer, values.length]);
        if (typeof byDefault === 'string') expect(values).toContain(byDefault);
      }
    }
  });

  test('has only schemas that are JSON Schema', () => {
    const isSchema = /\/(schemas\/[^/]+|content\/[^/]+\/schema|parameters\/[^/]+\/schema|headers\/[^/]+\/schema)$/;
    const schemas = nodes.filter(([pointer]) => isSchema.test(pointer));
    expect(schemas.length).toBeGreaterThan(50);
    // Most replies share their schemas: each distinct one is looked at once.
    const distinct = new Map(schemas.map(([pointer, schema]) => [JSON.stringify(schema), { pointer, schema }]));
    for (const { pointer, schema } of distinct.values()) {
      expect([pointer, ajv.validateSchema(schema)]).toEqual([pointer, true]);
    }
  });

  // The schemas of both documents of reference data are the same but for the rows.
  if (name !== 'reference')
    test('has examples that their own schemas accept', () => {
      let examples = 0;
      for (const [pointer, node] of nodes) {
        if (!('example' in node) || /\/(example|properties)(\/|$)/.test(pointer.slice(0, -1))) continue;
        const schema = 'schema' in node ? `${pointer}/schema` : pointer;
        const validate = compile(schema);
        expect([pointer, validate(node.example), validate.errors]).toEqual([pointer, true, null]);
        examples += 1;
      }
      expect(examples).toBeGreaterThan(2);
    });

  test('has only required members that are declared', () => {
    for (const [pointer, { required, properties, type }] of nodes) {
      if (type !== 'object' || !Array.isArray(required) || typeof properties !== 'object') continue;
      const missing = required.filter((name) => !Object.hasOwn(properties ?? {}, String(name)));
      expect([pointer, missing]).toEqual([pointer, []]);
      expect([pointer, new Set(required).size]).toEqual([pointer, required.length]);
    }
  });

  test('tags each operation with a tag that it declares', () => {
    const declared = new Set(document.tags?.map(({ name }) => name));
    const used = operations.flatMap(({ id, operation: { tags = [] } }) => {
      expect([id, tags.length]).toEqual([id, 1]);
      return tags;
    });
    expect(used.filter((name) => !declared.has(name))).toEqual([]);
  });

  test('gives each operation one success at least, and a body of one form to each error', () => {
    for (const { id, operation } of operations) {
      const replies = Object.entries(operation.responses ?? {});
      expect([id, replies.some(([status]) => /^2/.test(status))]).toEqual([id, true]);
      for (const [status, reply] of replies.filter(([each]) => /^[45]/.test(each) && each !== '431')) {
        const { content = {} } = reply as { content?: Record<string, { schema?: { $ref?: string } }> };
        const forms = new Set(Object.values(content).map(({ schema }) => schema?.$ref?.split('/').at(-1)));
        forms.delete('GraphReply');
        expect([id, status, forms.size]).toEqual([id, status, 1]);
        expect(['Error', 'Problem']).toContain([...forms][0]);
      }
    }
  });

  test('says where a credential is needed, by schemes that it declares', () => {
    const schemes = new Set(Object.keys(document.components?.securitySchemes ?? {}));
    const needs = [document.security ?? [], ...operations.map(({ operation }) => operation.security ?? [])];
    expect(
      needs
        .flat()
        .flatMap((need) => Object.keys(need))
        .filter((name) => !schemes.has(name)),
    ).toEqual([]);
    expect(document.security?.length).toBeGreaterThan(0);
    // An operation without a credential says so itself.
    for (const { id, operation } of operations) {
      if (operation.security === undefined) expect([id, '401' in (operation.responses ?? {})]).toEqual([id, true]);
    }
  });

  test('has a body only where a method takes one', () => {
    const wrong = operations.filter(
      ({ method, operation }) => ['GET', 'DELETE'].includes(method) && operation.requestBody !== undefined,
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
    const silent = operations.filter(
      ({ operation }) =>
        operation.requestBody !== undefined && !['400', '413'].every((status) => status in (operation.responses ?? {})),
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});

test('a dataset adds its paths and the schemas of its rows, and takes the place of any dataset', () => {
  const [none, one] = [DOCUMENTS.reference, DOCUMENTS['reference with a dataset']];
  const generic = Object.keys(none.paths ?? {}).filter((path) => path.includes('{dataset}'));
  const own = Object.keys(one.paths ?? {}).filter((path) => path.startsWith('/v2/places'));
  expect(own.map((path) => path.replace('/places', '/{dataset}')).sort()).toEqual(generic.sort());
  expect(Object.keys(one.paths ?? {}).filter((path) => path.includes('{dataset}'))).toEqual([]);
  expect(Object.keys(one.components?.schemas ?? {})).toEqual(
    expect.arrayContaining(['places', 'placesRequest', 'placesPage', 'placesHits']),
  );
  expect(one.tags?.[0]).toEqual({ name: 'places', description: 'Places' });
  expect(Object.keys(one.webhooks ?? {})).toEqual(
    expect.arrayContaining(['dataset.places.created', 'dataset.places.updated', 'dataset.places.deleted']),
  );
});
