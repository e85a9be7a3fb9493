import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOT_AUDITED } from '../../../api/reference/audit-step.js';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

const recordsOf = async (entityId: string) => (await api.audit.list({ entityId }, { limit: 100 })).records.reverse();

test('issuing, rotating and revoking a key say who did it, without the secret', async () => {
  const { id, secret } = (await api.call('POST', '/v2/keys', { body: { name: 'a', scopes: ['data:read:*'] } })).body;
  await api.call('POST', `/v2/keys/${id}/rotate`, { body: {} });
  await api.call('DELETE', `/v2/keys/${id}`);
  const records = await recordsOf(id);
  expect(records.map(({ action, kind }) => [kind, action])).toEqual([
    ['ApiKey', 'create'],
    ['ApiKey', 'rotate'],
    ['ApiKey', 'delete'],
  ]);
  for (const { user, at, requestId } of records) {
    expect(user).toEqual({ sub: 'tester' });
    expect([at, requestId]).toEqual([expect.stringMatching(/^2.*Z$/), expect.stringMatching(/.{8}/)]);
  }
  expect(JSON.stringify(records)).not.toContain(secret);
  const entries = [];
  for await (const row of api.database.table('log').scan()) entries.push(row);
  expect(entries).toContainEqual(
    expect.objectContaining({ entry: expect.objectContaining({ kind: 'revoked', id, by: 'tester' }) }),
  );
});

test('changes of a subscription name the part that they concern', async () => {
  const body = {
    name: 'a',
    url: 'https://hr.example/',
    types: ['dataset.skills.*'],
    headers: { authorization: 's3cr3t' },
  };
  const { id, keys } = (await api.call('POST', '/v2/subscriptions', { body })).body;
  const path = `/v2/subscriptions/${id}`;
  await api.call('POST', `${path}/pause`);
  await api.call('POST', `${path}/secrets`);
  await api.call('DELETE', `${path}/secrets/${keys[0].kid}`);
  await api.call('PUT', `/v2/feed/${id}/consumers/a`, { body: {} });
  await api.call('DELETE', path, { headers: { 'if-match': '*' } });
  const records = await recordsOf(id);
  expect(records.map(({ kind, action, changes }) => [kind, action, ...changes.map((each) => each.path)])).toEqual([
    ['Subscription', 'create'],
    ['Subscription', 'pause'],
    ['Subscription', 'secrets.create', 'secrets'],
    ['Subscription', 'secrets.delete', `secrets/${keys[0].kid}`],
    ['Subscription', 'consumers.update', 'consumers/a'],
    ['Subscription', 'delete'],
  ]);
  expect(JSON.stringify(records)).not.toContain('s3cr3t');
});

test('every refusal for a missing scope is recorded, also one that looks like a missing object', async () => {
  const body = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const { id } = (await api.call('POST', '/v2/subscriptions', { body })).body;
  const as = ['subscriptions:read', 'subscriptions:write', 'data:read:positions'];
  await api.call('GET', `/v2/subscriptions/${id}`, { as });
  await api.call('DELETE', `/v2/subscriptions/${id}`, { as });
  await api.call('GET', `/v2/subscriptions/${id}`, { as: [] });
  expect((await recordsOf(id)).map(({ action }) => action)).toEqual(['create', 'denied', 'denied', 'denied']);
  await api.call('GET', '/v2/skills/1', { as });
  const [, ...denied] = (await recordsOf('skills')).map(({ action, kind }) => [kind, action]);
  expect(denied).toEqual([['Dataset', 'denied']]);
});

test('a write that fails, and one that its dataset records already, is not in the audit log', async () => {
  const before = (await recordsOf('skills')).length;
  await api.call('PUT', '/v2/skills/7', { body: { name: 'Welding' } });
  await api.call('PUT', '/v2/skills/8', { body: { name: 7 } });
  await api.call('PUT', '/v2/datasets/skills', { body: { kind: 'Dataset', id: 'other' } });
  expect(await recordsOf('skills')).toHaveLength(before);
});

test('the routes that are not audited exist', () => {
  const routes = api.router.stack.flatMap(({ path, methods }) => methods.map((method) => `${method} ${String(path)}`));
  expect(routes).toEqual(expect.arrayContaining([...NOT_AUDITED]));
});
