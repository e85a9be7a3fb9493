import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';
import { openKey } from '../../../notifications/delivery/sealed-keys.js';
import { unavailable } from '../../../platform/kinds/errors.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const spec = { type: 'git', uri: 'https://example.org/code.git', reference: 'main' };
  await api.call('POST', '/api/v1/connection', { body: { id: 'code', spec } });
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/pipeline';
const create = (id: string, changes: object = {}) =>
  api.call('POST', PATH, { body: { id, spec: { ...PIPELINE, ...changes } } });
const signalsOf = (id: string) => api.signals.filter((line) => new RegExp(`[/ ]${id}(-\\d+)?\\b`).test(line));

test('a create answers the stored pipeline, with its templates as they are, and sees to its schedule', async () => {
  const reply = await create('first');
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({
    ...{ kind: 'ModelPipeline', id: 'first', generation: 1 },
    spec: { ...PIPELINE, version: '1.{{ run }}' },
    status: { lastRun: 0, positions: {} },
  });
  expect(reply.headers.get('etag')).toMatch(/^"1-1[";]/); // a compressed answer has a tag of its own
  expect(signalsOf('first')).toEqual(['schedule first']);
  expect((await api.call('GET', `${PATH}/first`)).body).toEqual(reply.body);
  expect((await create('first')).body.code).toBe('already_exists');
});

test('a pipeline that can never run is refused with every reason', async () => {
  const reply = await create('refused', {
    version: '{{ nope }}',
    gates: { metrics: [{ metric: 'rmse' }] },
    triggers: { schedule: { cron: '0 0 31 2 *' } },
  });
  expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed']);
  expect(reply.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    'spec.training',
    'spec.gates.metrics.0',
    'spec.triggers.schedule',
  ]);
  expect((await api.call('GET', `${PATH}/refused`)).status).toBe(404);
  expect(signalsOf('refused')).toEqual([]);
});

const model = { name: 'wine', version: '1' };
// prettier-ignore
test.each([
  [{ version: '{{ nope }}' }, 'unknown placeholder "nope"'],
  [{ version: '{{ parameters.beta }}' }, 'parameter'],
  [{ version: '{{ parameters.alpha }}', parameters: { alpha: '{{ version }}' } }, 'placeholders form a cycle: '],
  [{ training: { ...PIPELINE.training, algorithmSource: { vcs: { connection: 'missing' } } } }, 'missing'],
  [{ training: { ...PIPELINE.training, model, toolchain: 'missing' } }, 'missing'],
  [{ gates: { metrics: [{ metric: 'rmse', min: 2, max: 1 }] } }, 'min'],
  [{ gates: { approval: { required: true, timeoutSeconds: 0 } } }, 'timeoutSeconds'],
  [{ triggers: { schedule: { cron: '0 0 31 2 *' } } }, 'never comes'],
  [{ triggers: { schedule: { cron: 'every day' } } }, 'must be five fields'],
  [{ triggers: { schedule: { cron: '0 6 * * *', timeZone: 'Mars/Olympus' } } }, 'Mars/Olympus'],
  [{ notify: [{ url: 'ftp://example.org' }] }, 'is no address to notify'],
])('a pipeline with %j is refused with a sentence', async (changes, sentence) => {
  const id = `bad-${randomUUID().slice(0, 8)}`;
  const { status, body } = await create(id, changes);
  expect([status, body.code]).toEqual([400, 'validation_failed']);
  expect(body.message).toContain(sentence);
  expect((await api.call('GET', `${PATH}/${id}`)).status).toBe(404);
});

test('a change is a new generation that keeps what runs are numbered by, and a pause', async () => {
  await create('changed', { triggers: { schedule: { cron: '0 6 * * *' } } });
  await api.call('POST', `${PATH}/changed/run`);
  await api.call('POST', `${PATH}/changed/schedule/pause`, { body: { note: 'holidays' } });
  const body = { id: 'changed', spec: { ...PIPELINE, noCache: true, triggers: { schedule: { cron: '0 7 * * *' } } } };
  const { body: before } = await api.call('GET', `${PATH}/changed`);
  const changed = await api.call('PUT', PATH, { body });
  expect([changed.status, changed.body.generation]).toEqual([200, 2]);
  expect(changed.body.status).toEqual(before.status);
  expect(changed.body.status).toMatchObject({ lastRun: 1, paused: { note: 'holidays' } });
  const same = await api.call('PUT', PATH, { body });
  expect(same.body).toEqual(changed.body);
  const stale = await api.call('PUT', PATH, { body, headers: { 'If-Match': '"1-1"' } });
  expect(stale.status).toBe(412);
  expect((await api.call('PUT', PATH, { body: { ...body, id: 'missing' } })).status).toBe(404);
});

test('lists are ordered, filtered by the name of the model, and paged', async () => {
  const training = { ...PIPELINE.training, model: { name: 'listed', version: '1' } };
  for (const id of ['list-b', 'list-a', 'list-c']) await create(id, { training });
  const page = await api.call('GET', `${PATH}?model_name=listed&size=2`);
  expect(page.body.map(({ id }: { id: string }) => id)).toEqual(['list-a', 'list-b']);
  expect(page.headers.get('x-total-count')).toBe('3');
  expect(page.headers.get('link')).toBe('<?model_name=listed&size=2&page=1>; rel="next"');
  expect((await api.call('GET', `${PATH}?colour=red`)).status).toBe(400);
});

test('a delete ends what goes on, and leaves the runs to look at', async () => {
  await create('gone');
  await api.call('POST', `${PATH}/gone/run`);
  const refused = await api.call('DELETE', `${PATH}/gone`, { headers: { 'If-Match': '"7-1"' } });
  expect(refused.status).toBe(412);
  expect((await api.pipelineRuns.get('gone-1'))?.cancelRequestedAt).toBeUndefined();
  const reply = await api.call('DELETE', `${PATH}/gone`);
  expect([reply.status, reply.body]).toEqual([200, { message: 'Model pipeline gone was deleted' }]);
  expect(signalsOf('gone')).toEqual(expect.arrayContaining(['cancel pipeline/gone-1 1', 'unschedule gone']));
  // Kept with the document: where Temporal does not answer now, the sweep repeats it.
  expect((await api.pipelineRuns.get('gone-1'))?.cancelRequestedAt).toBeDefined();
  expect((await api.call('GET', `${PATH}/gone`)).status).toBe(404);
  expect((await api.call('GET', `${PATH}/gone/run`)).status).toBe(404);
  expect((await api.call('GET', `${PATH}/gone/run/1`)).status).toBe(200);
  expect((await api.call('POST', `${PATH}/gone/run`)).status).toBe(404);
  expect((await api.call('DELETE', `${PATH}/gone`)).status).toBe(404);
});

test('a run that is started while its pipeline is being deleted is canceled too', async () => {
  await create('racing');
  const { pipelines } = api;
  const remove = pipelines.remove.bind(pipelines);
  pipelines.remove = async (id, only) => {
    await api.pipelineRunStore.open('racing', { trigger: { type: 'api', at: '2026-01-01T00:00:00.000Z' } });
    return remove(id, only);
  };
  await api.call('DELETE', `${PATH}/racing`);
  pipelines.remove = remove;
  expect((await api.pipelineRuns.get('racing-1'))?.cancelRequestedAt).toBeDefined();
  expect(signalsOf('racing')).toContain('cancel pipeline/racing-1 1');
});

const CRON = { triggers: { schedule: { cron: '0 6 * * *', timeZone: 'Europe/Paris' } } };

test('a schedule is shown with its next times, also before Temporal knows of it', async () => {
  await create('scheduled', CRON);
  const { status, body } = await api.call('GET', `${PATH}/scheduled/schedule`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    cron: '0 6 * * *',
    timeZone: 'Europe/Paris',
    paused: false,
    note: '',
    skipped: 0,
    missed: 0,
  });
  expect(body.next).toHaveLength(5);
  for (const time of body.next) expect(time).toMatch(/T0[45]:00:00.000Z$/);
});

test('a schedule is paused with a note and resumed, and both are audited', async () => {
  await create('paused', CRON);
  const paused = await api.call('POST', `${PATH}/paused/schedule/pause`, { body: { note: 'broken data' } });
  expect(paused.body).toMatchObject({ paused: true, note: 'broken data', pausedAt: expect.any(String), next: [] });
  const again = await api.call('POST', `${PATH}/paused/schedule/pause`, { body: { note: 'another' } });
  expect(again.body.note).toBe('broken data');
  const resumed = await api.call('POST', `${PATH}/paused/schedule/resume`);
  expect(resumed.body).toMatchObject({ paused: false, note: '' });
  expect(resumed.body.next).toHaveLength(5);
  expect((await api.call('POST', `${PATH}/paused/schedule/resume`)).status).toBe(200);
  expect((await api.call('GET', `${PATH}/paused`)).body.status).toEqual({ lastRun: 0, positions: {} });
  const { body: records } = await api.call('GET', '/api/v1/audit?entityId=paused');
  // The repeats changed nothing.
  expect(records.map(({ action }: { action: string }) => action)).toEqual(['resume', 'pause', 'create']);
});

test.each([[{ note: 5 }], [{ note: 'x'.repeat(501) }], [[]], ['because']])(
  'a pause with %j is refused',
  async (body) => {
    await create('noted', CRON);
    const reply = await api.call('POST', `${PATH}/noted/schedule/pause`, { body });
    expect(reply.status).toBe(400);
    expect((await api.pipelines.get('noted'))?.status.paused).toBeUndefined();
  },
);

test('a schedule is triggered once per call', async () => {
  await create('triggered', CRON);
  const headers = { 'Idempotency-Key': 'now' };
  for (let call = 0; call < 2; call += 1) {
    expect((await api.call('POST', `${PATH}/triggered/schedule/trigger`, { headers })).status).toBe(202);
  }
  expect(signalsOf('triggered').filter((line) => line.startsWith('trigger'))).toHaveLength(1);
  const { records } = await api.audit.list({ entityId: 'triggered', action: 'trigger' }, { limit: 9 });
  expect(records).toHaveLength(1);
});

test('a change of a schedule is answered while Temporal is silent, a question is not', async () => {
  await create('unheard', CRON);
  const describe = api.schedules.describe.bind(api.schedules);
  api.schedules.describe = () => Promise.reject(unavailable('Temporal does not answer'));
  onTestFinished(() => void (api.schedules.describe = describe));
  const call = (verb: string) => api.call('POST', `${PATH}/unheard/schedule/${verb}`);
  expect((await call('trigger')).status).toBe(202);
  expect(await call('pause')).toMatchObject({ status: 200, body: { paused: true, next: [] } });
  const asked = await api.call('GET', `${PATH}/unheard/schedule`);
  expect([asked.status, asked.body.message]).toEqual([503, 'Temporal does not answer']);
});

test('a pipeline without a schedule has none', async () => {
  await create('unscheduled');
  for (const [method, verb] of [
    ['GET', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/trigger'],
  ] as const) {
    const { status, body } = await api.call(method, `${PATH}/unscheduled/schedule${verb}`);
    expect([status, body.message]).toEqual([404, 'pipeline "unscheduled" has no schedule; set spec.triggers.schedule']);
  }
  expect((await api.call('GET', `${PATH}/missing/schedule`)).status).toBe(404);
});

test('viewers look and do nothing', async () => {
  await create('viewed', CRON);
  const as = ['viewer'];
  for (const path of ['', '/viewed', '/viewed/run', '/viewed/schedule']) {
    expect((await api.call('GET', `${PATH}${path}`, { as })).status).toBe(200);
  }
  for (const path of ['/viewed/run', '/viewed/schedule/pause', '/viewed/schedule/resume', '/viewed/schedule/trigger']) {
    expect((await api.call('POST', `${PATH}${path}`, { as })).status).toBe(403);
  }
  expect((await api.call('DELETE', `${PATH}/viewed`, { as })).status).toBe(403);
});

const ownedBy = async (id: string) =>
  (await api.subscriptions.list()).filter(({ status }) => status.owner?.pipeline === id && status.state !== 'removed');

test('addresses of notify have subscriptions that are created, changed and removed with the pipeline', async () => {
  const [a, b] = ['https://a.example/hook', 'https://b.example/hook'];
  expect((await create('notifying', { notify: [{ url: a, on: ['failed'] }] })).status).toBe(201);
  expect(await ownedBy('notifying')).toMatchObject([
    { spec: { url: a, types: ['pipeline.run.cancelled', 'pipeline.run.failed'], filter: 'pipeline == "notifying"' } },
  ]);
  const notify = [{ url: a, on: ['waiting'] }, { url: b }];
  const changed = await api.call('PUT', PATH, { body: { id: 'notifying', spec: { ...PIPELINE, notify } } });
  expect(changed.status).toBe(200);
  const owned = await ownedBy('notifying');
  expect(owned.map(({ spec }) => spec.url).sort()).toEqual([a, b]);
  expect(owned.find(({ spec }) => spec.url === a)?.spec.types).toEqual(['pipeline.run.waiting']);
  expect((await api.call('DELETE', `${PATH}/notifying`)).status).toBe(200);
  expect(await ownedBy('notifying')).toEqual([]);
});

test('the notice secret that the API shows is the one that the subscriptions sign with', async () => {
  const url = 'https://a.example/hook';
  const { body } = await create('signing', { notify: [{ url }] });
  const shown = async () => (await api.call('GET', `${PATH}/signing/webhook`)).body.noticeSecret;
  const signing = async () =>
    (await ownedBy('signing')).flatMap(({ id, status }) => status.keys.map((key) => openKey(id, key, api.secretBox)));
  const first = await shown();
  expect(await signing()).toEqual([first]);
  const triggers = { ...body.spec.triggers, webhook: { enabled: false, secretVersion: 2 } };
  await api.call('PUT', PATH, { body: { id: 'signing', spec: { ...body.spec, triggers } } });
  expect(await shown()).not.toBe(first);
  expect(await signing()).toEqual([await shown()]);
});
