import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Agent } from 'undici';
import { createNotificationActivities } from '../../../activities/notifications/notification.js';
import { createLiveDrains } from '../../../activities/notifications/live-drains.js';
import { createProbe } from '../../../activities/notifications/probe.js';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import type { SubscriptionStatus } from '../../../notifications/kinds/subscription.js';
import type { SubscriptionRef } from '../../../notifications/kinds/subscription-ref.js';
import { collections } from '../../../platform/stores/collections.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { until } from '../../e2e/until.js';
import { openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/**
 * A subscription whose deliveries run as the activity does.
 * @param isSlow to read its progress takes until the activity has given a sign of life
 */
async function open(url: string, status: Partial<SubscriptionStatus>, { isSlow = false } = {}) {
  const scene = openScene();
  const agent = new Agent();
  const tails = createLogTails({ database: scene.database });
  closing.push(
    scene.close,
    () => agent.destroy(),
    () => tails.stop(),
  );
  await scene.subscribe({ url }, status);
  await scene.write(scene.change('1', 'Open'));
  const sender = createWebhookSender({ dispatcher: agent });
  let beat: Promise<unknown> = Promise.resolve();
  const activities = createNotificationActivities({
    ...scene,
    ...(isSlow && { progress: { ...scene.progress, get: (id) => beat.then(() => scene.progress.get(id)) } }),
    ...{ sender, tails, probe: createProbe({ sender, userAgent: 'Slipway/test', origin: 'slipway.test' }) },
    ...{ userAgent: 'Slipway/test', live: createLiveDrains(1_000, 50), baseUrl: 'http://slipway.test' },
    keysOf: () => [parseSigningKey(scene.secret)],
    headersOf: ({ spec }) => spec.headers,
  });
  const start = () => {
    const environment = new MockActivityEnvironment();
    beat = once(environment, 'heartbeat');
    const run = (ref: SubscriptionRef) => activities.drainNotices(ref);
    const running = environment.run(run, { subscriptionId: scene.id });
    return async (): Promise<void> => {
      environment.cancel();
      await running;
    };
  };
  let end = start();
  return {
    ...scene,
    statusOf: async () => (await scene.subscriptions.get(scene.id))?.status,
    stop: () => end(),
    /** Runs another try of the activity in the same process. */
    again: () => void (end = start()),
  };
}

test('a receiver that answers again is found by a probe, and waiting deliveries are sent', async () => {
  const receiver = await openReceiver();
  closing.push(receiver.close);
  const { statusOf, stop } = await open(receiver.url, { state: 'unverified' });
  await until('the notice', async () => receiver.received.length > 0);
  expect(await statusOf()).toMatchObject({ state: 'active', level: 'L0', probe: { answered: true } });
  await stop();
  expect(receiver.received.map(({ id }) => id)).toEqual([expect.stringMatching(/^ntc_/)]);
});

test('a receiver that is down gets no delivery, and the subscription has the reason', async () => {
  const receiver = await openReceiver();
  await receiver.close();
  const { statusOf, stop } = await open(receiver.url, { state: 'unverified' });
  const status = await until('a look at it', async () => {
    const found = await statusOf();
    return found?.probe !== undefined && found;
  });
  await stop();
  expect(status).toMatchObject({ state: 'unverified', reason: expect.stringContaining('ECONNREFUSED') });
});

test('a receiver that was probed this week is not probed again', async () => {
  const receiver = await openReceiver();
  closing.push(receiver.close);
  const probe = { at: new Date().toISOString(), answered: true, level: 'L1', receipts: 'none', steps: [] } as const;
  const { statusOf, stop } = await open(receiver.url, { probe, level: 'L1', checked_at: probe.at });
  await until('the notice', async () => receiver.received.length > 0);
  await stop();
  expect(await statusOf()).toMatchObject({ state: 'active', level: 'L1', probe });
});

test('an activity that loads many open deliveries sends heartbeats meanwhile', async () => {
  const receiver = await openReceiver();
  closing.push(receiver.close);
  const probe = { at: new Date().toISOString(), answered: true, level: 'L0', receipts: 'none', steps: [] } as const;
  const { stop } = await open(receiver.url, { probe }, { isSlow: true });
  await until('the notice', async () => receiver.received.length > 0);
  await stop();
});

test('a try starts no attempt that an earlier try without saved progress had started', async () => {
  const receiver = await openReceiver();
  closing.push(receiver.close);
  const probe = { at: new Date().toISOString(), answered: true, level: 'L0', receipts: 'none', steps: [] } as const;
  const { stop, again, database, id, write, change } = await open(receiver.url, { probe });
  await until('the notice', async () => receiver.received.length > 0);
  await stop();
  await database.table(collections.progress).remove(id);
  again();
  await write(change('2', 'Open'));
  await until('the next notice', async () => receiver.received.length > 1);
  await stop();
  expect(receiver.received.map(({ body }) => JSON.parse(body).subject)).toEqual(['1', '2']);
});
