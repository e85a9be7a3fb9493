import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createLiveDrains } from '../../../activities/notifications/live-drains.js';
import { createDrainFaults } from '../../../activities/notifications/drain-fault.js';
import { createNotificationActivities } from '../../../activities/notifications/notification.js';
import type { SubscriptionRef } from '../../../notifications/kinds/subscription-ref.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { openScene } from './notification-scene.js';

const NONE = async (): Promise<never> => Promise.reject(new Error('nothing is sent'));

test('a drain that ends with an unexpected error shows on its subscription until one ends well', async () => {
  const scene = openScene();
  const tails = createLogTails({ database: scene.database });
  await scene.subscribe({ mode: 'pull' });
  const reported: unknown[] = [];
  const keys = { isBroken: true };
  const activities = createNotificationActivities({
    ...scene,
    ...{
      tails,
      sender: { send: NONE },
      probe: NONE,
      userAgent: 'Slipway/test',
      live: createLiveDrains(1_000, 50),
      baseUrl: '',
    },
    headersOf: ({ spec }) => spec.headers,
    keysOf: () => {
      if (keys.isBroken) throw new TypeError('a secret that cannot be opened');
      return [];
    },
    onDrainFault: (fault) => void reported.push(fault),
  });
  const faultOf = async () => (await scene.subscriptions.get(scene.id))?.status.fault;
  const run = (ref: SubscriptionRef) => activities.drainNotices(ref);
  const drain = () => new MockActivityEnvironment().run(run, { subscriptionId: scene.id });

  await expect(drain()).rejects.toThrow('a secret that cannot be opened');
  const first = await faultOf();
  expect(first).toEqual({ since: expect.any(String), reason: 'unexpected error: TypeError' });
  await expect(drain()).rejects.toThrow('a secret that cannot be opened');
  expect(await faultOf()).toEqual(first);
  expect(reported).toMatchObject([{ subscription: scene.id, err: { name: 'TypeError' } }, {}]);

  keys.isBroken = false;
  const environment = new MockActivityEnvironment();
  const running = environment.run(run, { subscriptionId: scene.id });
  environment.cancel();
  await running;
  expect(await faultOf()).toBeUndefined();
  await tails.stop();
  await scene.close();
});

test('a store that does not answer is no fault of the subscription', async () => {
  const scene = openScene();
  await scene.subscribe({ mode: 'pull' });
  const reported: unknown[] = [];
  const faults = createDrainFaults({ ...scene, onDrainFault: (fault) => void reported.push(fault) });
  await faults.failed(scene.id, new SlipwayError('unavailable', 'no answer'));
  expect((await scene.subscriptions.get(scene.id))?.status.fault).toBeUndefined();
  expect(reported).toEqual([]);
  await faults.failed(scene.id, new SlipwayError('internal', 'a bug'));
  expect((await scene.subscriptions.get(scene.id))?.status.fault?.reason).toBe('unexpected error: SlipwayError');
  await scene.close();
});
