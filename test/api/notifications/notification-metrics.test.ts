import { expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { measureNotifications } from '../../../api/notifications/notification-metrics.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createNotificationStores } from '../../../workers/compose/notification-deps.js';
import { type Behavior, openReceiver, openScene } from '../../activities/notifications/notification-scene.js';

test('metrics say what every subscription comes to, whichever process delivers', async () => {
  const database = createMemoryDatabase();
  const refusesSome: Behavior = ({ body }, response) => {
    response.statusCode = JSON.parse(body).subject === '2' ? 500 : 200;
    response.end();
  };
  const receiver = await openReceiver(refusesSome);
  const scene = openScene(database);
  try {
    await scene.subscribe({ url: receiver.url });
    await scene.write(scene.change('1', 'Open'), scene.change('2', 'Open'), scene.change('3', 'Open'));
    await scene.drain();
  } finally {
    await receiver.close();
    await scene.close();
  }
  const metrics = new Registry();
  measureNotifications({ metrics, ...createNotificationStores(database) });
  const text = await metrics.metrics();
  const value = (name: string, labels = '') => {
    const line = text.split('\n').find((each) => each.startsWith(`${name}{subscription="${scene.id}"${labels}}`));
    return Number(line?.split(' ')[1]);
  };
  expect(value('slipway_notifications_minted_total')).toBe(3);
  expect(value('slipway_notification_deliveries', ',state="delivered"')).toBe(2);
  expect(value('slipway_notification_deliveries', ',state="pending"')).toBe(1);
  expect(value('slipway_notification_attempts_total', ',outcome="confirmed"')).toBe(2);
  expect(value('slipway_notification_attempts_total', ',outcome="refused"')).toBe(1);
  expect(value('slipway_notification_breaker_open')).toBe(0);
  const again = await metrics.metrics();
  expect(again).toContain(`slipway_notifications_minted_total{subscription="${scene.id}"} 3`);
});

test('a database that is away takes no other metric with it', async () => {
  const stores = createNotificationStores(createMemoryDatabase());
  const metrics = new Registry();
  const list = () => Promise.reject(new Error('away'));
  measureNotifications({ metrics, ...stores, subscriptions: { ...stores.subscriptions, list } });
  expect(await metrics.metrics()).toContain('slipway_notification_breaker_open');
});

test('an endpoint whose host is down is left alone as one that fails itself', async () => {
  const stores = createNotificationStores(createMemoryDatabase());
  const scene = openScene(createMemoryDatabase());
  await scene.subscribe({ url: 'http://a.example/hook' });
  await scene.drain();
  const [given] = await scene.subscriptions.list();
  const progress = await scene.progress.get(scene.id);
  await scene.close();
  if (given === undefined || progress === undefined) throw new Error('there is no progress');
  const hostOutage = { breaker: { openings: 1, retryAt: Date.now() + 60_000 } };
  await stores.subscriptions.insert(given);
  await stores.progress.put(scene.id, { ...progress, hostOutage });
  const metrics = new Registry();
  measureNotifications({ metrics, ...stores });
  expect(await metrics.metrics()).toContain(`slipway_notification_breaker_open{subscription="${scene.id}"} 1`);
});
