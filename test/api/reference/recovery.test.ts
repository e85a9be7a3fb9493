import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestReference } from './test-reference.js';

let api: Awaited<ReturnType<typeof startTestReference>>;
beforeAll(async () => {
  api = await startTestReference();
  const spec = { fields: { title: { type: 'text' } } };
  await api.call('PUT', '/v2/datasets/roles', { body: { kind: 'Dataset', id: 'roles', spec } });
});
afterAll(() => api.stop());

test('orders are listed, the newest first and page by page, each as it stands', async () => {
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
