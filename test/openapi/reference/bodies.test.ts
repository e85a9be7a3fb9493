import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceDocument } from '../../../openapi/reference/document.js';
import { declareAll, startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { asRead, operationsOf } from '../operations.js';

const document = asRead(createReferenceDocument('1', []));
const operations = new Map(operationsOf(document).map((each) => [each.id, each]));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

let api: TestReference;
const places: Record<string, string> = { name: 'skills', dataset: 'skills' };
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  const wanted = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const subscription = await api.call('POST', '/v2/subscriptions', { body: wanted });
  const key = await api.call('POST', '/v2/keys', { body: { name: 'a', scopes: ['data:read:*'] } });
  Object.assign(places, { subscription: subscription.body.id, key: key.body.id });
});
afterAll(() => api.stop());

/** Whether a body is one of an operation, by the document. */
function isOfDocument(id: string, body: unknown): boolean {
  const path = (operations.get(id)?.path ?? '').replaceAll('~', '~0').replaceAll('/', '~1');
  const method = operations.get(id)?.method.toLowerCase();
  const pointer = `#/paths/${path}/${method}/requestBody/content/application~1json/schema`;
  return ajv.compile({ $ref: `openapi${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}` })(body);
}

/** Refusals of a body; a version that is not kept and a list that is too large have statuses of their own. */
const REFUSED = [400, 410, 413, 422];
/** Sends the body; whether it was read as one of this operation, whatever came of it. */
async function isRead(id: string, body: unknown): Promise<boolean> {
  const { path = '', method = '' } = operations.get(id) ?? {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== 'id') return places[name] ?? 'x';
    return (path.includes('/keys/') ? places.key : places.subscription) ?? 'x';
  });
  const { status } = await api.call(method, filled, { body });
  return !REFUSED.includes(status);
}

const scopes = (count: number) => Array.from({ length: count }, () => 'data:read:*');
const text = (length: number) => 'x'.repeat(length);
const items = (count: number) => Array.from({ length: count }, () => ({}));

// prettier-ignore
test.each<[id: string, what: string, body: unknown, accepted: boolean]>([
  ['pin_dataset', 'the least version and reason',  { version: 1, reason: 'x' }, true],
  ['pin_dataset', 'version 0',                     { version: 0, reason: 'x' }, false],
  ['pin_dataset', 'a version that is text',        { version: '1', reason: 'x' }, false],
  ['pin_dataset', 'no reason',                     { version: 1 }, false],
  ['pin_dataset', 'an empty reason',               { version: 1, reason: '' }, false],
  ['pin_dataset', 'the longest reason',            { version: 1, reason: text(500) }, true],
  ['pin_dataset', 'a reason that is too long',     { version: 1, reason: text(501) }, false],
  ['pin_dataset', 'an unknown member',             { version: 1, reason: 'x', other: 1 }, false],
  ['issue_key', 'a name and a scope',              { name: 'x', scopes: scopes(1) }, true],
  ['issue_key', 'the longest name',                { name: text(200), scopes: scopes(1) }, true],
  ['issue_key', 'a name that is too long',         { name: text(201), scopes: scopes(1) }, false],
  ['issue_key', 'an empty name',                   { name: '', scopes: scopes(1) }, false],
  ['issue_key', 'no scopes',                       { name: 'x', scopes: [] }, false],
  ['issue_key', 'too many scopes',                 { name: 'x', scopes: scopes(101) }, false],
  ['issue_key', 'no end',                          { name: 'x', scopes: scopes(1), expires_at: null }, true],
  ['issue_key', 'an unknown member',               { name: 'x', scopes: scopes(1), secret: 'y' }, false],
  ['rotate_key', 'nothing',                        {}, true],
  ['rotate_key', 'no overlap',                     { overlap_seconds: 0 }, true],
  ['rotate_key', 'the longest overlap',            { overlap_seconds: 604_800 }, true],
  ['rotate_key', 'a longer overlap',               { overlap_seconds: 604_801 }, false],
  ['rotate_key', 'a negative overlap',             { overlap_seconds: -1 }, false],
  ['rotate_key', 'a part of a second',             { overlap_seconds: 0.5 }, false],
  ['batch_any_dataset', 'as many items as may be', items(500), true],
  ['batch_any_dataset', 'one item more',           items(501), false],
  ['batch_any_dataset', 'no list',                 {}, false],
  ['put_dataset', 'no declaration',                { kind: 'Dataset' }, false],
  ['put_dataset', 'another kind',                  { kind: 'Other', spec: { fields: { name: { type: 'text' } } } }, false],
  ['put_dataset', 'fields of no type',             { spec: { fields: { name: { type: 'thing' } } } }, false],
  ['put_dataset', 'a text that may be too long',   { spec: { fields: { name: { type: 'text', max_length: 10_001 } } } }, false],
  ['create_subscription', 'no types',              { name: 'x', url: 'https://hr.example/', types: [] }, false],
  ['create_subscription', 'no name',               { url: 'https://hr.example/', types: ['dataset.skills.*'] }, false],
  ['create_watch', 'no period',                    { name: 'x', scope: { dataset: 'skills' } }, false],
  ['replay', 'a rate of none',                     { per_second: 0 }, false],
  ['replay', 'a rate that is too high',            { per_second: 1_001 }, false],
  ['explain_subscription', 'an entity',            { dataset: 'skills', entity_id: '5' }, true],
  ['explain_subscription', 'a position 0',         { stream: 'skills', position: 0 }, false],
  ['explain_subscription', 'an entity and a position', { dataset: 'skills', entity_id: '5', stream: 'skills', position: 1 }, false],
  ['explain_subscription', 'nothing',              {}, false],
  ['create_subscription', 'an unknown member',     { name: 'x', url: 'https://hr.example/', types: ['dataset.skills.*'], other: 1 }, false],
  ['create_subscription', 'one that is nested',    { name: 'x', url: 'https://hr.example/', types: ['dataset.skills.*'], ordering: { other: 1 } }, false],
  ['create_watch', 'an unknown member',            { name: 'x', scope: { dataset: 'skills' }, period: 'PT1H', other: 1 }, false],
  ['replay', 'an unknown member',                  { other: 1 }, false],
  ['put_dataset', 'an unknown member of the declaration', { spec: { fields: { name: { type: 'text' } }, other: 1 } }, false],
  ['put_dataset', 'an unknown member of a field',  { spec: { fields: { name: { type: 'text', other: 1 } } } }, false],
  ['add_secret', 'a kind of key that is none',     { kind: 'rsa' }, false],
  ['add_secret', 'an unknown member',              { surprise: 1 }, false],
])('%s takes %s as the document says', async (id, _, body, accepted) => {
  expect([id, isOfDocument(id, body)]).toEqual([id, accepted]);
  expect([id, await isRead(id, body)]).toEqual([id, accepted]);
});

test('every example of a body is taken by the API', async () => {
  const examples = [...operations.values()].flatMap(({ id, operation }) => {
    const { content = {} } = (operation.requestBody ?? {}) as {
      content?: Record<string, { schema?: { $ref?: string } }>;
    };
    const name = content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
    const { example } = (document.components?.schemas?.[name] ?? {}) as { example?: unknown };
    return example === undefined || id === 'put_dataset' ? [] : [{ id, example }];
  });
  expect(examples.length).toBeGreaterThan(2);
  for (const { id, example } of examples) expect([id, await isRead(id, example)]).toEqual([id, true]);
});
