import { afterEach } from '@jest/globals';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A subscription of a receiver of its own; both end with the test. */
export async function openDelivery(behave?: Behavior, spec: object = {}) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, ...spec });
  return { ...scene, receiver };
}
