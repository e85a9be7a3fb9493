import { expect, test } from 'vitest';
import { createUploader } from '../../gateway/uploader.js';
import { RETENTION_DAYS } from '../../lifecycle/stores/record-retention.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';
import { linesOf } from './stored-records.js';

const RULES = { redact: ['$..email', '$.prediction[*].name'], retentionDays: 7 };

async function openEdge(rules: object | undefined, answer = '{"prediction":[{"name":"Ada","score":1}]}') {
  const model = await startModel(() => ({ body: answer, headers: { 'content-type': 'application/json' } }));
  const edge = await startEdge([wine([model.url], rules === undefined ? {} : { records: { ...RULES, ...rules } })]);
  const objects = createMemoryObjects();
  return {
    edge,
    objects,
    upload: () => createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true }),
    everything: async () => {
      const texts: string[] = [];
      for await (const { key } of objects.list('')) texts.push(String(await objects.read(key)));
      return texts.join('\n');
    },
    stop: () => Promise.all([edge.stop(), model.stop()]),
  };
}

test('what the rules name is in no record of a call, and reaches the model and the client', async () => {
  const { edge, objects, upload, everything, stop } = await openEdge({});
  const reply = await edge.invoke('{"rows":[{"email":"ada@example.org","age":36}]}', { 'request-id': 'r1' });
  expect(await reply.text()).toContain('Ada');
  await upload();
  const [meta] = await linesOf(objects, 'request_response/');
  expect(meta?.request_content).toBe('{"rows":[{"email":"[redacted]","age":36}]}');
  const [body] = await linesOf(objects, 'response_body/');
  expect(body?.response_content).toBe('{"prediction":[{"name":"[redacted]","score":1}]}');
  expect(await everything()).not.toMatch(/ada@|Ada/);
  await stop();
});

test.each([
  ['no JSON', 'email=ada@example.org'],
  ['a body longer than a record', JSON.stringify({ fill: 'x'.repeat(1024 ** 2), email: 'ada@example.org' })],
])('%s is not recorded when there are rules', async (_, request) => {
  const { edge, objects, upload, everything, stop } = await openEdge({}, 'ada@example.org');
  await edge.invoke(request);
  await upload();
  const [meta] = await linesOf(objects, 'request_response/');
  expect(meta?.request_content).toMatch(/^\[redacted\] body/);
  expect(await everything()).not.toContain('ada@');
  await stop();
});

test('a query is not recorded when there are rules', async () => {
  const { edge, objects, upload, stop } = await openEdge({});
  const headers = { authorization: edge.authorization, 'content-type': 'application/json' };
  await fetch(`${edge.url}/model/wine/api/model/invoke?email=ada`, { method: 'POST', body: '{}', headers });
  await upload();
  const [meta] = await linesOf(objects, 'request_response/');
  expect(meta?.request_uri).toBe('/model/wine/api/model/invoke?[redacted]');
  await stop();
});

test('rules that a gateway cannot follow record no body', async () => {
  const { edge, objects, upload, stop } = await openEdge({ redact: ["$[?match(@.a, '(x+)+y')]"] });
  await edge.invoke('{"a":1}');
  await upload();
  const [meta] = await linesOf(objects, 'request_response/');
  expect(meta?.request_content).toMatch(/^\[redacted\] body/);
  await stop();
});

test('feedback follows the rules of what serves its model', async () => {
  const { edge, objects, upload, stop } = await openEdge({});
  const sent = await fetch(`${edge.url}/feedback/model/`, {
    method: 'POST',
    headers: {
      ...{ authorization: edge.authorization, 'content-type': 'application/json' },
      ...{ 'request-id': 'r1', 'x-model-name': 'wine model', 'x-model-version': '1.0' },
    },
    body: '{"truth":1,"email":"ada@example.org"}',
  });
  expect(sent.status).toBe(200);
  await upload();
  const [line] = await linesOf(objects, 'feedback/');
  expect(line?.payload).toEqual({ json: { truth: 1, email: '[redacted]' } });
  await stop();
});

test('files of records say how long they are kept', async () => {
  for (const [rules, days] of [
    [{}, '7'],
    [{ retentionDays: 0 }, undefined],
    [undefined, undefined],
  ] as const) {
    const { edge, objects, upload, stop } = await openEdge(rules);
    await edge.invoke('{}');
    await upload();
    for await (const { metadata, key } of objects.list('')) {
      if (!key.startsWith('record_index/')) expect(metadata[RETENTION_DAYS]).toBe(days);
    }
    await stop();
  }
});
