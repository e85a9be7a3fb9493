import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { REFRESH_MS, type Subscription } from '../../../notifications/kinds/subscription.js';
import { openDelivery } from './delivery-scene.js';

/** A delivery that is signed by the keys of the stored subscription, and a clock that the test sets forward. */
async function open() {
  const scene = await openDelivery();
  const added = createHmacSecret();
  let late = 0;
  const now = () => new Date(Date.now() + late);
  const keysOf = ({ status }: Subscription) =>
    [scene.secret, ...status.keys.map(({ secret }) => secret)].map(parseSigningKey);
  /** Adds a key, after which this time passes. */
  async function addKey(passesMs: number): Promise<void> {
    const key = { kid: 'k_2', kind: 'hmac', secret: added, created_at: now().toISOString(), expires_at: null } as const;
    await scene.subscriptions.update(scene.id, (each) => ({ ...each, status: { ...each.status, keys: [key] } }));
    late += passesMs;
  }
  const isSigned = (): boolean[] =>
    scene.receiver.received.map(({ body, headers }) => {
      try {
        new Webhook(added).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    });
  return { ...scene, addKey, isSigned, timing: { now, keysOf } };
}

test('an attempt carries a key that was added a second before, whatever the drain did meanwhile', async () => {
  const { write, change, drain, log, receiver, addKey, isSigned, timing } = await open();
  await write(change('1', 'Open'));
  let isWritten = false;
  // The second event comes while the drain reads its streams, a moment before it starts attempts.
  const read = async (position: number) => {
    if (receiver.received.length === 1 && !isWritten) {
      isWritten = true;
      await addKey(REFRESH_MS);
      await write(change('2', 'Open'));
    }
    return log.read(position);
  };
  await drain({ ...timing, streamOf: () => ({ ...log, read, readOn: read }) });
  expect(isSigned()).toEqual([false, true]);
});

test('a drain that needs long to load its progress reads the keys again before its first attempt', async () => {
  const { write, change, drain, progress, addKey, isSigned, timing } = await open();
  await write(change('1', 'Open'));
  const get: typeof progress.get = async (id) => {
    const saved = await progress.get(id);
    await addKey(REFRESH_MS);
    return saved;
  };
  await drain({ ...timing, progress: { ...progress, get } });
  expect(isSigned()).toEqual([true]);
});
