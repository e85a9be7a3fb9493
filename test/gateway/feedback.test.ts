import { expect, test } from 'vitest';
import { createUploader } from '../../gateway/uploader.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import type { RecordIndex } from '../../lifecycle/stores/record-index.js';
import { startEdge, startModel, wine } from './edge.js';
import { silent } from './silent.js';

const IDS = { 'x-model-name': 'wine model', 'x-model-version': '1.0', 'request-id': 'r-1' };

async function edgeWith(options: Parameters<typeof startEdge>[1] = {}) {
  const edge = await startEdge([wine([])], options);
  return {
    ...edge,
    send: (body: string, headers: Record<string, string> = IDS, path = '/feedback/model/', method = 'POST') =>
      fetch(edge.url + path, {
        method,
        headers: { authorization: edge.authorization, 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body } : {}),
      }),
  };
}

test.each([
  '/feedback/model/',
  '/feedback/model',
  '/feedback/model/wine?x=1',
  '/api/v1/feedback',
  '/api/v1/feedback/x',
])('feedback to %s is answered with what was stored, and stored in the shape of the specification', async (path) => {
  const edge = await edgeWith();
  const reply = await edge.send(
    '{\n  "correct": true,\r\n  "text": "a\\nb",\n  "n": 12345678901234567890\n}',
    IDS,
    path,
  );
  expect(reply.status).toBe(200);
  expect(reply.headers.get('request-id')).toBe('r-1');
  const text = await reply.text();
  expect(text).toContain('"n": 12345678901234567890');
  const payload = { json: { correct: true, text: 'a\nb', n: Number('12345678901234567890') } };
  expect(JSON.parse(text)).toEqual({
    error: false,
    registered: true,
    message: { RequestID: 'r-1', ModelVersion: '1.0', ModelName: 'wine model', Payload: payload },
    requestID: 'r-1',
    modelVersion: '1.0',
    modelName: 'wine model',
    payload,
  });
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: edge.spoolDir, objects, log: silent }).runOnce({ all: true });
  for await (const { key } of objects.list('feedback/')) {
    expect(key).toMatch(/^feedback\/wine%20model\/1\.0\/year=\d{4}\/month=\d\d\/day=\d\d\/\d{10}_0\.json$/);
    const lines = (await objects.read(key)).toString().split('\n');
    expect(lines).toHaveLength(2); // one line and its end
    expect(lines[0]).toContain('12345678901234567890');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      request_id: 'r-1',
      model_version: '1.0',
      model_name: 'wine model',
      payload,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000$/),
    });
  }
  await edge.stop();
});

// prettier-ignore
test.each([
  ['no request id',        { ...IDS, 'request-id': '' },          '{}',   400, 'request-id header is missed'],
  ['no headers at all',    {},                                    'bad',  400, 'request-id header is missed'],
  ['no name',              { ...IDS, 'x-model-name': '' },        'bad',  400, 'model-name or model-version header is empty'],
  ['no version',           { ...IDS, 'x-model-version': '' },     '{}',   400, 'model-name or model-version header is empty'],
  ['not JSON',             IDS,                                   '{a',   400, 'Cannot parse data'],
  ['nothing',              IDS,                                   '',     400, 'Cannot parse data'],
  ['a bad token',          { ...IDS, authorization: 'Bearer x' }, '{}',   401, 'Unauthorized: the token cannot be read: send an access token of the issuer, whole and unchanged'],
])('%s is refused in the form of the feedback endpoint', async (_what, headers, body, status, message) => {
  const edge = await edgeWith();
  const reply = await edge.send(body, headers);
  expect([reply.status, await reply.json()]).toEqual([status, { error: true, message, registered: false }]);
  expect(await edge.frames()).toEqual([]);
  await edge.stop();
});

test('feedback for an id without a call is taken, and says so', async () => {
  const row = { kind: 'call', model: 'wine model', version: '1.0', deployment: 'wine', generation: 1, key: 'k', records: 1, part: 'p' } as const; // prettier-ignore
  const asked: (readonly string[])[] = [];
  const find: RecordIndex['find'] = async (ids) => {
    asked.push(ids);
    if (ids.includes('away')) throw new Error('object storage is away');
    return new Map(ids.map((id) => [id, id === 'known' ? [{ at: 1, row }] : []]));
  };
  const model = await startModel();
  const edge = await startEdge([wine([model.url])], { recordIndex: { find } });
  const send = async (requestId: string, about = {}) => {
    const headers = { ...IDS, authorization: edge.authorization, 'request-id': requestId, ...about };
    const reply = await fetch(`${edge.url}/feedback/model/`, { method: 'POST', headers, body: '{}' });
    const { registered, warning } = (await reply.json()) as { registered: boolean; warning?: string };
    expect([reply.status, registered, reply.headers.has('warning')]).toEqual([200, true, warning !== undefined]);
    return warning;
  };
  expect(await send('typo')).toMatch(/^no call with the request id "typo" is known: check it/);
  expect(await send('known')).toBeUndefined();
  const other = await send('known', { 'x-model-version': '2.0' });
  expect(other).toBe('the request id "known" is of a call of the model "wine model" 1.0: check the headers');
  expect(await send('away')).toBeUndefined();
  // Its record is not in the index yet.
  await edge.invoke('{"columns":["a"],"data":[[1]]}', { 'request-id': 'fresh' });
  expect(await send('fresh')).toBeUndefined();
  expect(asked.flat()).not.toContain('fresh');
  expect((await edge.frames()).filter(({ head }) => head.kind === 'feedback')).toHaveLength(5);
  await edge.stop();
  await model.stop();
});

test('the headers of earlier clients are understood, and a body that is no JSON and says so counts as {}', async () => {
  const edge = await edgeWith();
  const headers = { 'model-name': 'm', 'model-version': '2', 'request-id': 'r', 'content-type': 'text/plain' };
  const reply = await edge.send('good', headers);
  expect(await reply.json()).toMatchObject({ message: { ModelName: 'm', ModelVersion: '2', Payload: { json: {} } } });
  expect(await (await edge.send('{"a":1}', headers)).json()).toMatchObject({ payload: { json: { a: 1 } } });
  await edge.stop();
});

// prettier-ignore
test.each([
  ['admin',         200],
  ['data_scientist',200],
  ['wine-callers',  200],
  ['brewers',       403],
  ['viewer',        403],
])('%s gets %i', async (role, status) => {
  const edge = await edgeWith();
  expect((await edge.send('{}', { ...IDS, authorization: await edge.bearer(role) })).status).toBe(status);
  await edge.stop();
});

test('feedback is switched off for one model, or for all', async () => {
  const edge = await edgeWith();
  edge.table.set('wine', wine([], { feedback: false }));
  edge.table.set('beer', wine([], { id: 'beer', modelName: 'beer' }));
  for (let status = 0; status !== 404;) status = (await edge.send('{}')).status;
  expect((await edge.send('{}', { ...IDS, 'x-model-name': 'beer' })).status).toBe(200);
  await edge.stop();
  const off = await edgeWith({ feedbackEnabled: false });
  const reply = await off.send('{}');
  expect([reply.status, await reply.json()]).toEqual([
    404,
    { error: true, message: 'feedback is switched off', registered: false },
  ]);
  await off.stop();
});

test('only POST, and no more than the body limit', async () => {
  const edge = await edgeWith({ bodyLimitBytes: 100 });
  const get = await edge.send('', IDS, '/feedback/model/', 'GET');
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await edge.send(JSON.stringify('x'.repeat(100)))).status).toBe(413);
  await edge.stop();
});
