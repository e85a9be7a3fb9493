import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const spec = { type: 'git', uri: 'https://example.org/code.git', reference: 'main' };
  await api.call('POST', '/api/v1/connection', { body: { id: 'code', spec } });
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/pipeline';

async function createPipeline(webhook: object = { enabled: true }): Promise<string> {
  const id = `hook-${randomUUID().slice(0, 8)}`;
  const training = {
    model: { name: 'wine', version: '{{ version }}' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' } },
    hyperParameters: { alpha: '{{ parameters.alpha }}' },
  };
  const spec = { parameters: { alpha: '1' }, training, triggers: { webhook } };
  const { status } = await api.call('POST', PATH, { body: { id, spec } });
  expect(status).toBe(201);
  return id;
}

const secretOf = async (id: string): Promise<string> => (await api.call('GET', `${PATH}/${id}/webhook`)).body.secret;

interface Message {
  id?: string;
  at?: Date;
  body?: string;
}

function signed(secret: string, { id = randomUUID(), at = new Date(), body = '{}' }: Message = {}) {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return { as: null, raw: body, headers };
}

test('a message that is signed by Standard Webhooks starts one run, however often it comes', async () => {
  const id = await createPipeline();
  const message = signed(await secretOf(id), { body: JSON.stringify({ parameters: { alpha: 2 } }) });
  const first = await api.call('POST', `${PATH}/${id}/webhook`, message);
  expect([first.status, first.body]).toEqual([202, { id: `${id}-1`, number: 1 }]);
  const again = await api.call('POST', `${PATH}/${id}/webhook`, message);
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
  const run = await api.call('GET', `${PATH}/${id}/run/1`);
  expect(run.body.spec).toMatchObject({ parameters: { alpha: '2' }, trigger: { type: 'webhook' } });
  expect(api.signals).toContain(`changed pipeline/${id}-1 1`);
  expect((await api.call('GET', `${PATH}/${id}/run`)).body).toHaveLength(1);
});

test('the signature of GitHub is taken, and what it sends is not read as parameters', async () => {
  const id = await createPipeline();
  const raw = JSON.stringify({ ref: 'refs/heads/main', after: 'c0ffee' });
  const signature = `sha256=${createHmac('sha256', await secretOf(id))
    .update(raw)
    .digest('hex')}`;
  const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': randomUUID() };
  expect((await api.call('POST', `${PATH}/${id}/webhook`, { as: null, raw, headers })).status).toBe(202);
});

test('a wrong secret, an old message, a changed body and an unknown pipeline get the same answer', async () => {
  const id = await createPipeline();
  const off = await createPipeline({ enabled: false });
  const secret = await secretOf(id);
  const other = await secretOf(await createPipeline());
  const hourAgo = new Date(Date.now() - 3_600_000);
  const refused: [string, object][] = [
    [id, signed(other)],
    [id, signed(secret, { at: hourAgo })],
    [id, { ...signed(secret), raw: '{"noCache":true}' }],
    [id, { as: null, raw: '{}' }],
    [id, { as: null, raw: '{}', headers: { 'x-hub-signature-256': 'sha256=', 'x-github-delivery': 'x' } }],
    [off, signed(secret)],
    ['nothing', signed(secret)],
  ];
  for (const [to, message] of refused) {
    const reply = await api.call('POST', `${PATH}/${to}/webhook`, message);
    expect([reply.status, reply.body.message]).toEqual([
      401,
      'the signature does not match: check the secret of the webhook',
    ]);
  }
  expect((await api.call('GET', `${PATH}/${id}/run`)).body).toEqual([]);
});

test('a message that cannot start a run may come again later', async () => {
  const id = await createPipeline();
  const secret = await secretOf(id);
  await api.call('POST', `${PATH}/${id}/webhook`, signed(secret));
  const message = signed(secret);
  const busy = await api.call('POST', `${PATH}/${id}/webhook`, message);
  expect([busy.status, busy.body.code]).toEqual([409, 'not_finished']);
  const run = await api.pipelineRuns.get(`${id}-1`);
  await api.pipelineRuns.update(`${id}-1`, (current) => ({
    ...current,
    status: { ...current.status, state: 'failed' },
  }));
  expect(run).toBeDefined();
  expect((await api.call('POST', `${PATH}/${id}/webhook`, message)).body).toEqual({ id: `${id}-2`, number: 2 });
});

test('a parameter that is not declared is refused by its name', async () => {
  const id = await createPipeline();
  const body = JSON.stringify({ parameters: { beta: 1 } });
  const reply = await api.call('POST', `${PATH}/${id}/webhook`, signed(await secretOf(id), { body }));
  expect(reply.status).toBe(400);
  expect(reply.body.message).toContain('declares no parameter "beta"; declared: alpha');
});

test('the secret is for admins, audited, and another one by another version', async () => {
  const id = await createPipeline();
  expect((await api.call('GET', `${PATH}/${id}/webhook`, { as: ['data_scientist'] })).status).toBe(403);
  const before = await secretOf(id);
  expect(before).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const audit = await api.call('GET', `/api/v1/audit?entityId=${id}&action=decrypt`);
  expect(audit.body).toHaveLength(1);
  const { body } = await api.call('GET', `${PATH}/${id}`);
  const triggers = { ...body.spec.triggers, webhook: { enabled: true, secretVersion: 2 } };
  await api.call('PUT', PATH, { body: { id, spec: { ...body.spec, triggers } } });
  expect(await secretOf(id)).not.toBe(before);
  expect((await api.call('POST', `${PATH}/${id}/webhook`, signed(before))).status).toBe(401);
});

test('a message beyond the quota is answered with the reason, and is in the audit log and the status', async () => {
  const full = await startTestApi({}, { SLIPWAY_OWNER_QUOTA: 'jobs=0' });
  const training = {
    model: { name: 'wine', version: '1' },
    toolchain: 'ml-toolchain',
    algorithmSource: { objectStorage: { connection: 'models-output', path: 'code' } },
  };
  await full.call('POST', PATH, { body: { id: 'hook', spec: { training, triggers: { webhook: { enabled: true } } } } });
  const { secret } = (await full.call('GET', `${PATH}/hook/webhook`)).body;
  const reply = await full.call('POST', `${PATH}/hook/webhook`, signed(secret));
  expect([reply.status, reply.body.code]).toEqual([403, 'quota_exceeded']);
  const { body } = await full.call('GET', `${PATH}/hook`);
  expect(body.status).toMatchObject({ lastRun: 0, refused: { trigger: 'webhook', message: reply.body.message } });
  const denied = (await full.call('GET', '/api/v1/audit?action=denied')).body;
  expect(denied[0]).toMatchObject({ entityId: 'hook', changes: [{ path: 'triggers.webhook' }] });
  await full.stop();
});
