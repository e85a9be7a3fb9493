import { afterEach, expect, test } from 'vitest';
import { limitsOf } from '../../../lifecycle/kinds/quota.js';
import type { Holding } from '../../../lifecycle/kinds/quota.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createAudit } from '../../../platform/stores/audit.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
afterEach(() => scene.close());

/** Refuses what `isFull` says; the limits are never asked for. */
async function open(isFull: (wanted: Holding) => boolean) {
  const audit = createAudit({ database: createMemoryDatabase() });
  const reserve = async (wanted: Holding) => {
    if (isFull(wanted)) throw new SlipwayError('quota_exceeded', `no room for ${wanted.kind}`);
    return () => {};
  };
  const quotas = {
    reserve,
    holdings: async () => [],
    include: () => {},
    limits: limitsOf({ owner: {}, installation: {} }),
  };
  scene = await createPipelineScene({ quotas, audit });
  await scene.createPipeline();
  return async () => (await audit.list({ action: 'denied' }, { limit: 10 })).records;
}
const exceeded = expect.objectContaining({ detail: expect.objectContaining({ reason: 'QuotaExceeded' }) });

test('the training of a run is refused before it is stored', async () => {
  const denials = await open(({ kind }) => kind === 'ModelTraining');
  const ref = await scene.openRun();
  await scene.run('resolvePipelineSource', ref);
  await expect(scene.run('preparePipelineTraining', ref)).rejects.toThrow(exceeded);
  expect(await scene.trainings.get(ref.id)).toBeUndefined();
  const change = { path: 'quota', from: null, to: 'no room for ModelTraining' };
  expect(await denials()).toEqual([expect.objectContaining({ entityId: ref.id, changes: [change] })]);
});

test('the deployment of a run is refused, and what serves stays', async () => {
  const denials = await open(({ kind }) => kind === 'ModelDeployment');
  const ref = await scene.openRun();
  await scene.train(ref);
  await scene.pack(ref);
  await expect(scene.run('applyPipelineDeployment', ref)).rejects.toThrow(exceeded);
  expect(await scene.deployments.get('wine')).toBeUndefined();
  expect(await denials()).toHaveLength(1);
});

test('the turn of a schedule says why it made no run', async () => {
  const denials = await open(({ kind }) => kind === 'PipelineRun');
  const opened = await scene.run('openScheduledRun', { pipelineId: 'wine', key: 'turn-1' });
  expect(opened).toEqual({ why: 'no room for PipelineRun' });
  expect(await scene.events()).toContain('pipeline.schedule.run_skipped');
  const refused = { trigger: 'schedule', message: 'no room for PipelineRun' };
  expect((await scene.pipelines.get('wine'))?.status).toMatchObject({ lastRun: 0, refused });
  expect(await denials()).toHaveLength(1);
});
