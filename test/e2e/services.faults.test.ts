import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { killService, startService } from '../stack/test-stack.js';
import { PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec } from './pipeline-projects.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, type RunEntity, untilLog, untilState } from './run-state.js';
import { until } from './until.js';

let platform: TestPlatform;
let pipelines: ReturnType<typeof pipelinesOf>;
let code: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  pipelines = pipelinesOf(platform);
  code = await createProject(platform, PAUSING_MODEL);
}, 600_000);
afterAll(() => platform.stop());

const ONLY_TRAINING = { packaging: {}, deployment: {} };

async function createPipeline(more: object = {}): Promise<string> {
  const id = platform.newId('fault');
  await platform.admin.create('/model/pipeline', id, pipelineSpec(id, code, { ...ONLY_TRAINING, ...more }));
  return id;
}

async function train(): Promise<string> {
  const id = platform.newId('fault');
  const connection = await createProject(platform, SMALL_MODEL);
  await platform.admin.create('/model/training', id, trainingSpec(connection, { name: id, pause: 0 }));
  return id;
}
const ended = (id: string): Promise<RunEntity> =>
  untilState(platform, '/model/training', id, ['succeeded', 'failed'], 240);

async function artifacts(id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of platform.objects.list(`${id}-1-`)) found.push(key);
  return found;
}

test('object storage that is away for 30 s while an artifact is stored only delays it', async () => {
  const id = await train();
  await untilLog(platform, '/model/training', id, 'line 49');
  await killService('storage');
  await sleep(30_000);
  await startService('storage');
  expect((await ended(id)).status.state).toBe('succeeded');
  expect(await artifacts(id)).toHaveLength(1);
}, 600_000);

test('a database that is killed before the final status does not lose it', async () => {
  const id = await train();
  await untilLog(platform, '/model/training', id, '=== check');
  await killService('mongodb');
  await sleep(10_000);
  await startService('mongodb');
  expect((await ended(id)).status).toMatchObject({ state: 'succeeded', metrics: { answer: 42 } });
  expect(await artifacts(id)).toHaveLength(1);
}, 600_000);

test('Temporal that is killed during a run only delays it', async () => {
  const id = await createPipeline();
  await pipelines.start(id, { pause: '5' });
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  await killService('temporal');
  // What is asked for meanwhile is stored, and done afterwards.
  const other = await createPipeline();
  await pipelines.start(other);
  await sleep(10_000);
  await startService('temporal');
  expect((await pipelines.untilOver(id, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await pipelines.untilOver(other, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await read(platform, '/model/training', `${id}-1`)).generation).toBe(1);
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
}, 600_000);

test('a schedule outlives the kill of everything, and so does the run that it started', async () => {
  const id = await createPipeline({
    parameters: { pause: '8' },
    triggers: { schedule: { cron: '* * * * *' } },
  });
  await until('the first turn', () => pipelines.read(id, 1).catch(() => undefined), { seconds: 120 });
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  await killService('temporal');
  await killService('mongodb');
  platform.signal('worker', 'SIGKILL');
  platform.signal('api', 'SIGKILL');
  await startService('mongodb');
  await startService('temporal');
  const first = await pipelines.untilOver(id, 1);
  // What is unchanged is not trained again: the second turn is there at once.
  const second = await pipelines.untilOver(id, 2);
  for (const { spec, status } of [first, second]) {
    expect([spec.trigger.type, status.state, status.message]).toEqual(['schedule', 'succeeded', undefined]);
    expect(spec.trigger.at).toMatch(/:00.000Z$/);
  }
  expect(first.spec.trigger.at).not.toBe(second.spec.trigger.at);
  expect(second.status.steps.find(({ name }) => name === 'training')?.reusedFrom).toBe(`training/${id}-1`);
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
  const { body } = await platform.admin.call<{ paused: boolean; next: string[] }>('GET', `${PIPELINES}/${id}/schedule`);
  expect(body).toMatchObject({ paused: false, next: expect.arrayContaining([expect.any(String)]) });
  await platform.admin.call('DELETE', `${PIPELINES}/${id}`);
}, 600_000);

test('a database that is killed while a run waits for its training does not lose the run', async () => {
  const id = await createPipeline();
  await pipelines.start(id, { pause: '5' });
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  await killService('mongodb');
  await sleep(10_000);
  await startService('mongodb');
  expect((await pipelines.untilOver(id, 1)).status).toMatchObject({ state: 'succeeded' });
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
}, 600_000);
