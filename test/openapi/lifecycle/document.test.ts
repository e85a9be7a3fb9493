import { expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { KIND_ROWS } from '../../../openapi/lifecycle/kinds.js';
import { checkContract } from '../../api/contract.js';

// As a client gets it: parsed JSON.
const document = JSON.parse(JSON.stringify(createDocument({ version: '1.2.3' })));

test('the document names its version and the way to log in', () => {
  expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
  expect(document.security).toEqual([{ bearer: [] }]);
});

test('with a token endpoint there are two ways to log in, and either will do', () => {
  const { components, security } = createDocument({ version: '1.2.3', tokenEndpoint: 'https://issuer.test/token' });
  expect(components?.securitySchemes?.login).toMatchObject({
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://issuer.test/token', scopes: {} } },
  });
  expect(security).toEqual([{ login: [] }, { bearer: [] }]);
});

test('every reference leads somewhere and every operation has an id of its own', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer = '']) => pointer);
  for (const pointer of references) {
    const target = pointer.split('/').reduce((node: typeof document, key) => node?.[key], document);
    expect([pointer, target === undefined]).toEqual([pointer, false]);
  }
  const operations = Object.values<typeof document>(document.paths).flatMap((item) =>
    Object.entries<typeof document>(item)
      .filter(([key]) => key !== 'parameters')
      .map(([, operation]) => operation),
  );
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operationId, responses } of operations) {
    expect([operationId, ...['401', '403', '500', '503'].filter((status) => !(status in responses))]).toEqual([
      operationId,
    ]);
  }
});

test('every example is a body that its own schema takes', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  for (const { kind, example } of KIND_ROWS) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${kind}Request` });
    expect([kind, validate(example), validate.errors]).toEqual([kind, true, null]);
    expect([kind, validate({ id: 7 })]).toEqual([kind, false]);
  }
});

test('requests may leave out what has a default, replies never do', () => {
  const { ModelTraining, ModelTrainingRequest } = document.components.schemas;
  expect(ModelTrainingRequest.properties.spec.required).toEqual(['model', 'toolchain', 'algorithmSource']);
  expect(ModelTraining.properties.spec.required).toEqual(expect.arrayContaining(['entrypoint', 'workDir', 'data']));
});

const headers = new Headers({ 'x-request-id': 'r', 'content-type': 'application/json; charset=utf-8' });
const get = { method: 'GET', headers };

test('replies with a missing key, an unknown key, an undocumented status or without a header are refused', () => {
  const good = { ...get, path: '/health', status: 200, body: {} };
  expect(() => checkContract(good)).not.toThrow();
  expect(() => checkContract({ ...good, body: { surprise: 1 } })).toThrow(/additional properties/);
  expect(() => checkContract({ ...good, status: 418 })).toThrow(/not in the OpenAPI document/);
  expect(() => checkContract({ ...good, headers: new Headers() })).toThrow(/no X-Request-Id/);
  const list = { ...get, path: '/api/v1/model/training?size=1', status: 200, body: [{ kind: 'ModelTraining' }] };
  expect(() => checkContract(list)).toThrow(/required property/);
  const one = { ...get, path: '/api/v1/model/training/x', status: 404, body: { message: 'no' } };
  expect(() => checkContract(one)).toThrow(/required property 'code'/);
});
