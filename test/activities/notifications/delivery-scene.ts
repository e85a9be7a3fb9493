import { afterEach } from 'vitest';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens a subscription with its own receiver; both end with the test. */
export async function openDelivery(behave?: Behavior, spec: object = {}) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, ...spec });
  return { ...scene, receiver };
}
