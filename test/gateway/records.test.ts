import { expect, test } from 'vitest';
import { createUploader } from '../../gateway/uploader.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';
import { keysOf, linesOf } from './stored-records.js';

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

test('bodies are recorded up to 1 MiB, never half a character, and say that they were cut; the caller gets them whole', async () => {
  const long = JSON.stringify('é'.repeat(600_000));
  const model = await startModel(() => ({ body: long }));
  const edge = await startEdge([wine([model.url])]);
  expect(await (await edge.invoke(long)).text()).toBe(long);
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true });
  const [meta] = await linesOf(objects, 'request_response/');
  const [body] = await linesOf(objects, 'response_body/');
  for (const text of [meta?.request_content, body?.response_content]) {
    const [kept = '', mark] = String(text).split(' [');
    expect([Buffer.byteLength(kept), mark]).toEqual([1024 ** 2 - 1, 'cut after 1048576 bytes]']);
    expect(kept).toBe(long.slice(0, kept.length));
  }
  expect((await linesOf(objects, 'inference_detail/'))[0]).toMatchObject({ truncated: true });
  await edge.stop();
  await model.stop();
});

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
