import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, storeSkill } from './stored-skill.js';
import { declareAll, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
});
afterAll(() => api.stop());

const stored = (body?: object) => storeSkill(api, body);

test('history has every version, newest first, page by page', async () => {
  const { path } = await stored({ name: 'v1', level: 1 });
  for (let version = 2; version <= 60; version += 1) {
    await api.call('PATCH', path, { body: { name: `v${version}` }, headers: { 'if-match': `"${version - 1}.1.0"` } });
  }
  await api.call('DELETE', path, { headers: { 'if-match': '*' } });
  const first = await api.call('GET', `${path}/history`);
  const { items, next_page_token: token } = first.body;
  expect(items.map(({ version }: { version: number }) => version)).toEqual(
    Array.from({ length: 50 }, (_, n) => 61 - n),
  );
  expect(items[0]).toEqual({
    version: 61,
    at: expect.any(String),
    actor: 'tester',
    operation: 'delete',
    changed: ['name', 'level'],
    previous: { name: 'v60', level: 1 },
    entity: null,
  });
  expect(items[1]).toMatchObject({
    operation: 'update',
    changed: ['name'],
    previous: { name: 'v59' },
    entity: { name: 'v60' },
  });
  const second = await api.call('GET', `${path}/history?page_token=${encodeURIComponent(token)}`);
  expect(second.body.items.at(-1)).toMatchObject({ version: 1, operation: 'create', changed: [], previous: null });
  expect(second.body).not.toHaveProperty('next_page_token');
  const { path: other } = await stored();
  const foreign = await api.call('GET', `${other}/history?page_token=${encodeURIComponent(token)}`);
  expect(foreign.body.code).toBe('page.token_mismatch');
  expect((await api.call('GET', `${path}/history?page_token=x`)).body.code).toBe('page.token_malformed');
});

test('a batch answers each item by itself', async () => {
  const [a, b] = [await stored(), await stored()];
  const missing = newId();
  const reply = await api.call('POST', '/v2/skills/batch', {
    body: [
      { op: 'create', entity: { name: 'New' } },
      { op: 'put', id: a.id, if_match: a.etag, entity: { name: 'Put' } },
      { op: 'put', id: a.id, entity: { name: 'Blind' } },
      { op: 'patch', id: missing, entity: { name: 'x' } },
      { op: 'delete', id: b.id, if_match: '*' },
      { op: 'put', id: '01', entity: {} },
      { op: 'fly' },
      { op: 'put', id: missing, entity: { nmae: 1 } },
    ],
  });
  expect(reply.status).toBe(200);
  const { items } = reply.body;
  expect(items.map(({ status }: { status: number }) => status)).toEqual([201, 200, 428, 404, 204, 400, 400, 422]);
  expect(items[1]).toEqual({ status: 200, id: a.id, etag: '"2.1.0"' });
  expect(items[7].problem).toMatchObject({ code: 'entity.invalid', type: '/v2/problems/entity.invalid' });
  expect((await api.call('GET', `/v2/skills/${items[0].id}`)).body.name).toBe('New');
  expect((await api.call('POST', '/v2/skills/batch', { body: {} })).body.code).toBe('body.malformed');
  const many = Array.from({ length: 501 }, () => ({ op: 'create', entity: { name: 'x' } }));
  expect((await api.call('POST', '/v2/skills/batch', { body: many })).status).toBe(413);
});
