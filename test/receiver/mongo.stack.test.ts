import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MongoClient } from 'mongodb';
import { mongoEffectFirst, mongoMarkFirst, mongoStore, type ReceiptDocument } from '../../receiver/mongo.js';
import type { ReceiptStore } from '../../receiver/store.js';
import { describeReceiver, type Scene } from './receiver.contract.js';
import { startReceiver } from './receiver-process.js';
import { newId } from './sender.js';

const place = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017';
const name = `receiver-${randomUUID().slice(0, 8)}`;
const client = new MongoClient(place);
const db = client.db(name);
const receiptsOf = (collection: string) => db.collection<ReceiptDocument>(collection);
beforeAll(async () => void (await client.connect()));
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

async function openScene(store: ReceiptStore<undefined>): Promise<Scene<undefined>> {
  const noted: string[] = [];
  return {
    store,
    note: async (id) => void noted.push(id),
    count: async (id) => noted.filter((other) => other === id).length,
  };
}

describeReceiver('MongoDB, mark first', () => openScene(mongoMarkFirst(receiptsOf('marks'))));
describeReceiver('MongoDB, effect first', () => openScene(mongoEffectFirst(receiptsOf('effects'))));

test('ids go when they were kept long enough', async () => {
  let now = 0;
  const store = mongoEffectFirst(receiptsOf('kept'), { now: () => now });
  await store.take({ id: 'a', timestamp: 1, body: new Uint8Array() }, async () => undefined);
  now = 35 * 86_400_000;
  await store.purge();
  expect(await store.find('a')).toBe('received');
  now += 1;
  await store.purge();
  expect(await store.find('a')).toBe('unknown');
});

test('where there are no transactions, the store that needs them runs no effect and says so', async () => {
  const store = mongoStore({ client, collection: receiptsOf('once') });
  let effects = 0;
  const take = () => store.take({ id: newId(), timestamp: 1, body: new Uint8Array() }, async () => void (effects += 1));
  const refused = { code: 'store.no_transactions', message: expect.stringContaining('replica set') };
  await expect(take()).rejects.toMatchObject(refused);
  await expect(take()).rejects.toMatchObject(refused);
  await expect(store.refuse('a', 1)).rejects.toMatchObject(refused);
  expect(effects).toBe(0);
});

test('killed before its effect, mark first never runs it; killed after it, never again', async () => {
  for (const [moment, effects] of [
    ['before the effect', 0],
    ['after the effect', 1],
  ] as const) {
    const database = { kind: 'mark first', place, name: `${name}-mark-${effects}` } as const;
    const id = newId();
    const mortal = await startReceiver(database, moment);
    await expect(mortal.post({ id })).rejects.toThrow('fetch failed');
    const next = await startReceiver(database, 'never');
    const deadline = Date.now() + 120_000;
    let answer = await next.post({ id });
    while (answer.status === 503 && Date.now() < deadline) {
      await sleep(100);
      answer = await next.post({ id });
    }
    expect(answer).toMatchObject({ status: 200, receipt: 'duplicate' });
    expect(await next.count()).toBe(effects);
    await next.kill();
    await client.db(database.name).dropDatabase();
  }
});

test('killed after its effect, effect first runs it again', async () => {
  const database = { kind: 'effect first', place, name: `${name}-effect` } as const;
  const id = newId();
  const mortal = await startReceiver(database, 'after the effect');
  await expect(mortal.post({ id })).rejects.toThrow('fetch failed');
  const next = await startReceiver(database, 'never');
  expect(await next.post({ id })).toMatchObject({ status: 200, receipt: 'new' });
  expect(await next.post({ id })).toMatchObject({ status: 200, receipt: 'duplicate' });
  expect(await next.count()).toBe(2);
  await next.kill();
  await client.db(database.name).dropDatabase();
});
