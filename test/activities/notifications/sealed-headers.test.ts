import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { openHeaders, sealHeaders } from '../../../notifications/delivery/sealed-headers.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test('deliveries open the sealed headers, beside plain ones of an earlier version', async () => {
  const box = createSecretBox({ key: randomBytes(32).toString('base64') });
  const receiver = await openReceiver();
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  const headers = { ...sealHeaders({ id: scene.id, headers: { authorization: 'Bearer r' } }, box), 'x-team': 'hr' };
  await scene.subscribe({ url: receiver.url }); // its check of new settings knows no sealed value
  await scene.subscriptions.update(scene.id, (each) => ({ ...each, spec: { ...each.spec, headers } }));
  await scene.write(scene.change('1', 'Open'));
  await scene.drain({ headersOf: ({ id, spec }) => openHeaders({ id, headers: spec.headers }, box) });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer r', 'x-team': 'hr' });
});
