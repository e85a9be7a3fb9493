import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSegments } from '../../gateway/segment.js';
import { createSpool } from '../../gateway/spool.js';
import { createUploader } from '../../gateway/uploader.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';
import { feedbackAt, keysOf, linesOf } from './stored-records.js';

test('chunks go out when they are a minute old, by hour and model, under a prefix', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-records-'));
  const spool = await createSpool({ dir, log: silent });
  const start = Date.UTC(2026, 10, 20, 8, 59, 58);
  await spool.append(feedbackAt(start, 'a'));
  await spool.append(feedbackAt(start + 3_000, 'b'));
  await spool.append(feedbackAt(start + 3_000, 'c', '../odd/name'));
  const objects = createMemoryObjects();
  let now = start + 59_999;
  const uploader = createUploader({ spoolDir: dir, objects, log: silent, prefix: '/model_log/', now: () => now });
  expect(await uploader.runOnce()).toBe(0);
  now += 1;
  expect(await uploader.runOnce()).toBe(3 + 1); // and the index of each upload
  expect(await uploader.runOnce()).toBe(0);
  await spool.append(feedbackAt(start + 3_000, 'd'));
  now += 60_000;
  expect(await uploader.runOnce()).toBe(1 + 1);
  expect(await keysOf(objects)).toEqual([
    'model_log/feedback/..%2Fodd%2Fname/1/year=2026/month=11/day=20/2026112009_0.json',
    'model_log/feedback/m/1/year=2026/month=11/day=20/2026112008_0.json',
    'model_log/feedback/m/1/year=2026/month=11/day=20/2026112009_0.json',
    'model_log/feedback/m/1/year=2026/month=11/day=20/2026112009_1.json',
  ]);
  expect(await linesOf(objects, 'model_log/feedback/m/1/year=2026/month=11/day=20/2026112008')).toEqual([
    { request_id: 'a', model_version: '1', model_name: 'm', payload: { json: {} }, time: '2026-11-20 08:59:58 +0000' },
  ]);
  await spool.close();
  await rm(dir, { recursive: true });
});

test('no name that a caller chooses makes a path that a store refuses or reads differently', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-names-'));
  const spool = await createSpool({ dir, log: silent });
  const names = ['..', '.', 'a\\b', 'x'.repeat(15_000), 'x'.repeat(15_001), 'é'.repeat(200)];
  for (const name of names) await spool.append(feedbackAt(Date.UTC(2026, 10, 20), 'r', name));
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: dir, objects, log: silent }).runOnce({ all: true });
  const segments = (await keysOf(objects)).map((key) => key.split('/')[1] ?? '');
  expect(segments).toEqual(expect.arrayContaining(['%2E%2E', '%2E', 'a%5Cb']));
  expect(new Set(segments).size).toBe(names.length);
  for (const segment of segments) expect(segment).toMatch(/^([\w.-]|%[0-9A-F]{2}){1,200}$/);
  await spool.close();
  await rm(dir, { recursive: true });
});

test('two gateways and their uploaders in one hour: no record lost, doubled or overwritten', async () => {
  const objects = createMemoryObjects();
  const at = Date.UTC(2026, 0, 1);
  const both = await Promise.all(
    ['x', 'y'].map(async (name) => {
      const dir = await mkdtemp(join(tmpdir(), 'slipway-records-'));
      const spool = await createSpool({ dir, log: silent, segmentBytes: 1_000 });
      const uploader = createUploader({ spoolDir: dir, objects, log: silent });
      for (let n = 0; n < 100; n += 1) {
        await spool.append(feedbackAt(at, `${name}${n}`));
        if (n % 10 === 0) await uploader.runOnce({ all: true });
      }
      await spool.close();
      await uploader.runOnce({ all: true });
      await rm(dir, { recursive: true });
    }),
  );
  expect(both).toHaveLength(2);
  const ids = (await linesOf(objects, 'feedback/')).map(({ request_id }) => request_id);
  expect(ids).toHaveLength(200);
  expect(new Set(ids).size).toBe(200);
});

test('records wait while the bucket is down, and go out when it is back', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])]);
  const memory = createMemoryObjects();
  let down = true;
  const objects: ObjectStore = {
    ...memory,
    put: async (...args) => {
      if (down) throw new SlipwayError('unavailable', 'the bucket does not answer');
      return memory.put(...args);
    },
  };
  const stop = new AbortController();
  const warned: unknown[] = [];
  const log = { info: () => undefined, warn: (...args: unknown[]) => void warned.push(args) };
  const uploader = createUploader({ spoolDir: edge.spoolDir, objects, log, chunkMs: 0, pollMs: 10 });
  const running = uploader.run(stop.signal);
  await edge.invoke('{"n":1}');
  while (warned.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await edge.invoke('{"n":2}');
  down = false;
  while ((await linesOf(memory, 'inference_detail/')).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(warned).toHaveLength(1); // once, not ten times a second
  expect((await linesOf(memory, 'request_response/')).map((line) => line.request_content)).toEqual([
    '{"n":1}',
    '{"n":2}',
  ]);
  stop.abort();
  await running;
  await edge.stop();
  await model.stop();
});

test('what storage refuses for good is put aside with its key, and what comes after it goes out', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-refused-'));
  const spool = await createSpool({ dir, log: silent, syncMs: 10 });
  const at = Date.UTC(2026, 10, 20);
  for (const name of ['a', 'bad', 'c']) await spool.append(feedbackAt(at, name, name));
  const memory = createMemoryObjects();
  const objects: ObjectStore = {
    ...memory,
    put: async (key, ...rest) => {
      if (key.includes('/bad/')) throw new SlipwayError('storage_refused', 'no');
      return memory.put(key, ...rest);
    },
  };
  const warned: { key: string; file: string }[] = [];
  const log = { info: () => undefined, warn: (said: { key: string; file: string }) => void warned.push(said) };
  const uploader = createUploader({ spoolDir: dir, objects, log: log as typeof silent });
  await uploader.runOnce({ all: true });
  await spool.append(feedbackAt(at, 'd', 'd'));
  await uploader.runOnce({ all: true });
  expect((await linesOf(memory, 'feedback/')).map(({ request_id }) => request_id).sort()).toEqual(['a', 'c', 'd']);
  const key = 'feedback/bad/1/year=2026/month=11/day=20/2026112000_0.json';
  expect(warned).toMatchObject([{ key, file: expect.stringContaining(join(dir, 'refused')) }]);
  const [said = { file: '' }] = warned;
  expect(JSON.parse(await readFile(said.file, 'utf8'))).toMatchObject({ request_id: 'bad' });
  expect(JSON.parse(await readFile(`${said.file}.about.json`, 'utf8'))).toMatchObject({
    key,
    contentType: 'application/x-ndjson',
  });
  while (spool.stats().refused === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(spool.stats().refused).toBe(1);
  await spool.close();
  await rm(dir, { recursive: true });
});

test('a segment whose progress cannot be read is named once, and holds up no other segment', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-records-'));
  const spool = await createSpool({ dir, log: silent, segmentBytes: 1 });
  for (const id of ['a', 'b', 'c']) await spool.append(feedbackAt(Date.UTC(2026, 10, 20), id));
  await spool.close();
  const [first] = await listSegments(dir);
  await mkdir(join(dir, 'uploads'));
  await writeFile(join(dir, 'uploads', `${first?.name}.upload.json`), '{"offset": -1');
  const warned: unknown[] = [];
  const log = { info: () => undefined, warn: ({ segment }: { segment?: string }) => void warned.push(segment) };
  const objects = createMemoryObjects();
  const uploader = createUploader({ spoolDir: dir, objects, log: log as typeof silent });
  const ids = async () => (await linesOf(objects, 'feedback/')).map(({ request_id }) => request_id);
  for (let round = 0; round < 2; round += 1) await expect(uploader.runOnce({ all: true })).rejects.toThrow('JSON');
  expect(await ids()).toEqual(['b', 'c']);
  expect(warned).toEqual([first?.name]);
  await rm(join(dir, 'uploads', `${first?.name}.upload.json`));
  await uploader.runOnce({ all: true });
  expect((await ids()).sort()).toEqual(['a', 'b', 'c']);
  await rm(dir, { recursive: true });
});

test.each(['storage_denied', 'unavailable', 'not_found'] as const)(
  'a store that is %s refuses nothing: records wait',
  async (code) => {
    const dir = await mkdtemp(join(tmpdir(), 'slipway-refused-'));
    const spool = await createSpool({ dir, log: silent });
    await spool.append(feedbackAt(Date.UTC(2026, 10, 20)));
    const memory = createMemoryObjects();
    const put = async () => Promise.reject(new SlipwayError(code, 'no'));
    await expect(
      createUploader({ spoolDir: dir, objects: { ...memory, put }, log: silent }).runOnce({ all: true }),
    ).rejects.toMatchObject({ code });
    await createUploader({ spoolDir: dir, objects: memory, log: silent }).runOnce({ all: true });
    expect(await linesOf(memory, 'feedback/')).toHaveLength(1);
    await spool.close();
    await rm(dir, { recursive: true });
  },
);
