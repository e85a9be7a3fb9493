import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { killService, startService } from '../stack/test-stack.js';
import { HELD_MODEL, PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec, type RunView } from './pipeline-projects.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { read, type RunEntity, untilLog, untilState } from './run-state.js';

let platform: TestPlatform;
let pipelines: ReturnType<typeof pipelinesOf>;
let code: string;
/** A pipeline that starts each minute. Its turns come while the other tests run, so no test waits for the clock. */
let scheduled: string;
let firstTurn: RunView;
beforeAll(async () => {
  platform = await startTestPlatform();
  pipelines = pipelinesOf(platform);
  code = await createProject(platform, PAUSING_MODEL);
  const held = await createProject(platform, HELD_MODEL);
  scheduled = await createPipeline({ triggers: { schedule: { cron: '* * * * *' } } }, held);
}, 600_000);
afterAll(() => platform.stop());

const ONLY_TRAINING = { packaging: {}, deployment: {} };

async function createPipeline(more: object = {}, connection = code): Promise<string> {
  const id = platform.newId('fault');
  await platform.admin.create('/model/pipeline', id, pipelineSpec(id, connection, { ...ONLY_TRAINING, ...more }));
  return id;
}

/** Lets the program of a held training go on. */
async function release(training: string): Promise<void> {
  const [job] = await platform.engine.find({ kind: 'training', id: training });
  await platform.engine.exec(job ?? { name: '' }, ['touch', '/workspace/go'], { timeoutMs: 60_000 });
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

test('a schedule outlives the kill of everything, and so does the run that it started', async () => {
  await untilLog(platform, '/model/training', `${scheduled}-1`, 'begun');
  await killService('temporal');
  await killService('mongodb');
  platform.signal('worker', 'SIGKILL');
  platform.signal('api', 'SIGKILL');
  await startService('mongodb');
  await startService('temporal');
  await release(`${scheduled}-1`);
  firstTurn = await pipelines.untilOver(scheduled, 1);
  expectTurn(firstTurn);
  expect(await pipelines.artifactsOf(scheduled)).toHaveLength(1);
}, 600_000);

test('a database that is killed loses neither a final status nor a run that waits for its training', async () => {
  const run = await createPipeline({}, await createProject(platform, HELD_MODEL));
  await pipelines.start(run);
  await untilLog(platform, '/model/training', `${run}-1`, 'begun');
  const id = await train();
  await untilLog(platform, '/model/training', id, '=== check');
  await killService('mongodb');
  await sleep(10_000);
  await startService('mongodb');
  await release(`${run}-1`);
  expect((await ended(id)).status).toMatchObject({ state: 'succeeded', metrics: { answer: 42 } });
  expect(await artifacts(id)).toHaveLength(1);
  expect((await pipelines.untilOver(run, 1)).status).toMatchObject({ state: 'succeeded' });
  expect(await pipelines.artifactsOf(run)).toHaveLength(1);
}, 600_000);

test('Temporal that is killed during a run only delays it', async () => {
  const id = await createPipeline();
  await pipelines.start(id, { pause: '5' });
  await untilLog(platform, '/model/training', `${id}-1`, 'begun');
  await killService('temporal');
  // A run that is requested meanwhile is stored, and starts afterwards.
  const other = await createPipeline();
  await pipelines.start(other);
  await sleep(10_000);
  await startService('temporal');
  expect((await pipelines.untilOver(id, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await pipelines.untilOver(other, 1)).status).toMatchObject({ state: 'succeeded' });
  expect((await read(platform, '/model/training', `${id}-1`)).generation).toBe(1);
  expect(await pipelines.artifactsOf(id)).toHaveLength(1);
}, 600_000);

test('a schedule goes on after the kills, and a turn with nothing changed trains nothing again', async () => {
  const second = await pipelines.untilOver(scheduled, 2);
  expectTurn(second);
  expect(firstTurn.spec.trigger.at).not.toBe(second.spec.trigger.at);
  expect(second.status.steps.find(({ name }) => name === 'training')?.reusedFrom).toBe(`training/${scheduled}-1`);
  expect(await pipelines.artifactsOf(scheduled)).toHaveLength(1);
  const path = `${PIPELINES}/${scheduled}/schedule`;
  const { body } = await platform.admin.call<{ paused: boolean; next: string[] }>('GET', path);
  expect(body).toMatchObject({ paused: false, next: expect.arrayContaining([expect.any(String)]) });
  await platform.admin.call('DELETE', `${PIPELINES}/${scheduled}`);
}, 600_000);

function expectTurn({ spec, status }: RunView): void {
  expect([spec.trigger.type, status.state, status.message]).toEqual(['schedule', 'succeeded', undefined]);
  expect(spec.trigger.at).toMatch(/:00.000Z$/);
}
