import { afterEach, beforeEach, expect, test } from 'vitest';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { newTraining } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
});
afterEach(() => scene.close());

const { training } = PIPELINE;
const failure = (reason: string, message?: string) =>
  expect.objectContaining({ detail: expect.objectContaining({ reason }), ...(message && { message }) });

test('a reference is resolved to a commit, once for the whole run', async () => {
  await scene.createPipeline({
    parameters: { alpha: '1', branch: 'main' },
    training: { ...training, algorithmSource: { vcs: { connection: 'code', reference: '{{ parameters.branch }}' } } },
  });
  const ref = await scene.openRun();
  expect(await scene.run('resolvePipelineSource', ref)).toBe(scene.commit);
  await scene.commitCode({ 'later.txt': 'later' });
  expect(await scene.statusOf(ref)).toMatchObject({
    commit: scene.commit,
    steps: [{ name: 'resolve', state: 'succeeded', startedAt: expect.any(String), finishedAt: expect.any(String) }],
  });
  const { child } = await scene.run('preparePipelineTraining', ref);
  expect(child?.id).toBe('wine-1');
  expect((await scene.trainings.get('wine-1'))?.spec.algorithmSource.vcs).toEqual({
    connection: 'code',
    reference: scene.commit,
  });
});

test('a reference that is not there ends the run with the reason of a checkout', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.connections.update('code', (current) => ({ ...current, spec: { ...current.spec, reference: 'gone' } }));
  await expect(scene.run('resolvePipelineSource', ref)).rejects.toEqual(failure('SourceCheckoutFailed'));
  await scene.connections.remove('code');
  await expect(scene.run('resolvePipelineSource', ref)).rejects.toEqual(
    failure('SourceCheckoutFailed', 'connection "code" was deleted meanwhile'),
  );
});

test('the training of a run is one like any other, with every placeholder filled in', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun({ parameters: { alpha: '0.9' } });
  await scene.run('resolvePipelineSource', ref);
  expect(await scene.run('preparePipelineTraining', ref)).toEqual({
    child: { id: 'wine-1', uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/), generation: 1 },
  });
  expect(await scene.trainings.get('wine-1')).toMatchObject({
    ...{ kind: 'ModelTraining', generation: 1, createdBy: 'ada' },
    spec: {
      model: { name: 'wine', version: '1.1', artifactNameTemplate: '{{ .Name }}-{{ .Version }}-{{ .RandomUUID }}.zip' },
      hyperParameters: { alpha: '0.9' },
      image: 'toolchain:1',
      outputConnection: 'models-output',
    },
    status: { state: 'unknown' },
  });
  expect(await scene.stepOf(ref, 'training')).toMatchObject({
    ...{ state: 'running', child: 'training/wine-1' },
    reuseMiss: 'nothing was made of these inputs before',
  });
});

test('an attempt that is repeated finds the training of the first one', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  const first = await scene.run('preparePipelineTraining', ref);
  expect(await scene.run('preparePipelineTraining', ref)).toEqual(first);
  expect(await scene.trainings.list()).toHaveLength(1);
});

test('the run contains the results of a training that has succeeded', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  const { child } = await scene.run('preparePipelineTraining', ref);
  await expect(scene.run('concludePipelineTraining', { ref, child })).rejects.toThrow(
    'training wine-1 ended in state unknown',
  );
  await scene.finishTraining('wine-1', { rmse: 0.4 });
  await scene.run('concludePipelineTraining', { ref, child });
  await scene.run('concludePipelineTraining', { ref, child });
  expect(await scene.statusOf(ref)).toMatchObject({
    ...{ modelName: 'wine', modelVersion: '1.1', artifactName: 'wine-1.zip', metrics: { rmse: 0.4 } },
    steps: [{ name: 'resolve' }, { name: 'training', state: 'succeeded', child: 'training/wine-1' }],
  });
});

test.each(['ToolchainFailed', 'Internal', 'NoCapacity', 'Cancelled'] as const)(
  'a training that failed with %s ends the run with its words, and is not asked twice',
  async (reason) => {
    await scene.createPipeline();
    const ref = await scene.openRun();
    await scene.run('resolvePipelineSource', ref);
    const { child } = await scene.run('preparePipelineTraining', ref);
    await scene.trainings.update('wine-1', (current) => ({
      ...current,
      status: { ...current.status, state: 'failed', reason, message: 'no module named sklearn' },
    }));
    const message = 'training wine-1 failed: no module named sklearn';
    await expect(scene.run('concludePipelineTraining', { ref, child })).rejects.toMatchObject({
      ...{ type: 'run_failed', nonRetryable: true, message },
      details: [{ reason, message }],
    });
  },
);

test('a training that was changed or removed meanwhile is a conflict', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  const { child } = await scene.run('preparePipelineTraining', ref);
  await scene.trainings.update('wine-1', (current) => ({ ...current, generation: 2 }));
  const conflict = failure('Conflict', 'training wine-1 was changed or removed meanwhile');
  await expect(scene.run('concludePipelineTraining', { ref, child })).rejects.toEqual(conflict);
  await scene.trainings.remove('wine-1');
  await expect(scene.run('concludePipelineTraining', { ref, child })).rejects.toEqual(conflict);
  await expect(scene.run('concludePipelineTraining', { ref })).rejects.toEqual(
    failure('Conflict', 'training wine-1 was removed'),
  );
});

test("a person's training of the same id is left alone", async () => {
  await scene.createPipeline();
  const theirs = await scene.trainings.insert(newTraining('wine-1'));
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  await expect(scene.run('preparePipelineTraining', ref)).rejects.toEqual(
    failure('Conflict', 'training wine-1 exists already, and another than this run made it; remove or rename it'),
  );
  expect(await scene.trainings.get('wine-1')).toEqual(theirs);
});

test('a template that fits no more ends the run with a reason', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun({ parameters: { alpha: '{{ parameters.beta }}' } });
  await scene.run('resolvePipelineSource', ref);
  await expect(scene.run('preparePipelineTraining', ref)).rejects.toEqual(
    failure(
      'SpecInvalid',
      'unknown placeholder "parameters.beta", known are pipeline, run, version, commit, parameters.alpha',
    ),
  );
  await scene.toolchains.remove('ml-toolchain');
  await expect(scene.run('preparePipelineTraining', await scene.again(ref))).rejects.toEqual(failure('SpecInvalid'));
});

test('steps of a generation that is not the current one write nothing', async () => {
  await scene.createPipeline();
  const old = await scene.openRun();
  await scene.run('resolvePipelineSource', old);
  await scene.again(old);
  const before = await scene.pipelineRuns.get('wine-1');
  const stale = { code: 'stale_generation' };
  await expect(scene.run('resolvePipelineSource', old)).rejects.toMatchObject(stale);
  await expect(scene.run('preparePipelineTraining', old)).rejects.toMatchObject(stale);
  await expect(scene.run('concludePipelineTraining', { ref: old })).rejects.toMatchObject(stale);
  expect(await scene.pipelineRuns.get('wine-1')).toEqual(before);
  expect(await scene.trainings.list()).toEqual([]);
});

test('a worker is known to live while a repository is slow', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  const attempt = newAttempt();
  let beats = 0;
  attempt.on('heartbeat', () => (beats += 1));
  let release = (): void => {};
  const held = new Promise<void>((done) => (release = done));
  const { connections } = scene;
  const slow = { ...connections, get: async (id: string) => (await held, connections.get(id)) };
  const other = await createPipelineScene({ ...scene, connections: slow });
  const resolving = other.run('resolvePipelineSource', ref, attempt);
  for (const deadline = Date.now() + 120_000; beats === 0 && Date.now() < deadline;) {
    await new Promise((done) => setTimeout(done, 50));
  }
  release();
  expect(await resolving).toBe(scene.commit);
  expect(beats).toBeGreaterThan(0);
  await other.close();
});
