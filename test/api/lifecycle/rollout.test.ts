import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/deployment';
const PLAN = { steps: [{ weight: 10, seconds: 60 }] };
const SPEC = { image: 'registry.example.org/wine:2', predictor: 'platform-ml-server', rollout: PLAN };
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** A deployment whose second generation is rolled out; the first one is kept. */
async function startRollout(id: string, change: object = {}): Promise<void> {
  const spec = { ...SPEC, ...change };
  expect((await api.call('POST', PATH, { body: { id, spec } })).status).toBe(201);
  const { uid, ...first } = await api.deployments.update(id, (current) => ({
    ...current,
    generation: 2,
    status: { ...current.status, rollout: { state: 'baking', step: 1, steps: 1, weight: 10, stable: 1 } },
  }));
  const image = 'registry.example.org/wine:1';
  await api.revisions.keep(uid, {
    ...{ generation: 1, at: '2026-11-20T08:00:00.000Z', updatedBy: 'ada', modelName: 'wine', modelVersion: '1' },
    ...{ image, imageDigest: DIGEST, spec: { ...first.spec, image, protected: false } },
  });
}
const post = (path: string, options: Parameters<TestApi['call']>[2] = {}) =>
  api.call('POST', `${PATH}/${path}`, options);
const refusal = ({ status, body }: { status: number; body: { code: string; message: string } }) => [
  status,
  body.code,
  body.message,
];

test('a request reaches the rollout of this generation, and is audited', async () => {
  await startRollout('steered');
  expect((await post('steered/rollout/pause', { as: ['data_scientist'] })).status).toBe(202);
  expect(api.signals.at(-1)).toMatch(/^pause steered 2 by /);
  const audit = await api.call('GET', '/api/v1/audit?entityId=steered');
  expect(audit.body[0].action).toBe('rollout.pause');
  expect((await post('steered/rollout/abort', { as: ['viewer'] })).status).toBe(403);
  expect((await post('steered/rollout/faster')).status).toBe(404);
  expect((await post('absent/rollout/pause')).status).toBe(404);
});

test('without a rollout there is nothing to steer', async () => {
  await api.call('POST', PATH, { body: { id: 'plain', spec: SPEC } });
  const message = 'no rollout of deployment "plain" is going on';
  expect(refusal(await post('plain/rollout/promote'))).toEqual([409, 'not_waiting', message]);
});

test('a deployment goes back by one call, to the very image that ran, without a rollout', async () => {
  await startRollout('back');
  const listed = await api.call('GET', `${PATH}/back/revision`);
  expect(listed.body).toMatchObject([{ generation: 1, imageDigest: DIGEST }]);
  const { status, body } = await post('back/rollback');
  expect(status).toBe(202);
  const image = `registry.example.org/wine:1@${DIGEST}`;
  expect(body).toMatchObject({ generation: 3, spec: { image, rollout: PLAN }, status: { state: 'Processing' } });
  expect(api.signals.at(-1)).toBe('changed deployment/back 3');
  expect((await api.deployments.get('back'))?.atOnce).toBe(3);
  const again = await post('back/rollback', { body: { generation: 1 } });
  expect(refusal(again)).toEqual([409, 'conflict', 'deployment "back" has this revision already']);
});

test.each([
  [{ generation: 9 }, 404, 'no revision 9 is kept of "wrong"; kept are: 1'],
  [{ generation: '1' }, 400, 'send {"generation": N} with the number of a kept revision'],
  [{ generation: -1 }, 400, 'send {"generation": N} with the number of a kept revision'],
  [{ generation: 1.5 }, 400, 'send {"generation": N} with the number of a kept revision'],
])('a way back that is not there is refused: %j', async (body, status, message) => {
  if ((await api.deployments.get('wrong')) === undefined) await startRollout('wrong');
  const reply = await post('wrong/rollback', { body });
  expect([reply.status, reply.body.message]).toEqual([status, message]);
});

test('a protected deployment is steered and turned back by an admin who means it, and stays protected', async () => {
  const protection = { protected: true, pipeline: 'release' };
  await startRollout('prod', protection);
  for (const path of ['prod/rollout/promote', 'prod/rollback']) {
    expect((await post(path, { as: ['data_scientist'] })).status).toBe(403);
    expect((await post(path)).status).toBe(409);
    expect((await post(path, { headers: { 'Override-Protection': 'prod' } })).status).toBe(202);
  }
  expect((await api.deployments.get('prod'))?.spec).toMatchObject(protection);
});

test.each([
  [{ steps: [] }, 'rollout.steps must have a step, such as {weight: 10, seconds: 60}; or leave rollout out'],
  [{ steps: Array.from({ length: 21 }, (_, at) => ({ weight: at + 1 })) }, 'rollout.steps must have at most 20 steps'],
  [{ steps: [{ weight: 0 }] }, 'step 1 of rollout.steps: weight must be a percentage from 1 to 100, not 0'],
  [{ steps: [{ weight: 101 }] }, 'step 1 of rollout.steps: weight must be a percentage from 1 to 100, not 101'],
  [{ steps: [{ weight: 50 }, { weight: 50 }] }, 'step 2 of rollout.steps: weight must be more than in the step before'],
  [{ steps: [{ weight: 5, seconds: 86_401 }] }, 'step 1 of rollout.steps: seconds must be from 1 to 86400, not 86401'],
  [{ steps: [{ weight: 5 }], onNoTraffic: 'wait' }, 'spec.rollout.onNoTraffic must be one of promote, hold, abort'],
])('a plan that cannot be followed is refused: %j', async (rollout, message) => {
  const reply = await api.call('POST', PATH, { body: { id: 'refused', spec: { ...SPEC, rollout } } });
  expect(reply.status).toBe(400);
  expect(reply.body.errors.map((each: { message: string }) => each.message)).toEqual([message]);
});
