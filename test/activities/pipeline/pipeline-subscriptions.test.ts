import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Webhook } from 'standardwebhooks';
import { createNotificationActivities } from '../../../activities/notifications/notification.js';
import { createLiveDrains } from '../../../activities/notifications/live-drains.js';
import { createProbe } from '../../../activities/notifications/probe.js';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import { createPublicAgent } from '../../../platform/outbound/public-agent.js';
import { noticeSecrets, secretText } from '../../../lifecycle/stores/webhook-secrets.js';
import { openSigningKeys } from '../../../notifications/delivery/sealed-keys.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';
import { createNotificationStores } from '../../../workers/compose/notification-deps.js';
import { until } from '../../e2e/until.js';
import { PATIENT } from '../../patient-server.js';
import { type Behavior, openReceiver } from '../notifications/notification-scene.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const EVERYWHERE = ['0.0.0.0/0', '::/0'].flatMap((text) => parseNetwork(text) ?? []);

async function openScene(): Promise<PipelineScene> {
  const scene = await createPipelineScene();
  closing.push(() => scene.close());
  return scene;
}

async function startReceiver(behave?: Behavior) {
  const receiver = await openReceiver(behave);
  closing.push(receiver.close);
  return receiver;
}

const idsOf = async ({ subscriptions }: PipelineScene): Promise<string[]> =>
  (await subscriptions.list()).map(({ id }) => id);

/** Runs the delivery activity of each subscription of the scene until `isDone`. */
async function deliver(scene: PipelineScene, isDone: () => Promise<boolean>, networks = EVERYWHERE): Promise<void> {
  const { database, box } = scene;
  const agent = createPublicAgent({ policy: { networks } });
  const tails = createLogTails({ database });
  const sender = createWebhookSender({ dispatcher: agent });
  const activities = createNotificationActivities({
    ...createNotificationStores(database),
    ...{ sender, tails, probe: createProbe({ sender, userAgent: 'Slipway/test', origin: 'slipway.test' }) },
    ...{ userAgent: 'Slipway/test', live: createLiveDrains(1_000, 50), baseUrl: 'http://slipway.test' },
    keysOf: (subscription) => openSigningKeys(subscription, box, new Date()),
    headersOf: ({ spec }) => spec.headers,
  });
  const environments = (await idsOf(scene)).map((subscriptionId) => {
    const environment = new MockActivityEnvironment();
    return {
      environment,
      running: environment.run((ref: { subscriptionId: string }) => activities.drainNotices(ref), { subscriptionId }),
    };
  });
  await until('the deliveries', isDone, { pollMs: 20 });
  for (const { environment } of environments) environment.cancel();
  await Promise.all(environments.map(({ running }) => running));
  await tails.stop();
  await agent.close();
}

/** How the newest attempt of the first delivery of each subscription ended. */
const outcomes = async (scene: PipelineScene): Promise<(string | undefined)[]> => {
  const { ledger } = createNotificationStores(scene.database);
  const read = (subscription: string) => ledger.read({ subscription, sequence: 1 });
  return Promise.all(
    (await idsOf(scene)).map(async (id) => {
      const [first] = (await read(id)).attempts;
      return first?.end === undefined ? undefined : (first.end.error ?? `${first.end.status}`);
    }),
  );
};
const allAttempted = (scene: PipelineScene) => async () => !(await outcomes(scene)).includes(undefined);

test('a run that succeeds makes one webhook, signed with the notice secret of the pipeline', async () => {
  const receiver = await startReceiver();
  const other = await startReceiver();
  const scene = await openScene();
  const pipeline = await scene.createPipeline({ notify: [{ url: receiver.url, on: ['succeeded'] }] });
  await scene.createPipeline({ notify: [{ url: other.url }] }, 'beer');
  const ref = await scene.openRun();
  await scene.openRun({}, 'beer');
  await scene.end(ref);
  await deliver(scene, async () => receiver.received.length > 0);
  expect(receiver.received).toHaveLength(1);
  const [got] = receiver.received;
  const verifier = new Webhook(secretText(noticeSecrets(scene.box, pipeline)[0]));
  const headers = got?.headers as Record<string, string>;
  expect(verifier.verify(got?.body ?? '', headers)).toMatchObject({
    type: 'pipeline.run.succeeded',
    subject: 'run/wine-1',
    data: { pipeline: 'wine', number: 1, state: 'succeeded' },
  });
  expect(other.received).toEqual([]);
});

test('an address that asks for failures receives a canceled run, and no other event', async () => {
  const receiver = await startReceiver();
  const scene = await openScene();
  await scene.createPipeline({ notify: [{ url: receiver.url, on: ['failed'] }] });
  const failure = { reason: 'Cancelled', message: 'canceled by ann' } as const;
  await scene.end(await scene.openRun());
  await scene.run('recordPipelineFailed', { ref: await scene.openRun(), failure });
  await scene.end(await scene.openRun(), true);
  await deliver(scene, async () => receiver.received.length > 1);
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    'pipeline.run.cancelled',
    'pipeline.run.failed',
  ]);
});

test('a claim creates the subscription that a crash of the API left out, before the run has an event', async () => {
  const receiver = await startReceiver();
  const scene = await openScene();
  await scene.createPipeline({ notify: [{ url: receiver.url }] });
  expect(await scene.subscriptions.list()).toEqual([]);
  const ref = await scene.openRun();
  expect(await scene.subscriptions.list()).toMatchObject([{ spec: { url: receiver.url } }]);
  await scene.run('beginPipelineApproval', ref);
  await scene.end(ref);
  await deliver(scene, async () => receiver.received.length > 1);
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    'pipeline.run.waiting',
    'pipeline.run.succeeded',
  ]);
});

test('the activity that open runs of 0.1.0 have scheduled sends nothing', async () => {
  const receiver = await startReceiver();
  const scene = await openScene();
  await scene.createPipeline({ notify: [{ url: receiver.url }] });
  const ref = await scene.openRun();
  await scene.run('notifyPipelineRun', { ref, notice: 'succeeded', target: 0 });
  expect(receiver.received).toEqual([]);
});

test('a redirect is not followed', async () => {
  const target = await startReceiver();
  const scene = await openScene();
  const receiver = await startReceiver((_, response) => void response.writeHead(302, { location: target.url }).end());
  await scene.createPipeline({ notify: [{ url: receiver.url, on: ['succeeded'] }] });
  await scene.end(await scene.openRun());
  await deliver(scene, allAttempted(scene));
  expect(await outcomes(scene)).toEqual(['302']);
  expect(target.received).toEqual([]);
});

test('loopback and private addresses are refused, by number and by name', async () => {
  const got: string[] = [];
  const server = createServer(PATIENT, (request, response) => {
    got.push(`${request.method} ${request.url}`);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => new Promise((done) => server.close(done)));
  const { port } = server.address() as AddressInfo;
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433'];
  const scene = await openScene();
  await scene.createPipeline({ notify: hosts.map((host) => ({ url: `http://${host}:${port}/`, on: ['succeeded'] })) });
  await scene.end(await scene.openRun());
  await deliver(scene, allAttempted(scene), []);
  expect(await outcomes(scene)).toHaveLength(hosts.length);
  for (const outcome of await outcomes(scene)) expect(outcome).toMatch(/is a .*address|not allowed|loopback/);
  expect(got).toEqual([]);
});
