import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { createRecordIndex } from '../../../lifecycle/stores/record-index.js';
import { createRecordedCalls } from '../../../lifecycle/stores/recorded-calls.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createSlipwayRunner } from '../../cli/slipway.js';
import { call, feedback, recordFrames } from '../../gateway/recording.js';
import { startTestApi, type TestApi } from '../test-api.js';
import { AT, startStory } from './lineage-story.js';

const objects = createMemoryObjects();
const endpoints = createEndpoints({ database: createMemoryDatabase() });
let api: TestApi;
beforeAll(async () => {
  const recordedCalls = createRecordedCalls({ objects, index: createRecordIndex({ objects }) });
  api = await startTestApi({ endpoints, recordedCalls });
  const request = '{"columns":["id"],"data":[[9007199254740993]]}';
  await recordFrames(objects, [
    call({ at: AT, requestId: 'r/1', request, response: '{"prediction":[1]}', latencyMs: 7 }),
    call({ at: AT, requestId: 'other', request: '{"secret":"of another"}' }),
    feedback({ at: AT + 1_000, requestId: 'r/1', json: '{"truth":9007199254740993,"name":"Ann"}' }),
  ]);
  // A second upload of the same hour: the files of the trees have other counters.
  await recordFrames(objects, [call({ at: AT + 2_000, requestId: 'r/2', request: '{"name":"Ann","age":7}' })]);
  for (let at = 0; at < 12; at += 1) {
    await recordFrames(objects, [call({ at: AT + 60_000 + at * 1_000, requestId: 'again', request: `{"n":${at}}` })]);
  }
});
afterAll(() => api.stop());

const read = (id: string, as = ['data_scientist']) =>
  api.call('GET', `/api/v1/record/${encodeURIComponent(id)}`, { as });

test('a request id leads to the bodies of its call and to its feedback, with every digit', async () => {
  const { status, body, text, headers } = await read('r/1');
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  const model = { model_name: 'wine', model_version: '1' };
  expect(body).toEqual({
    requestId: 'r/1',
    calls: [
      {
        at: '2026-11-20T12:00:00.000Z',
        request: expect.objectContaining({ request_id: 'r/1', response_status: '200', ...model }),
        response: expect.objectContaining({ request_id: 'r/1', response_content: '{"prediction":[1]}', ...model }),
        detail: expect.objectContaining({ deployment: 'wine', latency_ms: 7, request_id: 'r/1' }),
      },
    ],
    feedback: [expect.objectContaining({ request_id: 'r/1', payload: { json: expect.anything() }, ...model })],
    truncated: false,
  });
  expect(text).toContain('[[9007199254740993]]');
  expect(text).toContain('"truth":9007199254740993');
  expect(text).not.toContain('of another');
});

test('of an id that many calls had, the newest are shown', async () => {
  const { body } = await read('again');
  const contents = body.calls.map(({ request }: { request: { request_content: string } }) => request.request_content);
  expect(contents).toEqual(Array.from({ length: 10 }, (_, at) => `{"n":${at + 2}}`));
  expect(body.truncated).toBe(true);
});

test('an id without records is 404, and says when they appear', async () => {
  const { status, body } = await read('absent');
  expect([status, body.message]).toEqual([
    404,
    expect.stringContaining('nothing is recorded of the request id "absent"'),
  ]);
});

test('bodies are for admins and data scientists, and each read is audited', async () => {
  expect((await read('r/1', ['viewer'])).status).toBe(403);
  expect((await read('r/1', ['wine-callers'])).status).toBe(403);
  expect((await read('r/2', ['admin'])).status).toBe(200);
  const { body } = await api.call('GET', '/api/v1/audit?kind=InferenceRecord', { as: ['admin'] });
  expect(body[0]).toMatchObject({ action: 'read', kind: 'InferenceRecord', entityId: 'r/2', changes: [] });
});

test('the command line shows a call as text', async () => {
  const slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) });
  const { out, exitCode } = await slipway.run(['record', 'r/1']);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^call at 2026-11-20T12:00:00.000Z\n {2}deployment +wine\n {2}model +wine 1\n/);
  expect(out).toMatch(/ {2}response +\{"prediction":\[1\]\}\n/);
  expect(out).toContain('feedback at 2026-11-20 12:00:01 +0000\n');
  expect((await slipway.run(['record', 'absent'])).err).toContain('nothing is recorded');
  await slipway.remove();
});

test('values that the rules remove by now are not shown, whenever they were recorded', async () => {
  const wine = startStory('wine')(1);
  const records = { redact: ['$.name'], retentionDays: 0 };
  await endpoints.put({ ...wine.endpoint, modelName: 'wine', modelVersion: '1', records }, 1);
  const { body: second } = await read('r/2');
  expect(JSON.parse(second.calls[0].request.request_content)).toEqual({ name: '[redacted]', age: 7 });
  const { body: first, text } = await read('r/1');
  expect(first.feedback[0].payload.json.name).toBe('[redacted]');
  expect(text).not.toContain('Ann');
});
