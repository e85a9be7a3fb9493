import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSpool } from '../../gateway/spool.js';
import { createUploader } from '../../gateway/uploader.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';

/** Keys of the record files; their index has a test of its own. */
async function keysOf(objects: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) if (!key.includes('record_index/')) keys.push(key);
  return keys;
}

async function linesOf(objects: ObjectStore, tag: string): Promise<Record<string, unknown>[]> {
  const keys = (await keysOf(objects)).filter((key) => key.startsWith(tag));
  const texts = await Promise.all(keys.map(async (key) => (await objects.read(key)).toString()));
  return texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

const feedbackAt = (at: number, requestId = 'r', modelName = 'm') => ({
  head: { kind: 'feedback' as const, at, requestId, modelName, modelVersion: '1' },
  first: Buffer.from('{}'),
  second: Buffer.alloc(0),
});

test('a prediction leaves the records of the specification: exact paths, exact fields', async () => {
  const model = await startModel(() => ({ body: '{"prediction":[1]}', headers: { 'set-cookie': 'secret=1' } }));
  const edge = await startEdge([wine([model.url])]);
  const objects = createMemoryObjects();
  const request = '{"columns":["a"],"data":[[12345678901234567890]]}';
  await edge.invoke(request, { 'request-id': 'id-1', cookie: 'c=1', 'x-jwt': 'j', 'x-user': 'u', 'x-email': 'e' });
  await createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true });

  const [meta] = await linesOf(objects, 'request_response/');
  expect(Object.keys(meta ?? {}).sort()).toEqual([
    'model_name', 'model_version', 'request_content', 'request_host', 'request_http_headers', 'request_http_method',
    'request_id', 'request_uri', 'response_http_headers', 'response_status', 'time',
  ]); // prettier-ignore
  expect(meta).toMatchObject({
    request_id: 'id-1',
    request_content: request,
    request_uri: '/model/wine/api/model/invoke',
    request_host: new URL(edge.url).host,
    request_http_method: 'POST',
    response_status: '200',
    model_name: 'wine model',
    model_version: '1.0',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/),
  });
  const sent = Object.keys(meta?.request_http_headers as object);
  expect(sent).toContain('content-type');
  for (const name of ['authorization', 'cookie', 'x-jwt', 'x-user', 'x-email']) expect(sent).not.toContain(name);
  expect(meta?.response_http_headers).toMatchObject({ 'request-id': 'id-1', 'model-name': 'wine model' });
  expect(meta?.response_http_headers).not.toHaveProperty('set-cookie');

  const [body] = await linesOf(objects, 'response_body/');
  expect(body).toEqual({
    request_id: 'id-1',
    model_version: '1.0',
    model_name: 'wine model',
    response_content: '{"prediction":[1]}',
    time: meta?.time,
  });
  const [detail] = await linesOf(objects, 'inference_detail/');
  expect(detail).toMatchObject({
    request_id: 'id-1',
    deployment: 'wine',
    revision: '3',
    replica: 'wine-r0',
    truncated: false,
  });

  const day = String(meta?.time).slice(0, 10).split('-');
  const hour = `${day.join('')}${String(meta?.time).slice(11, 13)}`;
  const tail = `wine%20model/1.0/year=${day[0]}/month=${day[1]}/day=${day[2]}/${hour}_0.json`;
  expect(await keysOf(objects)).toEqual(
    ['inference_detail', 'request_response', 'response_body'].map((tag) => `${tag}/${tail}`),
  );
  await edge.stop();
  await model.stop();
});

test('errors are recorded, calls that predict nothing or are not allowed are not', async () => {
  const model = await startModel(() => ({ status: 400, body: '{"message":"Matrix is not provided"}' }));
  const edge = await startEdge([wine([model.url])]);
  await edge.invoke('{}');
  await fetch(`${edge.url}/model/wine/api/model/info`, { headers: { authorization: edge.authorization } });
  await edge.invoke('{}', { authorization: 'Bearer no' });
  await edge.invoke('{}', {}, 'unknown');
  const frames = await edge.frames();
  expect(frames.map(({ head }) => head)).toMatchObject([{ status: 400, uri: '/model/wine/api/model/invoke' }]);
  expect(frames[0]?.second.toString()).toBe('{"message":"Matrix is not provided"}');
  await edge.stop();
  await model.stop();
});

test('the switch of a deployment and the switch of the installation stop records', async () => {
  const model = await startModel();
  const off = await startEdge([wine([model.url], { feedback: false }), wine([model.url], { id: 'other' })]);
  await off.invoke('{"a":1}');
  await off.invoke('{"b":1}', {}, 'other');
  expect((await off.frames()).map(({ first }) => first.toString())).toEqual(['{"b":1}']);
  const none = await startEdge([wine([model.url])], { feedbackEnabled: false });
  expect((await none.invoke('{}')).status).toBe(200);
  expect(await none.frames()).toEqual([]);
  await off.stop();
  await none.stop();
  await model.stop();
});

test('bodies are recorded up to 1 MiB, never half a character; the caller gets them whole', async () => {
  const long = JSON.stringify('é'.repeat(600_000));
  const model = await startModel(() => ({ body: long }));
  const edge = await startEdge([wine([model.url])]);
  expect(await (await edge.invoke(long)).text()).toBe(long);
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true });
  const [meta] = await linesOf(objects, 'request_response/');
  const [body] = await linesOf(objects, 'response_body/');
  for (const text of [meta?.request_content, body?.response_content]) {
    expect(Buffer.byteLength(String(text))).toBe(1024 ** 2 - 1);
    expect(String(text)).toBe(long.slice(0, String(text).length));
  }
  expect((await linesOf(objects, 'inference_detail/'))[0]).toMatchObject({ truncated: true });
  await edge.stop();
  await model.stop();
});

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
      if (down) throw new Error('the bucket does not answer');
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

test('a reply does not wait for a slow disk, and that is counted', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { lateMs: 5 }, () => new Promise<boolean>(() => undefined));
  expect((await edge.invoke('{}')).status).toBe(200);
  expect(await edge.metrics()).toContain('slipway_records_late_total 1\n');
  await edge.stop();
  await model.stop();
});

test('a full spool drops records and counts them; requests do not notice', async () => {
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { spoolLimitBytes: 2_000 });
  for (let n = 0; n < 10; n += 1) expect((await edge.invoke('x'.repeat(300))).status).toBe(200);
  const kept = (await edge.frames()).length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(10);
  expect(await edge.metrics()).toContain('slipway_records_refused_files 0\n');
  expect(await edge.metrics()).toContain(`slipway_records_dropped_total ${10 - kept}\n`);
  const reply = await fetch(`${edge.url}/feedback/model/`, {
    method: 'POST',
    headers: { authorization: edge.authorization, 'x-model-name': 'm', 'x-model-version': '1', 'request-id': 'r' },
    body: JSON.stringify('y'.repeat(2_000)),
  });
  expect([reply.status, await reply.json()]).toEqual([
    502,
    { error: true, message: 'Cannot deliver message', registered: false },
  ]);
  await edge.stop();
  await model.stop();
});
