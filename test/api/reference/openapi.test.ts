import { afterAll, beforeAll, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ALL_SCOPES, declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
interface Operation {
  operationId: string;
  security?: object[];
  responses: Record<string, object>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}
let document: Document;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method: method.toUpperCase(), ...operation }];
    }),
  );
/** The path of an operation with something in each place. */
const FILLING: Record<string, string> = {
  ...{ name: 'skills', code: 'id.malformed', id: '7', sequence: '1', kid: 'k_1' },
  ...{ type: 'dataset.skills.updated', version: '1' },
};
const fill = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => FILLING[name] ?? name);

beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  document = (await api.call('GET', '/v2/openapi.json')).body;
});
afterAll(() => api.stop());

test('with a credential it has the datasets that may be read, without one any dataset', async () => {
  expect(Object.keys(document.paths)).toContain('/v2/positions/search');
  expect(document.components.schemas.positions).toMatchObject({ properties: { customer: { type: 'object' } } });
  const some = await api.call('GET', '/v2/openapi.json', { as: ['data:read:skills'] });
  expect(some.text).toContain('/v2/skills/search');
  expect(some.text).not.toContain('positions/');
  const none = await api.call('GET', '/v2/openapi.json', { as: null });
  expect(Object.keys(none.body.paths)).toContain('/v2/{dataset}/search');
  expect((await api.call('GET', '/v2/openapi.json', { key: 'slp_x' })).status).toBe(401);
});

test('every reference leads somewhere, and every operation has a name of its own', () => {
  const text = JSON.stringify(document);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect([name, name in document.components.schemas]).toEqual([name, true]);
  }
  const ids = operations().map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  for (const name of Object.keys(document.components.schemas)) {
    ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
  }
});

test('every route wants a credential and its scope, of a key and of a token alike', async () => {
  const expired = await api.issuer.token([], { claims: { scope: ALL_SCOPES.join(' ') }, expiresIn: '-2m' });
  const { secret } = await api.keys.issue({ name: 'none', scopes: ['data:read:nothing'] }, 'test');
  const open = ['/v2/openapi.json', '/v2/problems/{code}', '/.well-known/webhook-keys'];
  const unscoped = ['/v2/datasets', '/v2/health', '/v2/graphql', '/v2/event-types'];
  let checked = 0;
  for (const { path, method, operationId, responses } of operations()) {
    if (open.includes(path)) continue;
    const call = async (options: Parameters<typeof api.call>[2]) => {
      const { status, body } = await api.call(method, fill(path), options);
      expect([operationId, status, String(status) in responses]).toEqual([operationId, status, true]);
      return [operationId, status, body?.code];
    };
    expect(await call({ as: null })).toEqual([operationId, 401, 'auth.required']);
    expect(await call({ key: 'slp_k000_no' })).toEqual([operationId, 401, 'auth.invalid']);
    const headers = { authorization: `Bearer ${expired}` };
    expect(await call({ as: null, headers })).toEqual([operationId, 401, 'auth.invalid']);
    if (!unscoped.includes(path)) {
      expect(await call({ as: ['data:read:nothing'] })).toEqual([operationId, 403, 'auth.scope']);
      expect(await call({ key: secret })).toEqual([operationId, 403, 'auth.scope']);
    }
    checked += 1;
  }
  expect(checked).toBeGreaterThan(30);
});

test('answers are as the document says', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const check = async (method: string, path: string, named: string, options: Parameters<typeof api.call>[2] = {}) => {
    const reply = await api.call(method, path, options);
    const content = document.paths[named]?.[method.toLowerCase()]?.responses[reply.status];
    const type = (reply.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const pointer = `/paths/${named.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${reply.status}/content/${type.replace('/', '~1')}/schema`;
    expect([path, reply.status, content === undefined]).toEqual([path, reply.status, false]);
    if (reply.text === '') return reply;
    const validate = ajv.compile({ $ref: `openapi#${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}` });
    expect([path, validate(reply.body), validate.errors]).toEqual([path, true, null]);
    return reply;
  };
  const created = await check('POST', '/v2/skills', '/v2/skills', { body: { name: 'Welding', level: 3 } });
  const path = created.headers.get('location') ?? '';
  await check('GET', path, '/v2/skills/{id}');
  await check('GET', `${path}?fields=level`, '/v2/skills/{id}');
  await check('PATCH', path, '/v2/skills/{id}', { body: { level: null }, headers: { 'if-match': '*' } });
  await check('PATCH', path, '/v2/skills/{id}', { body: { level: 1 } });
  await check('GET', `${path}/history`, '/v2/skills/{id}/history');
  await check('GET', '/v2/skills?ids=5,6', '/v2/skills');
  await check('GET', '/v2/skills?page_size=1', '/v2/skills');
  await check('GET', '/v2/skills/search?q=level>1&explain=true', '/v2/skills/search');
  await check('GET', '/v2/skills/search?q=lvl>1', '/v2/skills/search');
  await check('POST', '/v2/skills/batch', '/v2/skills/batch', { body: [{ op: 'create', entity: {} }, { op: 'x' }] });
  await check('DELETE', path, '/v2/skills/{id}', { headers: { 'if-match': '*' } });
  await check('GET', path, '/v2/skills/{id}');
  await check('GET', '/v2/datasets/skills', '/v2/datasets/{name}');
  await check('GET', '/v2/datasets/positions/dangling?limit=1', '/v2/datasets/{name}/dangling');
  await check('PUT', '/v2/datasets/skills', '/v2/datasets/{name}', { body: {} });
  const issued = await check('POST', '/v2/keys', '/v2/keys', { body: { name: 'a', scopes: ['data:read:*'] } });
  await check('GET', `/v2/keys/${issued.body.id}`, '/v2/keys/{id}');
  const wanted = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const subscribed = await check('POST', '/v2/subscriptions', '/v2/subscriptions', { body: wanted });
  const subscription = `/v2/subscriptions/${subscribed.body.id}`;
  await check('POST', '/v2/subscriptions', '/v2/subscriptions', { body: { ...wanted, types: ['x'] } });
  await check('GET', '/v2/subscriptions', '/v2/subscriptions');
  await check('GET', subscription, '/v2/subscriptions/{id}');
  await check('PATCH', subscription, '/v2/subscriptions/{id}', { body: { name: 'b' } });
  await check('POST', `${subscription}/pause`, '/v2/subscriptions/{id}/pause');
  await check('POST', `${subscription}/secrets`, '/v2/subscriptions/{id}/secrets');
  const asked = { dataset: 'skills', entity_id: '5' };
  await check('POST', `${subscription}/explain`, '/v2/subscriptions/{id}/explain', { body: asked });
  await check('GET', '/.well-known/webhook-keys', '/.well-known/webhook-keys');
  await check('GET', `${subscription}/deliveries`, '/v2/subscriptions/{id}/deliveries');
  const recoveries = '/v2/subscriptions/{id}/recoveries/{recovery}';
  const { headers } = await check('POST', `${subscription}/replay`, '/v2/subscriptions/{id}/replay', { body: {} });
  await check('GET', headers.get('location') ?? '', recoveries);
  await check('GET', `${subscription}/recoveries`, '/v2/subscriptions/{id}/recoveries');
  await check('POST', `${subscription}/recover`, '/v2/subscriptions/{id}/recover', { body: { from: 'x' } });
  const feed = `/v2/feed/${subscribed.body.id}`;
  await check('POST', '/v2/skills', '/v2/skills', { body: { name: 'Wiring' } });
  expect((await check('GET', `${feed}?limit=1`, '/v2/feed/{id}')).body.items).toHaveLength(1);
  await check('GET', `${feed}?after=x`, '/v2/feed/{id}');
  const consumer = '/v2/feed/{id}/consumers/{name}';
  await check('PUT', `${feed}/consumers/a`, consumer, { body: { settles: true } });
  await check('GET', `${feed}/consumers/a/next?visibility=30`, `${consumer}/next`);
  await check('GET', `${feed}/consumers/a`, consumer);
  await check('GET', `${feed}/consumers`, '/v2/feed/{id}/consumers');
  await check('POST', `${feed}/consumers/a/ack`, `${consumer}/ack`, { body: { through: '1' } });
  await check('POST', `${feed}/consumers/a/ack`, `${consumer}/ack`, { body: { through: '99' } });
  await check('POST', `${feed}/consumers/a/seek`, `${consumer}/seek`, { body: { to: 'end' } });
  await check('DELETE', `${feed}/consumers/a`, consumer);
  await check('DELETE', subscription, '/v2/subscriptions/{id}');
  await check('POST', '/v2/graphql', '/v2/graphql', { body: { query: '{ datasets { name } }' } });
  await check('POST', '/v2/graphql', '/v2/graphql', { body: { query: '{ nothing }' } });
  await check('GET', '/v2/event-types', '/v2/event-types');
  await check('GET', '/v2/event-types/pipeline.run.waiting/1', '/v2/event-types/{type}/{version}');
  await check('GET', '/v2/event-types/pipeline.run.waiting/2', '/v2/event-types/{type}/{version}');
  await check('GET', '/v2/health', '/v2/health');
  await check('GET', '/v2/openapi.json', '/v2/openapi.json');
  await check('GET', '/v2/problems/id.malformed', '/v2/problems/{code}');
});
