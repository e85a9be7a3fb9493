import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const spec = { type: 'git', uri: 'https://example.org/code.git', reference: 'main' };
  await api.call('POST', '/api/v1/connection', { body: { id: 'code', spec } });
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/pipeline';
const NAMED = { enabled: true, events: ['push'], branches: ['main', 'refs/heads/release'] };

const bodyOf = (webhook: object) => {
  const model = { name: 'wine', version: '1' };
  const training = { model, toolchain: 'ml-toolchain', algorithmSource: { vcs: { connection: 'code' } } };
  return { id: `hook-${randomUUID().slice(0, 8)}`, spec: { training, triggers: { webhook } } };
};

async function createPipeline(webhook: object) {
  const body = bodyOf(webhook);
  expect((await api.call('POST', PATH, { body })).status).toBe(201);
  const { id } = body;
  const { secret } = (await api.call('GET', `${PATH}/${id}/webhook`)).body;
  /** Sends what GitHub would. */
  const send = (content: object | string, { event = 'push', delivery = randomUUID() } = {}) => {
    const raw = typeof content === 'string' ? content : JSON.stringify(content);
    const signature = `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': delivery, 'x-github-event': event };
    return api.call('POST', `${PATH}/${id}/webhook`, { as: null, raw, headers });
  };
  const runs = async (): Promise<number> => (await api.call('GET', `${PATH}/${id}/run`)).body.length;
  const endRun = () =>
    api.pipelineRuns.update(`${id}-1`, (run) => ({ ...run, status: { ...run.status, state: 'succeeded' } }));
  return { send, runs, endRun };
}
const now = () => Math.floor(Date.now() / 1_000);
const push = (ref: string, more: object = {}) => ({ ref, after: 'c0ffee', repository: { pushed_at: now() }, ...more });

test('a body that was signed once starts one run, under whatever delivery id it comes', async () => {
  const { send, runs, endRun } = await createPipeline({ enabled: true });
  const content = push('refs/heads/main');
  const first = await send(content);
  expect(first.status).toBe(202);
  await endRun();
  const again = await send(content);
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
  expect(await runs()).toBe(1);
  expect((await send(push('refs/heads/main', { after: 'decaf' }))).status).toBe(202);
});

test('a push of more than a day ago starts no run: its first delivery is not known any more', async () => {
  const { send, runs } = await createPipeline({ enabled: true });
  const old = await send(push('refs/heads/main', { repository: { pushed_at: now() - 25 * 3_600 } }));
  expect([old.status, old.body]).toEqual([200, { ignored: 'the push is more than a day old' }]);
  expect(await runs()).toBe(0);
});

test('a ping starts no run, whatever event its header names', async () => {
  for (const webhook of [{ enabled: true }, NAMED]) {
    const { send, runs } = await createPipeline(webhook);
    const ping = { zen: 'Keep it logically awesome.', hook_id: 1, hook: {} };
    for (const event of ['ping', 'push']) {
      const { status, body } = await send(ping, { event });
      expect([status, body]).toEqual([200, { ignored: 'a ping starts no run' }]);
    }
    expect(await runs()).toBe(0);
  }
});

test.each([
  ['issues', push('refs/heads/main'), 'triggers.webhook.events does not name "issues"'],
  ['push', push('refs/heads/feature'), 'triggers.webhook.branches does not name "refs/heads/feature"'],
  ['push', push('refs/tags/main'), 'triggers.webhook.branches does not name "refs/tags/main"'],
  ['push', { action: 'opened', issue: {} }, 'the message names no branch'],
  ['push', push('refs/heads/main', { deleted: true }), 'the branch was deleted'],
  ['push', 'payload=%7B%7D', 'the body is no JSON object: choose the content type application/json'],
])('of a trigger that names events and branches, %s of %j starts no run', async (event, content, ignored) => {
  const { send, runs } = await createPipeline(NAMED);
  const { status, body } = await send(content, { event });
  expect([status, body]).toEqual([200, { ignored }]);
  expect(await runs()).toBe(0);
});

test.each(['refs/heads/main', 'refs/heads/release'])(
  'a push to %s, which the trigger names, starts a run',
  async (ref) => {
    const { send } = await createPipeline(NAMED);
    expect((await send(push(ref))).status).toBe(202);
  },
);

test('a trigger that names nothing starts on every event but a ping', async () => {
  const { send } = await createPipeline({ enabled: true });
  expect((await send({ action: 'published', release: {} }, { event: 'release' })).status).toBe(202);
});

test('names that no event or branch can have are refused', async () => {
  const { status, body } = await api.call('POST', PATH, {
    body: bodyOf({ enabled: true, events: ['Push it'], branches: [''] }),
  });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('spec.triggers.webhook.events');
  expect(JSON.stringify(body)).toContain('spec.triggers.webhook.branches');
});
