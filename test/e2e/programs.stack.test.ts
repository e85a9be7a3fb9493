import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcess } from '../../workers/compose/supervisor.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, untilLog, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ SLIPWAY_READY_TIMEOUT: '10' });
}, 600_000);
afterAll(() => platform.stop());

async function train(program: string, more: object = {}) {
  const id = platform.newId('train');
  await platform.admin.create('/model/training', id, trainingSpec(await createProject(platform, program), more));
  return id;
}
const failure = async (id: string) =>
  (await untilState(platform, '/model/training', id, ['succeeded', 'failed'])).status;

test('a program that raises fails its training with its exit code and last lines', async () => {
  const status = await failure(await train('import sys; print("no luck today"); sys.exit(3)'));
  const message = 'the program ended with exit code 3: no luck today';
  expect(status).toMatchObject({ state: 'failed', reason: 'ToolchainFailed', exitCode: 3, message });
  expect(status.logTail).toContain('no luck today');
}, 600_000);

test('a program that logs no model says so', async () => {
  expect(await failure(await train('print("done")'))).toMatchObject({
    state: 'failed',
    reason: 'ToolchainFailed',
    message: expect.stringContaining('exactly 1 model'),
  });
}, 600_000);

test('a program past its memory limit is named so', async () => {
  const resources = { limits: { cpu: '1', memory: '256Mi' } };
  const id = await train('x = bytearray(2 ** 30)\nfor i in range(0, len(x), 4096): x[i] = 1', { resources });
  expect(await failure(id)).toMatchObject({ state: 'failed', reason: 'OutOfMemory' });
}, 600_000);

test('a reference that the repository lacks fails with a sentence', async () => {
  const connection = await createProject(platform, SMALL_MODEL);
  const id = platform.newId('train');
  const algorithmSource = { vcs: { connection, reference: 'nowhere' } };
  await platform.admin.create('/model/training', id, { ...trainingSpec(connection), algorithmSource });
  expect(await failure(id)).toMatchObject({
    state: 'failed',
    reason: 'SourceCheckoutFailed',
    message: 'the repository has no reference "nowhere"',
  });
}, 600_000);

test('cancel stops the container long before its program would end', async () => {
  const id = await train(SMALL_MODEL, { pause: 60 });
  await untilLog(platform, '/model/training', id, 'line 0');
  await platform.admin.call('POST', `/api/v1/model/training/${id}/cancel`);
  await until('the container to stop', async () => (await platform.engine.find({ kind: 'training', id })).length === 0);
  expect(await failure(id)).toMatchObject({ state: 'failed', reason: 'Cancelled' });
  await expect(platform.admin.call('POST', `/api/v1/model/training/${id}/cancel`)).rejects.toThrow('409');
}, 600_000);

test('a running training that is deleted is gone at once, and its container soon after', async () => {
  const id = await train(SMALL_MODEL, { pause: 5 });
  await untilLog(platform, '/model/training', id, 'line 0');
  await platform.admin.call('DELETE', `/api/v1/model/training/${id}`);
  await expect(read(platform, '/model/training', id)).rejects.toThrow('404');
  await until('the container to go', async () => (await platform.engine.find({ kind: 'training', id })).length === 0);
}, 600_000);

test('an image that never serves fails its deployment with a reason', async () => {
  const silent = platform.newId('deploy');
  const image = process.env.SLIPWAY_BUILDER_IMAGE ?? '';
  await platform.admin.create('/model/deployment', silent, { image, predictor: 'platform-ml-server' });
  const { status } = await untilState(platform, '/model/deployment', silent, ['Failed']);
  expect(['CrashLoop', 'ProbeFailed']).toContain(status.reason);
  await platform.admin.call('DELETE', `/api/v1/model/deployment/${silent}`);
  await until(
    'it to be gone',
    async () => (await platform.engine.find({ kind: 'deployment', id: silent })).length === 0,
  );
}, 600_000);

test('an image and an artifact that do not exist are refused at the creation', async () => {
  const image = `${process.env.SLIPWAY_REGISTRY}/nothing:1`;
  const deployment = { image, predictor: 'platform-ml-server' };
  await expect(platform.admin.create('/model/deployment', platform.newId('deploy'), deployment)).rejects.toThrow(
    'is not in its registry',
  );
  const targets = [{ name: 'container-push', connectionName: 'docker-ci' }];
  const packaging = { artifactName: 'nothing.zip', integrationName: 'container-rest', targets };
  await expect(platform.admin.create('/model/packaging', platform.newId('pack'), packaging)).rejects.toThrow(
    'there is no artifact',
  );
});

/** The last one: no other program could be sure to be through in so short a time. */
test('a program that never ends is stopped at the limit', async () => {
  const { processes, options } = platform;
  await processes.worker.stop();
  const environment = { ...platform.environment, SLIPWAY_TRAINING_TIMEOUT: '5' };
  processes.worker = await startProcess('worker', { ...options, environment });
  const id = await train('import time; time.sleep(3600)');
  expect(await failure(id)).toMatchObject({ state: 'failed', reason: 'Timeout' });
  expect(await platform.engine.find({ kind: 'training', id })).toEqual([]);
}, 600_000);
