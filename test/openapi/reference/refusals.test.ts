import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceDocument } from '../../../openapi/reference/document.js';
import { declareAll, startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { asRead, type Operation, operationsOf } from '../operations.js';

const operations = operationsOf(asRead(createReferenceDocument('1', [])));
let api: TestReference;
const places: Record<string, string> = { name: 'skills', dataset: 'skills', sequence: '1', recovery: '1', kid: 'k_1' };
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  const wanted = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const subscription = await api.call('POST', '/v2/subscriptions', { body: wanted });
  places.subscription = subscription.body.id;
});
afterAll(() => api.stop());

const addressOf = ({ path }: Operation, ids: Record<string, string> = places): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== 'id') return ids[name] ?? 'absent';
    return (/subscriptions|feed/.test(path) ? ids.subscription : undefined) ?? '7';
  });

/** The operation answers with a refusal that the document has; the test API checks its form. */
async function refused(operation: Operation, options: Parameters<TestReference['call']>[2], ids = places) {
  const { status } = await api.call(operation.method, addressOf(operation, ids), options);
  const { id } = operation;
  expect([id, status, status >= 400 && status < 500]).toEqual([id, status, true]);
  expect([id, status, String(status) in (operation.operation.responses ?? {})]).toEqual([id, status, true]);
  return status;
}

const typesOf = ({ operation }: Operation): string[] =>
  Object.keys((operation.requestBody as { content?: object } | undefined)?.content ?? {});
const isRequired = ({ operation }: Operation): boolean =>
  (operation.requestBody as { required?: boolean } | undefined)?.required === true;
const writes = operations.filter((each) => isRequired(each) && typesOf(each).includes('application/json'));

test('there are many operations with a body of JSON', () => {
  expect(writes.length).toBeGreaterThan(10);
});

test.each(writes.map((operation) => ({ id: operation.id, operation })))(
  '$id refuses a body that is no JSON, or of another type',
  async ({ operation }) => {
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    for (const raw of ['{', 'text', '{"a":1', '[1,]', '\u0000', `${'['.repeat(5_000)}`]) {
      await refused(operation, { raw, headers });
    }
    await refused(operation, { raw: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), headers });
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
      await refused(operation, { raw: '{}', headers: { ...headers, 'content-type': type } });
    }
  },
);

test.each(writes.map((operation) => ({ id: operation.id, operation })))(
  '$id refuses JSON of another form',
  async ({ operation }) => {
    const headers = { 'if-match': '*' };
    // A batch takes a list, also an empty one; everything else takes an object.
    const others = operation.id.startsWith('batch') ? [null, 'x', 5, {}] : [null, 'x', 5, [], [{}]];
    for (const body of others) await refused(operation, { body, headers });
  },
);

const reads = operations.filter(({ method, path }) => method === 'GET' && /\{(dataset|name|id|type|code)\}/.test(path));

test.each(reads.map((operation) => ({ id: operation.id, operation })))(
  '$id of what is not there is 404',
  async ({ operation }) => {
    const { path, parameters } = operation;
    const query = new URLSearchParams(
      parameters
        .filter((each) => each.in === 'query' && each.required === true)
        .map(({ name, schema }): [string, string] => [
          name,
          (schema as { type?: string }).type === 'integer' ? '1' : 'version > 0',
        ]),
    );
    const absent = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (/version|sequence/.test(name) ? '1' : 'absent'));
    const { status } = await api.call('GET', `${absent}?${String(query)}`);
    expect([operation.id, status, '404' in (operation.operation.responses ?? {})]).toEqual([operation.id, 404, true]);
  },
);
