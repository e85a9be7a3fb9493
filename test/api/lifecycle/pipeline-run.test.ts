import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SlipwayError, unavailable } from '../../../platform/kinds/errors.js';
import type { PipelineRunStatus } from '../../../lifecycle/kinds/pipeline-run.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

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
const start = (id: string, body?: object, key?: string) =>
  api.call('POST', `${PATH}/${id}/run`, { body, ...(key && { headers: { 'Idempotency-Key': key } }) });
const set = (id: string, status: Partial<PipelineRunStatus>) =>
  api.pipelineRuns.update(id, (run) => ({ ...run, status: { ...run.status, ...status } }));
const signalsOf = (id: string) => api.signals.filter((line) => line.includes(`${id}-`));

test('a run is numbered, says who asked for it, and begins', async () => {
  await create('run');
  const reply = await start('run', { parameters: { alpha: 0.9 }, version: '7', noCache: true });
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({
    ...{ kind: 'PipelineRun', id: 'run-1', generation: 1 },
    spec: {
      ...{ pipeline: 'run', number: 1, parameters: { alpha: '0.9' }, version: '7', noCache: true },
      trigger: { type: 'api', at: expect.any(String), by: expect.any(String) },
      template: { training: { model: { name: 'wine' } } },
    },
    status: { state: 'unknown', steps: [], gates: [] },
  });
  expect(reply.headers.get('etag')).toMatch(/^"1-1[";]/); // a compressed answer has a tag of its own
  expect(signalsOf('run')).toEqual(['changed pipeline/run-1 1']);
  expect((await api.call('GET', `${PATH}/run/run/1`)).body).toEqual(reply.body);
  const beside = await start('run');
  expect([beside.status, beside.body.code, beside.body.message]).toEqual([
    409,
    'not_finished',
    'run run-1 of the pipeline has not finished yet; wait for its end or cancel it',
  ]);
});

// prettier-ignore
test.each([
  [{ parameters: { beta: '1' } }, 'pipeline bad declares no parameter "beta"; declared: alpha'],
  [{ paramters: {} }, 'a run takes parameters, version, noCache, not "paramters"'],
  [{ noCache: 'yes' }, 'noCache must be true or false'],
  [{ version: '{{ nope }}' }, 'version: unknown placeholder "nope"'],
  [[], 'the body must be a JSON object'],
])('a run of %j is refused', async (body, message) => {
  await create('bad');
  const reply = await start('bad', body);
  expect(reply.status).toBe(400);
  expect(reply.body.message).toContain(message);
  expect((await api.call('GET', `${PATH}/bad/run`)).body).toEqual([]);
});

test('a run of a pipeline that does not exist is 404', async () => {
  expect((await start('missing')).status).toBe(404);
  expect((await api.call('GET', `${PATH}/missing/run`)).status).toBe(404);
  await create('some');
  const missing = await api.call('GET', `${PATH}/some/run/1`);
  expect([missing.status, missing.body.message]).toEqual([404, 'pipeline "some" has no run 1']);
  for (const number of ['0', '-1', '1.5', 'x', '01', '9999999999']) {
    const { status, body } = await api.call('GET', `${PATH}/some/run/${number}`);
    expect([status, body.message]).toEqual([400, `a run is named by its number, not "${number}"`]);
  }
});

test('runs are listed newest first, page by page', async () => {
  await create('many');
  for (let number = 1; number <= 5; number += 1) {
    await start('many');
    await set(`many-${number}`, { state: 'succeeded' });
  }
  const list = async (query: string) => {
    const { body, headers } = await api.call('GET', `${PATH}/many/run${query}`);
    return [body.map(({ spec }: { spec: { number: number } }) => spec.number), headers.get('link')];
  };
  expect(await list('')).toEqual([[5, 4, 3, 2, 1], null]);
  expect(await list('?size=2')).toEqual([[5, 4], '<?size=2&page=1>; rel="next"']);
  expect(await list('?size=2&page=2')).toEqual([[1], null]);
  expect(await list('?size=2&page=9')).toEqual([[], null]);
  expect(await list('?size=0')).toEqual([[], null]);
  expect((await api.call('GET', `${PATH}/many/run`)).headers.get('x-total-count')).toBe('5');
  expect((await api.call('GET', `${PATH}/many/run?state=failed`)).status).toBe(400);
});

test('the same key is the same run; with another body it is a mistake', async () => {
  await create('keyed');
  const first = await start('keyed', { version: '1' }, 'key');
  const again = await start('keyed', { version: '1' }, 'key');
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const other = await start('keyed', { version: '2' }, 'key');
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  expect(signalsOf('keyed')).toEqual(['changed pipeline/keyed-1 1']);
});

test('the repeat of a call that died behind the document finds the run and starts it', async () => {
  await create('died');
  const changed = api.runs.changed.bind(api.runs);
  api.runs.changed = async () => Promise.reject(new Error('the process died here'));
  expect((await start('died', {}, 'key')).status).toBe(500);
  api.runs.changed = changed;
  const again = await start('died', {}, 'key');
  expect([again.status, again.body.id]).toEqual([201, 'died-1']);
  expect(signalsOf('died')).toEqual(['changed pipeline/died-1 1']);
  expect((await start('died', {}, 'another')).body.code).toBe('not_finished');
});

test('a cancellation is stored and signaled; after the end it is too late', async () => {
  await create('cancel');
  await start('cancel');
  const canceled = await api.call('POST', `${PATH}/cancel/run/1/cancel`);
  expect(canceled.status).toBe(202);
  const { cancelRequestedAt } = (await api.pipelineRuns.get('cancel-1')) ?? {};
  expect(cancelRequestedAt).toBeDefined();
  await api.call('POST', `${PATH}/cancel/run/1/cancel`);
  expect((await api.pipelineRuns.get('cancel-1'))?.cancelRequestedAt).toBe(cancelRequestedAt);
  expect(signalsOf('cancel').slice(1)).toEqual(['cancel pipeline/cancel-1 1', 'cancel pipeline/cancel-1 1']);
  await set('cancel-1', { state: 'failed', reason: 'Cancelled' });
  const late = await api.call('POST', `${PATH}/cancel/run/1/cancel`);
  expect([late.status, late.body.code]).toEqual([409, 'already_finished']);
});

const retry = (id: string, number: number, body?: unknown, headers = {}) =>
  api.call('POST', `${PATH}/${id}/run/${number}/retry`, { body, headers });

test('a run that failed is tried again as it was, as another generation', async () => {
  await create('retry');
  await start('retry');
  const early = await retry('retry', 1);
  expect([early.status, early.body.code]).toEqual([409, 'not_finished']);
  await set('retry-1', { state: 'failed', reason: 'Internal', message: 'no', steps: [] });
  await api.pipelineRuns.update('retry-1', (run) => ({ ...run, cancelRequestedAt: '2026-01-01T00:00:00.000Z' }));
  const stale = await retry('retry', 1, {}, { 'If-Match': '"9-1"' });
  expect(stale.status).toBe(412);
  const again = await retry('retry', 1, undefined, { 'If-Match': '"1-1"' });
  expect([again.status, again.body.generation, again.body.status]).toEqual([
    202,
    2,
    { state: 'unknown', transitions: [expect.anything()], steps: [], gates: [] },
  ]);
  expect((await api.pipelineRuns.get('retry-1'))?.cancelRequestedAt).toBeUndefined();
  expect(signalsOf('retry').at(-1)).toBe('changed pipeline/retry-1 2');
});

test('only the newest run is tried again, and none that succeeded', async () => {
  await create('newest');
  await start('newest');
  await set('newest-1', { state: 'failed' });
  await start('newest');
  const older = await retry('newest', 1);
  expect([older.status, older.body.message]).toEqual([
    409,
    'run newest-2 is newer; only the newest run can be retried',
  ]);
  await set('newest-2', { state: 'succeeded' });
  const done = await retry('newest', 2);
  expect([done.status, done.body.code]).toEqual([409, 'already_finished']);
  expect((await retry('newest', 3)).status).toBe(404);
});

test('a retry may bring another spec; what the run was given stays, and defaults are the new ones', async () => {
  await create('respec', { parameters: { alpha: '0.5', beta: '1' } });
  await start('respec', { parameters: { alpha: '0.9' } });
  await set('respec-1', { state: 'failed' });
  const parameters = { alpha: '0.1', beta: '2', gamma: '3' };
  const spec = { ...PIPELINE, parameters, version: '2.{{ run }}', noCache: true };
  const again = await retry('respec', 1, { spec });
  expect(again.status).toBe(202);
  expect(again.body.spec).toMatchObject({
    parameters: { alpha: '0.9', beta: '2', gamma: '3' },
    version: '2.{{ run }}',
    noCache: true,
    template: { parameters },
  });
  // The pipeline itself is as it was.
  expect((await api.call('GET', `${PATH}/respec`)).body.spec.parameters).toEqual({ alpha: '0.5', beta: '1' });
});

// prettier-ignore
test.each([
  [{ sepc: {} }, 'a retry takes spec, not "sepc"'],
  [{ spec: 5 }, 'must be an object'],
  [{ spec: { ...PIPELINE, onFailure: 'explode' } }, 'onFailure is restore or keep, not "explode"'],
  [[], 'the body must be a JSON object'],
])('a retry with %j is refused', async (body, message) => {
  const id = `respecs-${randomUUID().slice(0, 8)}`;
  await create(id);
  await start(id);
  await set(`${id}-1`, { state: 'failed' });
  const reply = await retry(id, 1, body);
  expect(reply.status).toBe(400);
  expect(reply.body.message).toContain(message);
  expect((await api.pipelineRuns.get(`${id}-1`))?.generation).toBe(1);
});

/** Another person than the one who creates and starts runs here. */
const asOther = async (roles: string[]) => ({
  as: null,
  headers: { authorization: `Bearer ${await api.token(roles, { subject: 'another' })}` },
});
const decide = (id: string, word: string, call: Parameters<TestApi['call']>[2] = {}) =>
  api.call('POST', `${PATH}/${id}/run/1/${word}`, { body: { reason: 'looks good' }, ...call });

test('who approves without a list is the team', async () => {
  await create('team');
  await start('team');
  expect((await decide('team', 'approve', { as: ['data_scientist'] })).status).toBe(202);
  expect((await decide('team', 'reject', { as: ['admin'] })).status).toBe(202);
  for (const as of [['viewer'], ['wine-owners']]) {
    const { status, body } = await decide('team', 'approve', { as });
    expect([status, body.code, body.message]).toEqual([
      403,
      'forbidden',
      'run team-1 is decided by the roles admin, data_scientist',
    ]);
  }
  expect((await decide('team', 'approve', { as: null })).status).toBe(401);
});

test('a list of roles is the whole list', async () => {
  await create('listed', { gates: { approval: { required: true, roles: ['wine-owners'] } } });
  await start('listed');
  expect((await decide('listed', 'approve', await asOther(['wine-owners']))).status).toBe(202);
  const refused = await decide('listed', 'approve', { as: ['admin'] });
  expect([refused.status, refused.body.message]).toEqual([403, 'run listed-1 is decided by the roles wine-owners']);
});

test('who started or retried a run approves it only where the gate says so, and may always reject it', async () => {
  const approval = { required: true, roles: ['data_scientist'] };
  await create('own', { gates: { approval } });
  await start('own');
  const text = 'run own-1 is yours: another person with the roles data_scientist approves it';
  const own = await decide('own', 'approve', { as: ['data_scientist'] });
  expect([own.status, own.body.code, own.body.message]).toEqual([403, 'forbidden', text]);
  expect((await decide('own', 'reject', { as: ['data_scientist'] })).status).toBe(202);
  expect((await decide('own', 'approve', await asOther(['data_scientist']))).status).toBe(202);
  await set('own-1', { state: 'failed' });
  await api.call('POST', `${PATH}/own/run/1/retry`, await asOther(['data_scientist']));
  const retried = await decide('own', 'approve', await asOther(['data_scientist']));
  expect([retried.status, retried.body.message]).toEqual([403, text]);

  await create('allowed', { gates: { approval: { ...approval, allowAuthor: true } } });
  await start('allowed');
  expect((await decide('allowed', 'approve', { as: ['data_scientist'] })).status).toBe(202);
  await create('strict', { gates: { approval: { required: true, allowAuthor: false } } });
  await start('strict');
  expect((await decide('strict', 'approve')).status).toBe(403);
});

test.each([
  ['gates', { gates: {} }],
  ['deployment.id', { deployment: { ...PIPELINE.deployment, id: 'elsewhere' } }],
])('a retry by the team leaves the %s of its run', async (path, change) => {
  const id = `fixed-${path.slice(0, 4)}`;
  const gates = { approval: { required: true, roles: ['admin'] } };
  await create(id, { gates });
  await start(id);
  await set(`${id}-1`, { state: 'failed' });
  const body = { spec: { ...PIPELINE, gates, ...change } };
  const team = { body, as: ['data_scientist'] };
  const reply = await api.call('POST', `${PATH}/${id}/run/1/retry`, team);
  expect([reply.status, reply.body.message]).toEqual([
    403,
    `${path} of run ${id}-1 is fixed: start a new run, or ask an admin to retry it`,
  ]);
  const same = { body: { spec: { ...PIPELINE, gates, noCache: true } }, as: ['data_scientist'] };
  expect((await api.call('POST', `${PATH}/${id}/run/1/retry`, same)).status).toBe(202);
  await set(`${id}-1`, { state: 'failed' });
  expect((await retry(id, 1, body)).status).toBe(202);
});

test('a decision has a reason, and is on the generation that was seen', async () => {
  await create('reasoned');
  await start('reasoned');
  for (const body of [{}, { reason: ' ' }, { reason: 5 }, []]) {
    const reply = await decide('reasoned', 'approve', { body });
    expect([reply.status, reply.body.errors?.[0]?.path]).toEqual([400, 'reason']);
  }
  expect((await decide('reasoned', 'approve', { headers: { 'If-Match': '"2-1"' } })).status).toBe(412);
  expect((await decide('reasoned', 'approve', { headers: { 'If-Match': '"1-5"' } })).status).toBe(202);
  expect((await decide('missing', 'approve')).status).toBe(404);
});

test('the key of a decision is of one person and one word', async () => {
  await create('decided');
  await start('decided');
  const headers = { 'Idempotency-Key': 'mine' };
  await decide('decided', 'approve', { headers });
  await decide('decided', 'reject', { headers });
  const keys = signalsOf('decided').flatMap((line) => /^(?:approved|rejected) \S+ (.*)$/.exec(line)?.[1] ?? []);
  expect(keys).toEqual([
    expect.stringMatching(/^approved by \S+: mine$/),
    expect.stringMatching(/^rejected by \S+: mine$/),
  ]);
});

test('what the run says of a decision reaches its author', async () => {
  await create('late');
  await start('late');
  const taken = api.approvals.decide.bind(api.approvals);
  api.approvals.decide = async () =>
    Promise.reject(new SlipwayError('not_waiting', 'the run does not wait for an approval'));
  const refused = await decide('late', 'approve');
  expect([refused.status, refused.body.code]).toEqual([409, 'not_waiting']);
  api.approvals.decide = async () => Promise.reject(unavailable('may or may not', new Error('10.1.2.3 is away')));
  const unsure = await decide('late', 'approve');
  expect([unsure.status, unsure.body]).toEqual([503, expect.objectContaining({ message: 'may or may not' })]);
  api.approvals.decide = async () => Promise.reject(new SlipwayError('unavailable', '10.1.2.3 is away'));
  expect((await decide('late', 'approve')).body.message).toBe('Service Unavailable');
  api.approvals.decide = taken;
});
