import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { title: { type: 'text' } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
});
afterAll(() => api.stop());

const SUBSCRIPTION = { name: 'hr', url: 'https://hr.example/hooks', types: ['dataset.positions.*'] };
const WATCH = { name: 'quiet', scope: { dataset: 'positions' }, period: 'P1D' };
const post = (path: string, body: object, key?: string) =>
  api.call('POST', path, { body, ...(key !== undefined && { headers: { 'idempotency-key': key } }) });

test.each([
  ['/v2/subscriptions', SUBSCRIPTION],
  ['/v2/watches', WATCH],
])('a repeat of POST %s finds what the first call made', async (path, body) => {
  const key = randomUUID();
  const first = await post(path, body, key);
  expect(first.status).toBe(201);
  const again = await post(path, body, key);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  const others = await Promise.all([post(path, body, 'other'), post(path, body, 'other'), post(path, body)]);
  const ids = new Set([first, ...others].map((reply) => reply.body.id));
  expect(ids.size).toBe(3);
  expect((await post(path, { ...body, name: 'another' }, key)).body.code).toBe('idempotency.mismatch');
  expect((await post(path, body, 'no key, as it has blanks')).body.code).toBe('parameter.invalid');
  expect((await api.call('DELETE', `${path}/${first.body.id}`)).status).toBe(204);
  expect((await post(path, body, key)).status).toBe(404);
});

test('what was refused reserves nothing: the same key serves the call that is right', async () => {
  const key = randomUUID();
  expect((await post('/v2/subscriptions', { ...SUBSCRIPTION, types: ['dataset.planets.*'] }, key)).status).toBe(404);
  expect((await post('/v2/subscriptions', SUBSCRIPTION, key)).status).toBe(201);
});

test('there may be so many subscriptions, not counting those that were removed', async () => {
  const small = await startTestReference({ most: { subscriptions: 2 } });
  try {
    const create = () =>
      small.call('POST', '/v2/subscriptions', { body: { name: 'all', mode: 'pull', types: ['pipeline.*'] } });
    const [first] = [await create(), await create()];
    expect((await create()).body).toMatchObject({ status: 409, code: 'subscription.too_many' });
    await small.call('DELETE', `/v2/subscriptions/${first.body.id}`);
    expect((await create()).status).toBe(201);
  } finally {
    await small.stop();
  }
});
