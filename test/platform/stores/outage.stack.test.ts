import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
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
  await expect(table.put({ _id: 'a', n: 2 })).rejects.toMatchObject({ code: 'unavailable' });
  await proxy.mend();
  await table.put({ _id: 'a', n: 3 });
  expect(await table.get('a')).toEqual({ _id: 'a', n: 3 });
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
  const writers = [writer(), writer(), writer()];
  for (let round = 0; round < 5; round++) {
    const before = acknowledged;
    await sleep(150 + Math.random() * 100);
    await until('a write to get through', async () => acknowledged >= before + 2, { pollMs: 5 });
    await proxy.cut();
    await proxy.mend();
  }
  done = true;
  await Promise.all(writers);
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
