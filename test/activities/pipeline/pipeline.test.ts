import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteStep } from '../../../activities/pipeline/pipeline-steps.js';
import { toRef } from '../../../platform/kinds/generation.js';
import type { Approval } from '../../../lifecycle/kinds/pipeline-run.js';
import { newTraining } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
});
afterEach(() => scene.close());

const trigger = { type: 'api', at: '2026-03-01T00:00:00.000Z' } as const;
const AT = '2026-03-01T00:00:00.000Z';
const failure = (reason: string, message?: string) =>
  expect.objectContaining({ detail: expect.objectContaining({ reason }), ...(message && { message }) });

test('a claim says which steps there are, and can be repeated while the run goes on', async () => {
  const gates = { metrics: [{ metric: 'rmse', max: 1 }], approval: { required: true, timeoutSeconds: 60 } };
  await scene.createPipeline({ gates });
  const ref = await scene.openRun();
  expect(await scene.run('claimPipelineRun', ref)).toMatchObject({
    ...{ pipeline: 'wine', number: 1, trigger: 'api', modelName: 'wine', packaging: true, deployment: true },
    gates: { metrics: true, heldOut: false, approvalSeconds: 60 },
  });
  expect(await scene.statusOf(ref)).toMatchObject({
    ...{ state: 'running', workflowId: 'run/wine-1', startedAt: expect.any(String) },
    transitions: [{ state: 'unknown' }, { state: 'scheduling' }, { state: 'running' }],
  });
  expect(await scene.statusOf(ref)).not.toHaveProperty('podName');
});

test('an approval that was stored as not required beside its roles is waited for', async () => {
  await scene.createPipeline({ gates: { approval: { roles: ['admin'], required: false, timeoutSeconds: 60 } } });
  const plan = await scene.run('claimPipelineRun', await scene.openRun());
  expect(plan.gates).toMatchObject({ approvalSeconds: 60 });
});

test('the start of a run that no request made has one audit record with its cause', async () => {
  const trigger = { type: 'data', at: AT, message: 'the data of the training changed' } as const;
  await scene.createPipeline({});
  const run = await scene.pipelineRunStore.open('wine', { trigger });
  const ref = toRef(run);
  for (let attempt = 0; attempt < 2; attempt += 1) await scene.run('claimPipelineRun', ref);
  const { records } = await scene.audit.list({ kind: 'PipelineRun' }, { limit: 9 });
  expect(records).toEqual([
    expect.objectContaining({
      ...{ action: 'create', entityId: run.id, user: { sub: run.createdBy }, requestId: `data ${AT}` },
      changes: [{ path: 'spec.trigger', from: null, to: trigger }],
    }),
  ]);
});

test('a claim that ended right behind its audit record is repeated without a second one', async () => {
  await scene.createPipeline({});
  const ref = toRef(await scene.pipelineRunStore.open('wine', { trigger: { type: 'data', at: AT } }));
  const append = scene.audit.append.bind(scene.audit);
  vi.spyOn(scene.audit, 'append').mockImplementationOnce(async (record) => {
    await append(record);
    throw new Error('the database does not answer');
  });
  await expect(scene.run('claimPipelineRun', ref)).rejects.toThrow('does not answer');
  const opened = await scene.pipelineRuns.get(ref.id);
  const list = vi.spyOn(scene.audit, 'list');
  await scene.run('claimPipelineRun', ref);
  expect((await scene.audit.list({ kind: 'PipelineRun' }, { limit: 9 })).records).toHaveLength(1);
  // It reads back to the first claim, however long the run had waited for it.
  const claimedAt = opened?.status.transitions.find(({ state }) => state === 'scheduling')?.at ?? '';
  const from = new Date(Date.parse(claimedAt) - 10_000).toISOString();
  expect(list.mock.calls[0]).toEqual([expect.objectContaining({ from }), { limit: 1 }]);
});

test('the first claim of a run reads nothing of the audit log', async () => {
  await scene.createPipeline({});
  const ref = toRef(await scene.pipelineRunStore.open('wine', { trigger: { type: 'data', at: AT } }));
  const list = vi.spyOn(scene.audit, 'list');
  await scene.run('claimPipelineRun', ref);
  expect(list).not.toHaveBeenCalled();
});

test('a pipeline may have no more than a training', async () => {
  await scene.createPipeline({ packaging: {}, deployment: {} });
  const plan = await scene.run('claimPipelineRun', await scene.openRun());
  expect(plan).toMatchObject({ packaging: false, deployment: false });
  expect(plan.gates).toEqual({ metrics: false, heldOut: false });
});

test('a run that was canceled before it began does not begin', async () => {
  await scene.createPipeline();
  const opened = await scene.pipelineRunStore.open('wine', { trigger });
  await scene.pipelineRuns.update('wine-1', (run) => ({ ...run, cancelRequestedAt: AT }));
  await expect(scene.run('claimPipelineRun', toRef(opened))).rejects.toEqual(failure('Cancelled'));
});

test('of a retry and a new run at the same moment, at most one goes on', async () => {
  await scene.createPipeline();
  const first = await scene.openRun();
  await scene.end(first, true);
  const second = toRef(await scene.pipelineRunStore.open('wine', { trigger }));
  // The retry read the list of runs before the new one was there.
  const retried = await scene.pipelineRuns.update('wine-1', (run) => ({
    ...run,
    generation: 2,
    status: { ...run.status, state: 'unknown' },
  }));
  await expect(scene.run('claimPipelineRun', toRef(retried))).rejects.toEqual(
    failure('Conflict', 'run wine-2 of the pipeline was started beside it'),
  );
  await expect(scene.run('claimPipelineRun', second)).rejects.toEqual(
    failure('Conflict', 'run wine-1 of the pipeline was started beside it'),
  );
});

test('one turn of a schedule is one run, however often it is asked for', async () => {
  await scene.createPipeline();
  const turn = { pipelineId: 'wine', key: 'turn-1', at: '2026-03-02T00:00:00.000Z' };
  const opened = await scene.run('openScheduledRun', turn);
  expect(opened).toEqual({ run: { id: 'wine-1', uid: expect.any(String), generation: 1 }, why: '' });
  expect(await scene.run('openScheduledRun', turn)).toEqual(opened);
  expect((await scene.pipelineRuns.get('wine-1'))?.spec.trigger).toEqual({
    ...{ type: 'schedule', key: 'turn-1', at: '2026-03-02T00:00:00.000Z' },
  });
  expect(await scene.run('openScheduledRun', { pipelineId: 'wine', key: 'turn-2' })).toEqual({
    why: 'run wine-1 of the pipeline has not finished yet; wait for its end or cancel it',
  });
  await scene.run('openScheduledRun', { pipelineId: 'wine', key: 'turn-2' });
  expect(await scene.events()).toEqual([
    'pipeline.definition.created',
    'pipeline.schedule.run_started',
    'pipeline.schedule.run_skipped',
  ]);
});

test('a schedule whose pipeline is gone goes too', async () => {
  expect(await scene.run('openScheduledRun', { pipelineId: 'gone', key: 'k' })).toEqual({
    why: 'entity "gone" is not found',
  });
  expect(scene.signals).toEqual(['unschedule gone']);
});

const approval = (decision: Approval['decision']): Approval => ({ decision, by: 'ann', at: AT, reason: 'because' });

test('a decision is stored in the run, also when it is recorded twice', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('beginPipelineApproval', ref);
  expect(await scene.stepOf(ref, 'approval')).toMatchObject({ state: 'waiting' });
  expect(await scene.stepOf(ref, 'approval')).not.toHaveProperty('finishedAt');
  await scene.run('recordPipelineApproval', { ref, approval: approval('approved') });
  await scene.run('recordPipelineApproval', { ref, approval: approval('approved') });
  expect(await scene.stepOf(ref, 'approval')).toMatchObject({ state: 'succeeded', finishedAt: expect.any(String) });
  expect((await scene.statusOf(ref)).approval).toEqual(approval('approved'));
});

test('a rejection fails its step', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('beginPipelineApproval', ref);
  await scene.run('recordPipelineApproval', { ref, approval: approval('rejected') });
  expect(await scene.stepOf(ref, 'approval')).toMatchObject({
    ...{ state: 'failed', reason: 'Rejected', message: 'rejected by ann: because' },
  });
});

test('a decision on a run that has ended, or of an older generation, is refused', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('beginPipelineApproval', ref);
  await scene.end(ref, true);
  const decide = () => scene.run('recordPipelineApproval', { ref, approval: approval('approved') });
  await expect(decide()).rejects.toMatchObject({ code: 'not_waiting' });
  await scene.again(ref);
  await expect(decide()).rejects.toMatchObject({ code: 'stale_generation' });
  expect((await scene.statusOf(ref)).approval).toBeUndefined();
});

test('a failure ends the step that was under way', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  await scene.run('preparePipelineTraining', ref);
  const input = { ref, failure: { reason: 'Timeout', message: 'the step did not end in time' } } as const;
  await scene.run('recordPipelineFailed', input);
  await scene.run('recordPipelineFailed', input);
  const status = await scene.statusOf(ref);
  expect(status).toMatchObject({ state: 'failed', reason: 'Timeout', finishedAt: expect.any(String) });
  expect(status.steps.map(({ name, state, reason }) => [name, state, reason])).toEqual([
    ['resolve', 'succeeded', undefined],
    ['training', 'failed', 'Timeout'],
  ]);
});

test('an end that comes late changes nothing', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.end(ref);
  await scene.end(ref, true);
  expect((await scene.statusOf(ref)).state).toBe('succeeded');
  const next = await scene.again(ref);
  await scene.end(ref, true);
  await expect(scene.end(ref)).rejects.toMatchObject({ code: 'stale_generation' });
  expect((await scene.statusOf(next)).state).toBe('running');
});

test('a child that another caller started gets a signal with its generation and is awaited', async () => {
  const child = toRef(await scene.trainings.insert(newTraining('wine-1')));
  const waiting = scene.run('awaitPipelineChild', { kind: 'training', child });
  await sleep(30);
  await scene.trainings.update('wine-1', (current) => ({ ...current, status: { ...current.status, state: 'failed' } }));
  await waiting;
  expect(scene.signals).toEqual(['changed training/wine-1 1']);
});

test('a child that has ended, is gone or is another one is not waited for', async () => {
  const child = toRef(await scene.trainings.insert(newTraining('wine-1')));
  await scene.trainings.update('wine-1', (current) => ({ ...current, generation: 2 }));
  await scene.run('awaitPipelineChild', { kind: 'training', child });
  await scene.trainings.remove('wine-1');
  await scene.run('awaitPipelineChild', { kind: 'training', child });
  await scene.run('awaitPipelineChild', { kind: 'packaging', child });
  await scene.run('awaitPipelineChild', { kind: 'pipeline', child });
  expect(scene.signals).toEqual([]);
});

test.each(['CANCELLED', 'WORKER_SHUTDOWN', 'TIMED_OUT'] as const)('the wait for a child ends with %s', async (why) => {
  const child = toRef(await scene.trainings.insert(newTraining('wine-1')));
  const attempt = newAttempt();
  const waiting = scene.run('awaitPipelineChild', { kind: 'training', child }, attempt);
  attempt.cancel(why);
  await expect(waiting).rejects.toThrow();
});

test('only children that would continue without their run are canceled', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.train(ref);
  await scene.run('preparePipelinePackaging', ref);
  scene.signals.length = 0;
  await scene.run('cancelPipelineChildren', ref);
  await scene.run('cancelPipelineChildren', ref);
  expect((await scene.packagings.get('wine-1'))?.cancelRequestedAt).toBeDefined();
  expect((await scene.trainings.get('wine-1'))?.cancelRequestedAt).toBeUndefined();
  const once = ['changed packaging/wine-1 1', 'cancel packaging/wine-1 1'];
  expect(scene.signals).toEqual([...once, ...once]);
});

test('a second start of a run that has ended cancels no child', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  await scene.run('preparePipelineTraining', ref);
  await scene.end(ref, true);
  await scene.run('cancelPipelineChildren', ref);
  expect((await scene.trainings.get('wine-1'))?.cancelRequestedAt).toBeUndefined();
});

test("a person's training of the same id is not canceled with the run", async () => {
  await scene.createPipeline();
  await scene.trainings.insert(newTraining('wine-1'));
  const ref = await scene.openRun();
  await scene.run('cancelPipelineChildren', ref);
  expect((await scene.trainings.get('wine-1'))?.cancelRequestedAt).toBeUndefined();
  expect(scene.signals).toEqual([]);
});

test('a step that begins again keeps its place and its first beginning, and nothing of how it ended', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  const at = (minute: number) => ({ ...scene, now: () => new Date(Date.UTC(2026, 0, 1, 0, minute)) });
  await noteStep(at(1), ref, 'resolve', { state: 'succeeded' });
  await noteStep(at(2), ref, 'training', { state: 'failed', reason: 'Timeout', message: 'late', child: 'training/x' });
  await noteStep(at(3), ref, 'resolve', { state: 'running' });
  expect((await scene.statusOf(ref)).steps).toEqual([
    { name: 'resolve', state: 'running', startedAt: '2026-01-01T00:01:00.000Z' },
    expect.objectContaining({ name: 'training', finishedAt: '2026-01-01T00:02:00.000Z' }),
  ]);
  await noteStep(at(4), ref, 'resolve', { state: 'succeeded' });
  await noteStep(at(5), ref, 'resolve', {}, { commit: 'c0ffee' });
  expect(await scene.statusOf(ref)).toMatchObject({
    commit: 'c0ffee',
    steps: [{ name: 'resolve', state: 'succeeded', finishedAt: '2026-01-01T00:04:00.000Z' }, { name: 'training' }],
  });
});

test('the pipeline of a run may change: the run keeps what it was started with', async () => {
  await scene.createPipeline();
  const ref = await scene.openRun();
  await scene.pipelines.update('wine', (current) => ({
    ...current,
    spec: { ...current.spec, training: { ...current.spec.training, entrypoint: 'other' } },
  }));
  await scene.run('resolvePipelineSource', ref);
  await scene.run('preparePipelineTraining', ref);
  expect((await scene.trainings.get('wine-1'))?.spec.entrypoint).toBe('main');
});
