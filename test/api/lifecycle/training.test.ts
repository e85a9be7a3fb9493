import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const spec = { type: 'git', uri: 'https://example.org/code.git', reference: 'main' };
  await api.call('POST', '/api/v1/connection', { body: { id: 'code', spec } });
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/training';
const manifest = (id: string) => ({
  id,
  spec: {
    model: { name: 'wine', version: 1 },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' }, objectStorage: null },
    hyperParameters: { alpha: 0.5 },
  },
});

test('a create answers the stored entity and starts one run', async () => {
  const reply = await api.call('POST', PATH, { body: manifest('first') });
  expect(reply.status).toBe(201);
  expect(Object.keys(reply.body)[0]).toBe('kind');
  expect(reply.body.kind).toBe('ModelTraining');
  expect(reply.body.spec.model.version).toBe('1');
  expect(reply.body.spec.hyperParameters).toEqual({ alpha: '0.5' });
  expect(reply.body.spec.outputConnection).toBe('models-output');
  expect(reply.body.spec.algorithmSource).toEqual({
    vcs: { connection: 'code', reference: 'main' },
    objectStorage: {},
  });
  expect(reply.body.status).toMatchObject({ state: 'unknown' });
  expect(reply.body.createdAt).toBe(reply.body.updatedAt);
  expect(reply.headers.get('etag')).toBe('"1-1"');
  expect(reply.body.uid).toBeUndefined();
  expect(api.signals.filter((line) => line.includes('/first'))).toEqual(['changed training/first 1']);
});

test('numbers of a body stay as they were written where a text is meant', async () => {
  const { spec } = manifest('written');
  const text = JSON.stringify({ id: 'written', spec: { ...spec, hyperParameters: {} } })
    .replace('"version":1', '"version":1.10')
    .replace('"hyperParameters":{}', '"hyperParameters":{"a":1e3,"b":12345678901234567890,"c":0.5}');
  const reply = await api.call('POST', PATH, { raw: text });
  expect(reply.body.spec).toMatchObject({
    model: { version: '1.10' },
    hyperParameters: { a: '1e3', b: '12345678901234567890', c: '0.5' },
  });
});

test('an unknown field is refused with its pointer and the nearest name', async () => {
  const { spec } = manifest('slip');
  const reply = await api.call('POST', PATH, { body: { id: 'slip', sepc: 1, spec: { ...spec, workDirr: 'a' } } });
  expect([reply.status, reply.body.errors]).toEqual([
    400,
    [
      { path: 'sepc', pointer: '/sepc', code: 'unknown_field', message: 'sepc is no field: did you mean spec?' },
      {
        ...{ path: 'spec.workDirr', pointer: '/spec/workDirr', code: 'unknown_field' },
        message: 'spec.workDirr is no field: did you mean workDir?',
      },
    ],
  ]);
  expect((await api.call('GET', `${PATH}/slip`)).status).toBe(404);
});

test('a known id is a conflict and starts no second run', async () => {
  await api.call('POST', PATH, { body: manifest('twice') });
  const again = await api.call('POST', PATH, { body: manifest('twice') });
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({
    code: 'already_exists',
    message: 'entity "twice" already exists: change it with PUT, or use another id',
  });
  expect(api.signals.filter((line) => line.includes('/twice'))).toEqual(['changed training/twice 1']);
});

test('an empty spec, null or none at all give the same list of errors', async () => {
  const message =
    'Validation of model training is failed: empty model.name; empty model.version; ' +
    'both VCS and ObjectStorage names are empty; empty toolchain parameter';
  for (const spec of [{}, null, '', undefined]) {
    const reply = await api.call('POST', PATH, { body: { id: 'empty', spec } });
    expect(reply.status).toBe(400);
    expect(reply.body.message).toBe(message);
    expect(reply.body.errors).toHaveLength(4);
  }
});

test('an identical PUT changes nothing, a changed spec starts a new generation', async () => {
  const created = await api.call('POST', PATH, { body: manifest('put') });
  const same = await api.call('PUT', PATH, { body: manifest('put') });
  expect(same.status).toBe(200);
  expect(same.body).toEqual(created.body);
  const changed = await api.call('PUT', PATH, {
    body: { ...manifest('put'), spec: { ...manifest('put').spec, entrypoint: 'other' } },
  });
  expect(changed.body.generation).toBe(2);
  expect(changed.body.status.state).toBe('unknown');
  expect(Date.parse(changed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.body.updatedAt));
  expect(api.signals.filter((line) => line.includes('/put'))).toEqual([
    'changed training/put 1',
    'changed training/put 2',
  ]);
});

test('a bad body for an unknown id is 400, a good one 404', async () => {
  expect((await api.call('PUT', PATH, { body: { id: 'absent', spec: {} } })).status).toBe(400);
  const reply = await api.call('PUT', PATH, { body: manifest('absent') });
  expect(reply.status).toBe(404);
  expect(reply.body.message).toBe('entity "absent" is not found');
});

test('If-Match compares the generation only', async () => {
  await api.call('POST', PATH, { body: manifest('match') });
  await api.trainings.update('match', (current) => ({ ...current, status: { ...current.status, state: 'running' } }));
  const body = { ...manifest('match'), spec: { ...manifest('match').spec, entrypoint: 'edited' } };
  const stale = await api.call('PUT', PATH, { body, headers: { 'If-Match': '"7-1"' } });
  expect(stale.status).toBe(412);
  expect(stale.body.message).toBe('entity "match" was changed meanwhile');
  const edited = await api.call('PUT', PATH, { body, headers: { 'If-Match': '"1-1"' } });
  expect(edited.status).toBe(200);
  const refused = await api.call('DELETE', `${PATH}/match`, { headers: { 'If-Match': '"1-1"' } });
  expect(refused.status).toBe(412);
});

test('If-None-Match answers 304 until something changes', async () => {
  await api.call('POST', PATH, { body: manifest('none-match') });
  const etag = (await api.call('GET', `${PATH}/none-match`)).headers.get('etag') ?? '';
  expect((await api.call('GET', `${PATH}/none-match`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  await api.trainings.update('none-match', (current) => ({
    ...current,
    status: { ...current.status, state: 'running' },
  }));
  expect((await api.call('GET', `${PATH}/none-match`, { headers: { 'If-None-Match': etag } })).status).toBe(200);
});

test('cancel asks the open run; a finished one can be run again', async () => {
  await api.call('POST', PATH, { body: manifest('cancel') });
  expect((await api.call('POST', `${PATH}/cancel/rerun`)).body.code).toBe('not_finished');
  const canceled = await api.call('POST', `${PATH}/cancel/cancel`);
  expect(canceled.status).toBe(202);
  expect((await api.trainings.get('cancel'))?.cancelRequestedAt).toBeDefined();
  await api.trainings.update('cancel', (current) => ({
    ...current,
    claimedBy: 'a run',
    status: { ...current.status, state: 'failed', reason: 'Cancelled' },
  }));
  const late = await api.call('POST', `${PATH}/cancel/cancel`);
  expect([late.status, late.body.code]).toEqual([409, 'already_finished']);
  const rerun = await api.call('POST', `${PATH}/cancel/rerun`);
  expect([rerun.status, rerun.body.generation, rerun.body.status.state]).toEqual([202, 2, 'unknown']);
  expect(rerun.body.status.reason).toBeUndefined();
  const stored = await api.trainings.get('cancel');
  expect([stored?.claimedBy, stored?.cancelRequestedAt]).toEqual([undefined, undefined]);
  expect(api.signals.filter((line) => line.includes('/cancel'))).toEqual([
    'changed training/cancel 1',
    'cancel training/cancel 1',
    'changed training/cancel 2',
  ]);
});

test('a delete cancels the run and removes at once', async () => {
  await api.call('POST', PATH, { body: manifest('gone') });
  const reply = await api.call('DELETE', `${PATH}/gone`);
  expect([reply.status, reply.body]).toEqual([200, { message: 'Model training gone was deleted' }]);
  expect((await api.call('GET', `${PATH}/gone`)).status).toBe(404);
  expect((await api.call('DELETE', `${PATH}/gone`)).status).toBe(404);
  expect(api.signals).toContain('cancel training/gone 1');
});

test('lists are ordered, filtered by any alias, and paged', async () => {
  for (const id of ['list-b', 'list-a', 'list-c']) {
    const { spec } = manifest(id);
    await api.call('POST', PATH, { body: { id, spec: { ...spec, model: { name: 'listed', version: '1' } } } });
  }
  const all = await api.call('GET', `${PATH}?model_name=listed&toolchain=mlflow`);
  expect(all.body.map(({ id }: { id: string }) => id)).toEqual(['list-a', 'list-b', 'list-c']);
  const page = await api.call('GET', `${PATH}/?model_name=listed&size=2`);
  expect(page.body).toHaveLength(2);
  expect(page.headers.get('x-total-count')).toBe('3');
  const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  const last = await api.call('GET', `${PATH}${next}`);
  expect(last.body.map(({ id }: { id: string }) => id)).toEqual(['list-c']);
  expect(last.headers.get('link')).toBeNull();
  expect((await api.call('GET', `${PATH}?model_name=absent`)).body).toEqual([]);
  expect((await api.call('GET', `${PATH}?model_name=*&state=unknown&state=running`)).body.length).toBeGreaterThan(2);
});

test.each([
  ['?size=1&size=2', 'the size URL parameter must be only one'],
  ['?page=1&page=2', 'the page URL parameter must be only one'],
  ['?size=abc', 'strconv.Atoi: parsing "abc": invalid syntax'],
  ['?page=', 'strconv.Atoi: parsing "": invalid syntax'],
  ['?size=-1', 'the size URL parameter must not be negative'],
  ['?size=10001', 'the size URL parameter is too big'],
  ['?colour=red', 'cannot find colour url parameter'],
  ['?__proto__=red', 'cannot find __proto__ url parameter'],
])('the list query %s is refused', async (query, message) => {
  const reply = await api.call('GET', `${PATH}${query}`);
  expect([reply.status, reply.body.code, reply.body.message]).toEqual([400, 'bad_query', message]);
});
