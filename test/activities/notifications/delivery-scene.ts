import { afterEach, expect } from 'vitest';
import { type Behavior, openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The summary of a drain that left nothing to deliver. */
export const NOTHING_WAITS = { at: expect.any(String), health: 'active', unsettled: 0, held: 0 };
/** The last failure in a summary. */
export const failedWith = (status: number) => ({ lastFailure: { at: expect.any(String), reason: `status ${status}` } });

/** Opens a subscription with its own receiver; both end with the test. */
export async function openDelivery(behave?: Behavior, spec: object = {}) {
  const receiver = await openReceiver(behave);
  const scene = openScene();
  closing.push(receiver.close, scene.close);
  await scene.subscribe({ url: receiver.url, ...spec });
  return { ...scene, receiver };
}
