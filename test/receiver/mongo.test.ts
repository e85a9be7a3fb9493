import { expect, test } from 'vitest';
import type { ClientSession } from 'mongodb';
import { mongoStore } from '../../receiver/mongo.js';
import { createModelMongo } from './model-mongo.js';
import { describeReceiver } from './receiver.contract.js';

describeReceiver<ClientSession>('a model of a MongoDB replica set', async () => {
  const model = createModelMongo();
  const noted: string[] = [];
  return {
    store: mongoStore(model.options),
    note: async (id, session) => model.note(session, noted, id),
    count: async (id) => noted.filter((other) => other === id).length,
  };
});

test('ids are kept for 35 days', async () => {
  let now = 0;
  const store = mongoStore({ ...createModelMongo().options, now: () => now });
  await store.take({ id: 'a', timestamp: 1, body: new Uint8Array() }, async () => undefined);
  now = 35 * 86_400_000;
  await store.purge();
  expect(await store.find('a')).toBe('received');
  now += 1;
  await store.purge();
  expect(await store.find('a')).toBe('unknown');
});
