import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunRef } from '../../../platform/kinds/ids.js';
import type { DeploymentSpec } from '../../../lifecycle/kinds/deployment.js';
import { newDeployment } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
});
afterEach(() => scene.close());

const FORMER: Partial<DeploymentSpec> = {
  image: 'former:1',
  predictor: 'platform-ml-server',
  minReplicas: 1,
  maxReplicas: 1,
};
const failure = (reason: string, message?: string) =>
  expect.objectContaining({ detail: expect.objectContaining({ reason }), ...(message && { message }) });

/** A run whose image is pushed, and a deployment that serves another one. */
async function packedRun(changes: object = {}): Promise<RunRef> {
  await scene.deployments.insert(newDeployment('wine', FORMER));
  return packed(changes);
}
async function packed(changes: object = {}): Promise<RunRef> {
  await scene.createPipeline(changes);
  const ref = await scene.openRun();
  await scene.train(ref);
  await scene.pack(ref);
  return ref;
}
const deployment = async () => {
  const found = await scene.deployments.get('wine');
  if (found === undefined) throw new Error('there is no deployment');
  return found;
};
const served = () => scene.signals.filter((line) => line.includes('deployment/'));

test('the deployment gets the image as a new generation, and its workflow hears of it', async () => {
  const ref = await packedRun({
    deployment: { id: 'wine', spec: { predictor: 'platform-ml-server', maxReplicas: 3 } },
  });
  const { image, imageDigest } = await scene.statusOf(ref);
  const target = await scene.run('applyPipelineDeployment', ref);
  expect(target).toMatchObject({ id: 'wine', generation: 2 });
  const pinned = `${image}@${imageDigest}`;
  expect((await deployment()).spec).toMatchObject({ image: pinned, maxReplicas: 3, roleName: 'role-wine' });
  expect((await deployment()).status.state).toBe('Processing');
  expect(await scene.statusOf(ref)).toMatchObject({ deployed: { id: 'wine', generation: 2, previous: FORMER } });
  expect(await scene.stepOf(ref, 'deployment')).toMatchObject({ state: 'running', child: 'deployment/wine' });
  expect(served()).toEqual(['changed deployment/wine 2']);
});

test('a deployment that is not there is made', async () => {
  const ref = await packed();
  const target = await scene.run('applyPipelineDeployment', ref);
  expect(target.generation).toBe(1);
  expect(await deployment()).toMatchObject({ createdBy: 'ada', generation: 1, status: { state: 'Processing' } });
  expect((await scene.statusOf(ref)).deployed).toEqual({ id: 'wine', generation: 1 });
});

test('a repeat changes nothing more, and still knows what served before', async () => {
  const ref = await packedRun();
  const first = await scene.run('applyPipelineDeployment', ref);
  expect(await scene.run('applyPipelineDeployment', ref)).toEqual(first);
  expect((await scene.statusOf(ref)).deployed).toMatchObject({ generation: 2, previous: FORMER });
  expect(served()).toEqual(['changed deployment/wine 2', 'changed deployment/wine 2']);
});

test('an attempt that dies between its note and the change leaves what serves alone, and the next one goes on', async () => {
  const { deployments } = scene;
  const dead = { ...deployments, update: async () => Promise.reject(new Error('the process died here')) };
  const ref = await packedRun();
  const dying = await createPipelineScene({ ...scene, deployments: dead });
  await expect(dying.run('applyPipelineDeployment', ref)).rejects.toThrow('the process died here');
  await dying.close();
  expect((await deployment()).generation).toBe(1);
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).generation).toBe(1);
  expect((await scene.run('applyPipelineDeployment', ref)).generation).toBe(2);
});

test('a person who changes the deployment at the same moment is not overwritten unseen', async () => {
  const { deployments } = scene;
  const ref = await packedRun();
  const theirs = { ...FORMER, image: 'theirs:1' } as DeploymentSpec;
  let raced = false;
  const racing = {
    ...deployments,
    update: async (id: string, change: Parameters<typeof deployments.update>[1]) => {
      if (!raced) {
        raced = true;
        await deployments.update(id, (current) => ({ ...current, generation: 2, spec: theirs }));
      }
      return deployments.update(id, change);
    },
  };
  const other = await createPipelineScene({ ...scene, deployments: racing });
  expect((await other.run('applyPipelineDeployment', ref)).generation).toBe(3);
  await other.close();
  // A failure restores the spec of the other author.
  expect((await scene.statusOf(ref)).deployed).toMatchObject({ generation: 3, previous: theirs });
});

test('the same spec again is the same generation, unless it failed', async () => {
  const first = await packedRun();
  await scene.run('applyPipelineDeployment', first);
  await scene.settleDeployment('wine', 'Ready');
  await scene.end(first);
  const second = await scene.openRun();
  await scene.train(second);
  await scene.pack(second);
  expect((await scene.run('applyPipelineDeployment', second)).generation).toBe(2);
  expect((await scene.statusOf(second)).deployed).toEqual({ id: 'wine', generation: 2 });
  await scene.settleDeployment('wine', 'Failed');
  await scene.end(second);
  const third = await scene.openRun();
  await scene.train(third);
  await scene.pack(third);
  expect((await scene.run('applyPipelineDeployment', third)).generation).toBe(3);
  // There is nothing to go back to.
  expect((await scene.statusOf(third)).deployed).toEqual({ id: 'wine', generation: 3 });
});

test('a deployment that is being deleted is a conflict', async () => {
  const ref = await packedRun();
  await scene.deployments.update('wine', (current) => ({ ...current, deletionMark: true }));
  await expect(scene.run('applyPipelineDeployment', ref)).rejects.toEqual(
    failure('Conflict', 'deployment wine is being deleted'),
  );
});

test('a late attempt of a run that has ended, or of an older generation, deploys nothing', async () => {
  const ref = await packedRun();
  await scene.end(ref, true);
  await expect(scene.run('applyPipelineDeployment', ref)).rejects.toMatchObject({ code: 'stale_generation' });
  await scene.again(ref);
  await expect(scene.run('applyPipelineDeployment', ref)).rejects.toMatchObject({ code: 'stale_generation' });
  expect((await deployment()).generation).toBe(1);
});

test('the run waits until its own generation serves', async () => {
  const ref = await packedRun();
  const target = await scene.run('applyPipelineDeployment', ref);
  const waiting = scene.run('awaitPipelineDeployment', { ref, target });
  await sleep(30);
  await scene.settleDeployment('wine', 'Ready');
  await waiting;
  expect(await scene.stepOf(ref, 'deployment')).toMatchObject({ state: 'succeeded', finishedAt: expect.any(String) });
});

test.each([
  ['ProbeFailed', 'failed'],
  ['NoCapacity', 'failed'],
  ['Internal', 'failed'],
  ['RolledBack', 'was rolled back'],
] as const)(
  'a deployment that failed with %s ends the run with its words, and is not asked twice',
  async (reason, how) => {
    const ref = await packedRun();
    const target = await scene.run('applyPipelineDeployment', ref);
    await scene.settleDeployment('wine', 'Failed', { reason, message: 'no replica came up' });
    const message = `deployment wine ${how}: no replica came up`;
    await expect(scene.run('awaitPipelineDeployment', { ref, target })).rejects.toMatchObject({
      ...{ type: 'run_failed', nonRetryable: true },
      details: [{ reason, message }],
    });
  },
);

test('a deployment that was changed, marked or removed while it started is a conflict', async () => {
  const ref = await packedRun();
  const target = await scene.run('applyPipelineDeployment', ref);
  const conflict = { details: [expect.objectContaining({ reason: 'Conflict' })] };
  const wait = () => scene.run('awaitPipelineDeployment', { ref, target });
  await scene.deployments.update('wine', (current) => ({ ...current, deletionMark: true }));
  await expect(wait()).rejects.toMatchObject(conflict);
  await scene.deployments.update('wine', (current) => ({ ...current, deletionMark: undefined, generation: 3 }));
  await expect(wait()).rejects.toMatchObject(conflict);
  await scene.deployments.remove('wine');
  await expect(wait()).rejects.toMatchObject(conflict);
});

test.each(['CANCELLED', 'WORKER_SHUTDOWN', 'TIMED_OUT'] as const)(
  'the wait ends with %s, and changes nothing',
  async (why) => {
    const ref = await packedRun();
    const target = await scene.run('applyPipelineDeployment', ref);
    const attempt = newAttempt();
    const waiting = scene.run('awaitPipelineDeployment', { ref, target }, attempt);
    attempt.cancel(why);
    await expect(waiting).rejects.toThrow();
    expect((await deployment()).generation).toBe(2);
    expect((await scene.stepOf(ref, 'deployment'))?.state).toBe('running');
  },
);

test('after a failure the former spec comes back, once, as a new generation', async () => {
  const ref = await packedRun();
  await scene.run('applyPipelineDeployment', ref);
  await scene.settleDeployment('wine', 'Failed');
  await scene.run('restorePipelineDeployment', ref);
  await scene.run('restorePipelineDeployment', ref);
  expect(await deployment()).toMatchObject({ generation: 3, spec: FORMER, status: { state: 'Processing' }, atOnce: 3 });
  expect(served().at(-1)).toBe('changed deployment/wine 3');
});

test('a deployment that another caller changed since is not restored', async () => {
  const ref = await packedRun();
  await scene.run('applyPipelineDeployment', ref);
  await scene.deployments.update('wine', (current) => ({ ...current, generation: 3 }));
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).generation).toBe(3);
  await scene.deployments.remove('wine');
  await scene.run('restorePipelineDeployment', ref);
  // Another caller created it again, and it has the generation that the run wrote.
  await scene.deployments.insert({ ...newDeployment('wine', { image: 'theirs:1' }), generation: 2 });
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).spec.image).toBe('theirs:1');
  expect(served()).toEqual(['changed deployment/wine 2']);
});

test.each([false, true])('a second start of a run that has ended (failed: %j) takes nothing back', async (failed) => {
  const ref = await packedRun();
  const target = await scene.run('applyPipelineDeployment', ref);
  await scene.settleDeployment('wine', 'Ready');
  await scene.run('awaitPipelineDeployment', { ref, target });
  await scene.end(ref, failed);
  await expect(scene.run('claimPipelineRun', ref)).rejects.toMatchObject({ code: 'stale_generation' });
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).generation).toBe(2);
});

test('where the pipeline says keep, or nothing served before, there is nothing to restore', async () => {
  const ref = await packedRun({ onFailure: 'keep' });
  await scene.run('restorePipelineDeployment', ref);
  await scene.run('applyPipelineDeployment', ref);
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).generation).toBe(2);
});

test('a first deployment that failed stays, to be looked at', async () => {
  const ref = await packed();
  await scene.run('applyPipelineDeployment', ref);
  await scene.settleDeployment('wine', 'Failed');
  await scene.run('restorePipelineDeployment', ref);
  expect((await deployment()).generation).toBe(1);
});

test('a deployment that a run makes impossible ends it with a reason', async () => {
  const parameters = { alpha: '1', server: 'platform-ml-server' };
  const ref = await packed({ parameters, deployment: { id: 'wine', spec: { predictor: '{{ parameters.server }}' } } });
  await scene.pipelineRuns.update('wine-1', (run) => ({
    ...run,
    spec: { ...run.spec, parameters: { ...run.spec.parameters, server: 'abacus' } },
  }));
  await expect(scene.run('applyPipelineDeployment', ref)).rejects.toEqual(failure('SpecInvalid'));
});

test('the run of its pipeline changes a protected deployment and leaves it protected', async () => {
  const ref = await packedRun();
  const { pipeline } = (await scene.pipelineRuns.get(ref.id))?.spec ?? {};
  const protect = (owner: string | undefined) =>
    scene.deployments.update('wine', (each) => ({ ...each, spec: { ...each.spec, protected: true, pipeline: owner } }));
  for (const owner of ['release', undefined]) {
    await protect(owner);
    await expect(scene.run('applyPipelineDeployment', ref)).rejects.toThrow(failure('Protected'));
    expect((await deployment()).generation).toBe(1);
  }
  await protect(pipeline);
  await scene.run('applyPipelineDeployment', ref);
  expect(await deployment()).toMatchObject({ generation: 2, spec: { protected: true, pipeline } });
});

test('a template that protects gives the deployment to its pipeline', async () => {
  const ref = await packed({ deployment: { id: 'wine', spec: { predictor: 'platform-ml-server', protected: true } } });
  await scene.run('applyPipelineDeployment', ref);
  const { pipeline } = (await scene.pipelineRuns.get(ref.id))?.spec ?? {};
  expect((await deployment()).spec).toMatchObject({ protected: true, pipeline });
});
