import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProbeReport } from '../../../notifications/kinds/probe.js';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { title: { type: 'text' }, status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
  await api.call('PUT', '/v2/positions/1', { body: { title: 'Crane operator', status: 'Open' } });
});
afterAll(() => api.stop());

const URL_OK = 'https://hr.example/hooks/slipway';
const wanted = (more: object = {}) => ({
  name: 'hr-sync',
  url: URL_OK,
  types: ['dataset.positions.updated'],
  filter: 'changed(status) and old.status == Open',
  ...more,
});
const create = (more: object = {}, call: object = {}) =>
  api.call('POST', '/v2/subscriptions', { body: wanted(more), ...call });

const step = { sent: 'POST https://hr.example/hooks/slipway', expected: 'a status of 2xx', received: '401', ok: false };
/** Sets the report of the receiver at the next probe. */
const shows = (report: Partial<ProbeReport>): void => {
  api.receiver.report = { answered: true, level: 'L0', receipts: 'none', steps: [], ...report };
};
afterEach(() => shows({}));

test('a receiver that does not answer yet leaves its subscription unverified; a probe that it answers starts it', async () => {
  shows({ answered: false, steps: [step] });
  const { status, body } = await create();
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...{ state: 'unverified', reason: `${step.sent}: 401`, secret: expect.stringMatching(/^whsec_/) },
    level: { proven: 'L0', checked_at: null, evidence: [step] },
  });
  const path = `/v2/subscriptions/${body.id}`;
  const failed = await api.call('POST', `${path}/probe`);
  expect([failed.status, failed.body]).toEqual([
    422,
    expect.objectContaining({ code: 'probe.failed', sent: step.sent, received: '401' }),
  ]);
  expect((await api.call('POST', `${path}/pause`)).body).toMatchObject({ state: 'paused' });
  expect((await api.call('POST', `${path}/resume`)).body).toMatchObject({ state: 'unverified' });
  shows({ level: 'L2', receipts: 'tombstone' });
  const { body: started } = await api.call('POST', `${path}/probe`);
  expect(started).toMatchObject({ state: 'active', level: { proven: 'L2', checked_at: expect.any(String) } });
  expect(started.reason).toBeUndefined();
  expect(started.guarantee.text).toContain('we ask first');
  expect(api.receiver.asked.at(-1)).toMatchObject({ id: body.id, spec: { url: URL_OK }, keys: [{ kind: 'hmac' }] });
});

test.each([
  ['L0', 'For once only, receive with slipway/receiver'],
  ['L1', 'each notice takes effect once'],
  ['L2', 'a repeat can reach you only as one that you refuse'],
] as const)('the reply to a new subscription says what its receiver of level %s gets', async (level, promise) => {
  shows({ level });
  const { status, body } = await create();
  expect([status, body.level.proven]).toEqual([201, level]);
  expect(body.guarantee.text).toContain(promise);
});

test('another address is taken when it answers, and otherwise nothing changes', async () => {
  shows({ level: 'L1' });
  const { body } = await create();
  const path = `/v2/subscriptions/${body.id}`;
  const patch = (change: object) => api.call('PATCH', path, { body: change, headers: { 'if-match': '*' } });
  const asked = api.receiver.asked.length;
  expect((await patch({ name: 'other' })).body).toMatchObject({ level: { proven: 'L1' } });
  expect(api.receiver.asked).toHaveLength(asked);
  shows({ answered: false, steps: [step] });
  expect((await patch({ url: 'https://hr.example/other' })).body).toMatchObject({ code: 'probe.failed' });
  expect((await api.call('GET', path)).body).toMatchObject({ url: URL_OK, state: 'active', level: { proven: 'L1' } });
  shows({ level: 'L0' });
  const moved = await patch({ url: 'https://hr.example/other' });
  expect(moved.body).toMatchObject({ url: 'https://hr.example/other', level: { proven: 'L0' } });
});

test('a subscription that is read has no receiver to look at', async () => {
  const asked = api.receiver.asked.length;
  const { body } = await create({ mode: 'pull', url: null });
  expect(body).toMatchObject({ state: 'active', level: { proven: 'L3' } });
  expect((await api.call('POST', `/v2/subscriptions/${body.id}/probe`)).body.code).toBe('entity.invalid');
  expect(api.receiver.asked).toHaveLength(asked);
});
