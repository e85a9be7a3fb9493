import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createTriggers } from '../../../activities/pipeline/triggers.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { type Pipeline, PipelineSpec } from '../../../lifecycle/kinds/pipeline.js';
import type { Drift } from '../../../lifecycle/stores/feedback-meter.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createTriggeredRuns } from '../../../lifecycle/stores/triggered-runs.js';
import { createAudit } from '../../../platform/stores/audit.js';
import { createPipelineRuns } from '../../../lifecycle/stores/pipeline-runs.js';
import { createResources } from '../../../notifications/stores/resources.js';

const AT = '2026-01-01T00:00:00.000Z';

/** One pipeline with these triggers; the meter answers what the test sets. */
async function createScene(configured: object) {
  const database = createMemoryDatabase();
  const pipelines = createResources<Pipeline>({ database, kind: 'ModelPipeline' });
  const pipelineRuns = createResources<PipelineRun>({ database, kind: 'PipelineRun' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const clock = { now: new Date(AT) };
  const now = () => clock.now;
  const pipelineRunStore = createPipelineRuns({ pipelines, pipelineRuns, now, newId: randomUUID });
  const objects = createMemoryObjects();
  const feedback = { total: 7 };
  const drift: Drift = { error: undefined, samples: 0, orphaned: 0, dropped: 0 };
  const made = { createdAt: AT, updatedAt: AT, createdBy: 'ann', updatedBy: 'ann', generation: 1, revision: 1 };
  const training = { model: { name: 'wine' }, data: [{ connection: 'bucket', localPath: 'data' }] };
  const pipeline = await pipelines.insert({
    ...{ ...made, kind: 'ModelPipeline', id: 'wine', uid: randomUUID() },
    spec: PipelineSpec.parse({ training, triggers: configured }),
    status: { lastRun: 0, positions: {} },
  });
  const spec = { type: 'object-store', uri: 'gs://bucket', description: '' } as Connection['spec'];
  await connections.insert({ ...made, kind: 'Connection', id: 'bucket', uid: randomUUID(), spec, status: {} });
  const audit = createAudit({ database });
  const quota = { isReached: false };
  const quotas = {
    reserve: async () => {
      if (quota.isReached) throw new SlipwayError('quota_exceeded', 'the quota of one owner is 1 jobs: 1 in use');
      return () => {};
    },
  };
  const triggeredRuns = createTriggeredRuns({ pipelines, pipelineRunStore, quotas, audit, now });
  const triggers = createTriggers({
    ...{ pipelines, pipelineRunStore, triggeredRuns, connections, objects, now },
    ...{
      openStore: async () => objects,
      openSecret: () => '',
      bucketRules: { ambientBuckets: [], closedFolders: [] },
      localRoots: [],
    },
    feedbackMeter: {
      // A time means the beginning of the test.
      countSince: async (_model, since) => {
        const from = typeof since === 'number' ? since : 7;
        return { count: feedback.total - from, position: feedback.total };
      },
      drift: async () => drift,
    },
  });
  const end = (id: string) =>
    pipelineRuns.update(id, (run) => ({ ...run, status: { ...run.status, state: 'succeeded' } }));
  const denials = async () => (await audit.list({ action: 'denied' }, { limit: 10 })).records;
  const newest = vi.spyOn(pipelineRunStore, 'newest');
  const check = async () => triggers.check((await pipelines.get('wine')) ?? pipeline);
  return {
    check,
    checkOld: () => triggers.check(pipeline),
    newest,
    feedback,
    drift,
    objects,
    clock,
    end,
    pipelines,
    quota,
    denials,
  };
}

test('feedback counts from the pipeline on, and starts a run once for so many records', async () => {
  const { check, feedback, end } = await createScene({ feedback: { records: 3 } });
  expect(await check()).toBeUndefined();
  feedback.total += 2;
  expect(await check()).toBeUndefined();
  feedback.total += 2;
  const run = await check();
  expect(run?.spec.trigger).toEqual({
    type: 'feedback',
    at: AT,
    message: '4 new feedback records of model wine',
    position: '11',
  });
  await end('wine-1');
  expect(await check()).toBeUndefined();
  feedback.total += 3;
  expect((await check())?.id).toBe('wine-2');
});

test('a look that finds no cause reads no run, and one at an old list starts no second run', async () => {
  const { check, checkOld, feedback, newest, pipelines, end } = await createScene({ feedback: { records: 3 } });
  expect(await check()).toBeUndefined();
  expect(newest).not.toHaveBeenCalled();
  feedback.total += 3;
  await check();
  await end('wine-1');
  expect(await checkOld()).toBeUndefined();
  expect((await pipelines.get('wine'))?.status.positions).toEqual({ feedback: '10' });
});

test('feedback that comes while a run goes on counts when it has ended', async () => {
  const { check, feedback, end } = await createScene({ feedback: { records: 3 } });
  await check();
  feedback.total += 3;
  await check();
  feedback.total += 3;
  expect(await check()).toBeUndefined();
  await end('wine-1');
  expect((await check())?.spec.trigger.message).toBe('3 new feedback records of model wine');
});

test('drift starts a run above its limit, with enough records, and again only after a whole window', async () => {
  const drift = { measure: 'mean-absolute-error', limit: 0.5, truth: '/truth', samples: 10, windowSeconds: 600 };
  const scene = await createScene({ drift });
  Object.assign(scene.drift, { error: 0.9, samples: 9 });
  expect(await scene.check()).toBeUndefined();
  Object.assign(scene.drift, { error: 0.5, samples: 10 });
  expect(await scene.check()).toBeUndefined();
  Object.assign(scene.drift, { error: 0.9, samples: 10 });
  expect((await scene.check())?.spec.trigger).toMatchObject({
    type: 'drift',
    message: 'mean-absolute-error is 0.9 over 10 records, above 0.5',
  });
  await scene.end('wine-1');
  expect(await scene.check()).toBeUndefined();
  scene.clock.now = new Date(Date.parse(AT) + 600_000);
  expect((await scene.check())?.id).toBe('wine-2');
});

test('data start a run when an object is written, added or removed, and not before', async () => {
  const { check, objects, end } = await createScene({ data: true });
  await objects.put('a.csv', '1');
  expect(await check()).toBeUndefined();
  expect(await check()).toBeUndefined();
  await objects.put('a.csv', '2');
  expect((await check())?.spec.trigger).toMatchObject({ type: 'data', message: 'the data of the training changed' });
  await end('wine-1');
  expect(await check()).toBeUndefined();
  await objects.put('b.csv', '1');
  expect((await check())?.id).toBe('wine-2');
  await end('wine-2');
  await objects.remove('b.csv');
  expect((await check())?.id).toBe('wine-3');
});

test('a pipeline without such triggers is left alone', async () => {
  const { check, feedback, pipelines } = await createScene({});
  await check();
  feedback.total += 1_000;
  expect(await check()).toBeUndefined();
  expect((await pipelines.get('wine'))?.revision).toBe(1);
});

test('a run beyond the quota is refused where it is seen, once, and made when there is room', async () => {
  const { check, feedback, pipelines, quota, denials } = await createScene({ feedback: { records: 3 } });
  await check();
  feedback.total = 10;
  quota.isReached = true;
  for (let round = 0; round < 3; round += 1) await expect(check()).rejects.toMatchObject({ code: 'quota_exceeded' });
  const message = 'the quota of one owner is 1 jobs: 1 in use';
  expect((await pipelines.get('wine'))?.status).toMatchObject({
    lastRun: 0,
    refused: { trigger: 'feedback', message },
  });
  expect(await denials()).toEqual([
    expect.objectContaining({
      ...{ user: { sub: 'ann' }, kind: 'ModelPipeline', entityId: 'wine' },
      changes: [{ path: 'triggers.feedback', from: null, to: message }],
    }),
  ]);
  quota.isReached = false;
  expect((await check())?.id).toBe('wine-1');
  expect((await pipelines.get('wine'))?.status.refused).toBeUndefined();
});
