import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference } from '../reference/test-reference.js';

let api: Awaited<ReturnType<typeof startTestReference>>;
beforeAll(async () => {
  api = await startTestReference();
  const spec = { fields: { title: { type: 'text' } } };
  await api.call('PUT', '/v2/datasets/roles', { body: { kind: 'Dataset', id: 'roles', spec } });
});
afterAll(() => api.stop());

test('orders are listed, the newest first and page by page, each with its current state', async () => {
  const wanted = { name: 'a', url: 'https://hr.example/', types: ['dataset.roles.*'] };
  const { body } = await api.call('POST', '/v2/subscriptions', { body: wanted });
  const path = `/v2/subscriptions/${body.id}`;
  const list = async (query = '') => (await api.call('GET', `${path}/recoveries${query}`)).body;
  expect(await list()).toEqual({ items: [] });
  const made = [];
  for (const word of ['replay', 'recover', 'replay']) {
    made.push((await api.call('POST', `${path}/${word}`, { body: { dry_run: true } })).body);
  }
  expect(made.map(({ id, kind, state }) => [id, kind, state])).toEqual([
    ['rec_1', 'replay', 'queued'],
    ['rec_2', 'recover', 'queued'],
    ['rec_3', 'replay', 'queued'],
  ]);
  const end = { examined: 3, matched: 2, reopened: 0, at: '2026-02-11T00:00:00.000Z' };
  await api.recoveries.end(body.id, 1, end);
  const page = await list('?page_size=2');
  expect(page).toEqual({ items: [made[2], made[1]], next: 'before=2&page_size=2' });
  const rest = await list(`?${page.next}`);
  expect(rest).toMatchObject({ items: [{ id: 'rec_1', state: 'done', matched: 2, ended_at: end.at }] });
  expect(rest.next).toBeUndefined();
  expect((await list('?before=999999')).items).toHaveLength(3);
  expect((await api.call('GET', `${path}/recoveries?page_size=0`)).body.code).toBe('parameter.invalid');
  expect((await api.call('GET', `${path}/recoveries`, { as: ['data:read:*'] })).status).toBe(403);
});

test('a disabled subscription resends nothing: the answer gives the reason, and a dry run still counts', async () => {
  const wanted = { name: 'b', url: 'https://hr.example/', types: ['dataset.roles.*'] };
  const { id } = (await api.call('POST', '/v2/subscriptions', { body: wanted })).body;
  await api.call('PUT', '/v2/roles/1', { body: { title: 'Baker' } });
  await api.call('GET', `/v2/feed/${id}`);
  const post = async (path: string, body?: object) => {
    const reply = await api.call('POST', `/v2/subscriptions/${id}/${path}`, { ...(body && { body }) });
    return reply.body.code ?? reply.status;
  };
  const reason = 'the endpoint asked for it, with status 410';
  await api.subscriptions.update(id, (each) => ({ ...each, status: { ...each.status, state: 'disabled', reason } }));
  const refused = await api.call('POST', `/v2/subscriptions/${id}/replay`, { body: {} });
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'subscription.disabled', reason }]);
  expect(await post('recover', {})).toBe('subscription.disabled');
  expect(await post('deliveries/1/resend')).toBe('subscription.disabled');
  expect(await post('recover', { dry_run: true })).toBe(202);
  expect(await post('deliveries/1/cancel')).toBe(202);
  expect((await api.call('GET', `/v2/subscriptions/${id}/recoveries`)).body.items).toHaveLength(1);
  await api.call('POST', `/v2/subscriptions/${id}/resume`, { headers: { 'if-match': '*' } });
  expect(await post('replay', {})).toBe(202);
  expect(await post('deliveries/1/resend')).toBe(202);
});
