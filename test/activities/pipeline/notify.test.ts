import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createNotifyActivities } from '../../../activities/pipeline/notify.js';
import { createPublicAgent } from '../../../activities/shared/public-address.js';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { type Pipeline, PipelineSpec } from '../../../lifecycle/kinds/pipeline.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createPipelineRuns } from '../../../lifecycle/stores/pipeline-runs.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { PATIENT } from '../../patient-server.js';
import { newAttempt } from '../shared/environment.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const EVERYWHERE = ['0.0.0.0/0', '::/0'].flatMap((text) => parseNetwork(text) ?? []);
const SECRET = Buffer.alloc(32, 7);

/** A receiver that answers with this status, and what it got. */
async function startReceiver(status: number, headers: Record<string, string> = {}) {
  const got: { headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(PATIENT, (req, res) => {
    void text(req).then((body) => {
      got.push({ headers: req.headers, body });
      res.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => new Promise((done) => server.close(done)));
  return { got, port: (server.address() as AddressInfo).port };
}

async function notify(url: string, allowPrivate = true): Promise<void> {
  const database = createMemoryDatabase();
  const pipelines = createResources<Pipeline>({ database, kind: 'ModelPipeline' });
  const pipelineRuns = createResources<PipelineRun>({ database, kind: 'PipelineRun' });
  const at = '2026-01-01T00:00:00.000Z';
  await pipelines.insert({
    ...{ kind: 'ModelPipeline', id: 'wine', uid: randomUUID(), generation: 1, revision: 1 },
    ...{ createdAt: at, updatedAt: at, createdBy: 'ann', updatedBy: 'ann' },
    spec: PipelineSpec.parse({ notify: [{ url }] }),
    status: { lastRun: 0, positions: {} },
  });
  const store = createPipelineRuns({ pipelines, pipelineRuns, now: () => new Date(at), newId: () => 'uid' });
  const { id, uid, generation } = await store.open('wine', { trigger: { type: 'api', at } });
  const webhookAgent = createPublicAgent({ policy: { networks: allowPrivate ? EVERYWHERE : [] } });
  closing.push(() => webhookAgent.close());
  const activities = createNotifyActivities({
    ...{ pipelines, pipelineRuns, webhookAgent },
    noticeSecret: () => SECRET,
  });
  const notification = { ref: { id, uid, generation }, notice: 'succeeded', target: 0 } as const;
  await newAttempt().run(() => activities.notifyPipelineRun(notification));
}

test('a notice is signed as Standard Webhooks wants it, and has the same id each time', async () => {
  const { got, port } = await startReceiver(204);
  await notify(`http://127.0.0.1:${port}/hook`);
  await notify(`http://localhost:${port}/hook`);
  expect(got).toHaveLength(2);
  for (const { headers, body } of got) {
    const verifier = new Webhook(`whsec_${SECRET.toString('base64')}`);
    expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'pipeline.run.succeeded',
      data: { pipeline: 'wine', number: 1, state: 'unknown' },
    });
    expect(headers['webhook-id']).toBe('uid.1.succeeded');
  }
});

test.each([
  [500, 'unavailable'],
  [429, 'unavailable'],
  [404, 'validation_failed'],
  [302, 'validation_failed'],
])('an answer %i is %s, and a redirect is not followed', async (status, code) => {
  const { got, port } = await startReceiver(status, { location: 'http://127.0.0.1:1/' });
  await expect(notify(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code });
  expect(got).toHaveLength(1);
});

test('nobody there is a reason to try again', async () => {
  const { port } = await startReceiver(200);
  await closing.shift()?.();
  await expect(notify(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'unavailable' });
});

test('loopback and private addresses are refused, by number and by name', async () => {
  const { got, port } = await startReceiver(204);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    await expect(notify(`http://${host}:${port}/`, false)).rejects.toMatchObject({ code: 'url.not_allowed' });
  }
  expect(got).toEqual([]);
});
