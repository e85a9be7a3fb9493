import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import type { Change } from '../../../reference/dataset/change.js';
import { createChangeRecords } from '../../../reference/stores/change-records.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { until } from '../../e2e/until.js';
import { createProxy } from './proxy.js';
import { nameTestDatabase } from './test-database.js';

const addressOf = (uri = '') => {
  const { hostname, port } = new URL(uri);
  return { host: hostname, port: Number(port) };
};

test('a database that is not there is unavailable, before the driver itself would give up, and without its address', async () => {
  const started = Date.now();
  const error: unknown = await connectDatabase('mongodb://127.0.0.1:1', 'x').catch((err: unknown) => err);
  expect(error).toMatchObject({ code: 'unavailable', message: 'the database does not answer' });
  expect(Date.now() - started).toBeLessThan(30_000);
});

test('reads outlive a restart of the database; writes say that they may be open', async () => {
  const proxy = await createProxy(addressOf(process.env.MONGODB_URI));
  const { name, drop } = nameTestDatabase();
  const database = await connectDatabase(`mongodb://127.0.0.1:${proxy.port}`, name);
  const table = database.table<{ _id: string; n: number }>('Endpoint');
  await table.put({ _id: 'a', n: 1 });

  const readAll = async () => {
    const rows = [];
    for await (const row of table.scan()) rows.push(row);
    return rows;
  };
  // At once after the cut, and a moment later: the driver fails in different ways.
  for (const pauseMs of [0, 0, 0, 50]) {
    const cut = proxy.cut();
    await sleep(pauseMs);
    const reads = Promise.all([table.get('a'), readAll()]);
    await cut;
    await sleep(1_000);
    await proxy.mend();
    expect(await reads).toEqual([{ _id: 'a', n: 1 }, [{ _id: 'a', n: 1 }]]);
  }

  await proxy.cut();
  const writes = [
    table.put({ _id: 'a', n: 2 }),
    table.insert({ _id: 'b', n: 1 }),
    table.insertAll([{ _id: 'c', n: 1 }]),
  ];
  const refused = { reason: { code: 'unavailable' } };
  expect(await Promise.allSettled(writes)).toMatchObject([refused, refused, refused]);
  await proxy.mend();
  await table.put({ _id: 'a', n: 3 });
  expect(await table.get('a')).toEqual({ _id: 'a', n: 3 });
  await database.close();
  await proxy.cut();
  await drop();
});

test('rows that are written together while the line breaks again and again are all stored, none twice', async () => {
  const proxy = await createProxy(addressOf(process.env.MONGODB_URI));
  const { name, drop } = nameTestDatabase();
  const database = await connectDatabase(`mongodb://127.0.0.1:${proxy.port}`, name);
  const records = createChangeRecords({ database, dataset: 'words' });
  const change = (n: number): Change => {
    const common = { version: 1, at: '2026-01-01T00:00:00.000Z', actor: 'test', schema: 1 };
    return { ...common, id: String(n), body: '{}', commit: `c${n}` };
  };
  let next = 0;
  const writer = async () => {
    while (next < 300) {
      next += 1;
      const given = change(next);
      expect(await records.insert(given)).toEqual(given);
    }
  };
  const writers = Promise.all([writer(), writer(), writer(), writer()]);
  for (let round = 1; round <= 4; round += 1) {
    await until('some writes', async () => next > round * 50, { pollMs: 2 });
    await proxy.cut();
    await proxy.mend();
  }
  await writers;
  expect(await records.get('300', 1)).toEqual(change(300));
  await database.close();
  await proxy.cut();
  await drop();
});

test('writes ask for a majority and its journal', async () => {
  const inserts: string[] = [];
  const proxy = await createProxy(addressOf(process.env.MONGODB_URI), (data) => {
    if (data.includes('insert')) inserts.push(data.toString('latin1'));
  });
  const { name, drop } = nameTestDatabase();
  const database = await connectDatabase(`mongodb://127.0.0.1:${proxy.port}`, name);
  await database.table<{ _id: string; n: number }>('Endpoint').insert({ _id: 'a', n: 1 });
  const [insert = ''] = inserts;
  const concern = insert.slice(insert.indexOf('writeConcern'));
  // BSON: a string of nine bytes with its end, and true.
  for (const part of ['w\0\t\0\0\0majority\0', 'j\0\u0001']) expect(concern).toContain(part);
  await database.close();
  await proxy.cut();
  await drop();
});

test('increments through a line that breaks again and again: each acknowledged one counts, none counts twice', async () => {
  const proxy = await createProxy(addressOf(process.env.MONGODB_URI));
  const { name, drop } = nameTestDatabase();
  const database = await connectDatabase(`mongodb://127.0.0.1:${proxy.port}`, name);
  const counters = createResources<AnyResource & { status: { count: number } }>({ database, kind: 'ModelTraining' });
  const id = randomUUID();
  const common = { kind: 'ModelTraining', id, uid: id, spec: {}, generation: 1, revision: 0 } as const;
  const stamps = { createdAt: '', updatedAt: '', createdBy: '', updatedBy: '' };
  await counters.insert({ ...common, ...stamps, status: { count: 0 } });

  let acknowledged = 0;
  let open = 0;
  let done = false;
  const writer = async () => {
    while (!done) {
      try {
        await counters.update(id, (current) => ({ ...current, status: { count: current.status.count + 1 } }));
        acknowledged += 1;
      } catch (err) {
        expect(err).toMatchObject({ code: 'unavailable' });
        open += 1;
      }
    }
  };
  const writers = Promise.all([writer(), writer(), writer()]);
  for (let round = 0; round < 5; round++) {
    const before = acknowledged;
    await sleep(150 + Math.random() * 100);
    const through = until('a write to get through', async () => acknowledged >= before + 2, { pollMs: 5 });
    await Promise.race([through, writers]);
    await proxy.cut();
    await proxy.mend();
  }
  done = true;
  await writers;
  const stored = await counters.get(id);
  expect(acknowledged).toBeGreaterThan(5);
  expect(stored?.status.count).toBeGreaterThanOrEqual(acknowledged);
  expect(stored?.status.count).toBeLessThanOrEqual(acknowledged + open);
  expect(stored?.revision).toBe(1 + (stored?.status.count ?? 0));
  await database.close();
  await proxy.cut();
  await drop();
});

test('an upload cut in the middle stores nothing else than the whole, and is simply repeated', async () => {
  const endpoint = process.env.STORAGE_API_ENDPOINT ?? '';
  const proxy = await createProxy(addressOf(endpoint));
  const bucket = `stores-${randomUUID()}`;
  const direct = createGcsObjects({ bucket, apiEndpoint: endpoint });
  await direct.ensureBucket();
  const objects = createGcsObjects({ bucket, apiEndpoint: `http://127.0.0.1:${proxy.port}` });
  const part = randomBytes(1_000_000);
  const whole = createHash('sha256');
  for (let count = 0; count < 20; count++) whole.update(part);
  const body = () =>
    Readable.from(
      Array.from({ length: 20 }, () => part),
      { objectMode: false },
    );

  const first = objects.put('big.bin', body()).then(
    () => 'stored',
    (err: { code: string }) => err.code,
  );
  while (proxy.passedBytes() < 9_000_000) await sleep(1);
  await proxy.cut();
  await sleep(200);
  expect(await direct.head('big.bin')).toBeUndefined();
  await proxy.mend();
  expect(['stored', 'unavailable']).toContain(await first);
  await objects.put('big.bin', body());
  const got = createHash('sha256');
  for await (const chunk of await objects.open('big.bin')) got.update(chunk as Buffer);
  expect(got.digest('hex')).toBe(whole.digest('hex'));

  await proxy.cut();
  const refused = await Promise.allSettled([objects.put('a', 'x'), objects.read('big.bin'), objects.head('a')]);
  expect(refused).toMatchObject(Array.from({ length: 3 }, () => ({ reason: { code: 'unavailable' } })));
});
