import { afterEach, beforeEach, expect, test } from 'vitest';
import { judgeLimits } from '../../../activities/pipeline/pipeline-gates.js';
import type { RunRef } from '../../../platform/kinds/ids.js';
import { newDeployment } from '../shared/resources.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
});
afterEach(() => scene.close());

const NEVER = 'metric "r2" was never logged by the training; logged were: ';
// prettier-ignore
const LIMITS = [
  [{ metric: 'rmse', max: 0.5 }, { rmse: 0.5 }, true, 'rmse is 0.5, not above 0.5'],
  [{ metric: 'rmse', max: 0.5 }, { rmse: 0.51 }, false, 'rmse is 0.51, above 0.5'],
  [{ metric: 'rmse', min: 0.5 }, { rmse: 0.5 }, true, 'rmse is 0.5, not below 0.5'],
  [{ metric: 'rmse', min: 0.5 }, { rmse: -1 }, false, 'rmse is -1, below 0.5'],
  [{ metric: 'rmse', min: 0, max: 1 }, { rmse: 0 }, true, 'rmse is 0, not below 0 and not above 1'],
  [{ metric: 'rmse', max: 1 }, { rmse: NaN }, false, 'rmse is NaN, above 1'],
  [{ metric: 'rmse', min: 1 }, { rmse: NaN }, false, 'rmse is NaN, below 1'],
  [{ metric: 'rmse', max: 1 }, { rmse: Infinity }, false, 'rmse is Infinity, above 1'],
  // As it is stored: JSON has neither NaN nor Infinity.
  [{ metric: 'rmse', max: 1 }, { rmse: null }, false, 'metric "rmse" of the training is no finite number'],
  [{ metric: 'rmse', min: -1 }, { rmse: null }, false, 'metric "rmse" of the training is no finite number'],
  [{ metric: 'r2', min: 0 }, { rmse: 1, mae: 2 }, false, `${NEVER}mae, rmse`],
  [{ metric: 'r2', min: 0 }, {}, false, `${NEVER}none at all`],
  [{ metric: 'toString', max: 1 }, {}, false, 'metric "toString" was never logged by the training; logged were: none at all'],
] as const;
test.each(LIMITS)('the gate %j on %j passes: %s', (gate, figures, passed, message) => {
  expect(judgeLimits(gate, figures)).toEqual({ passed, message });
});

const failure = (message: string) =>
  expect.objectContaining({ message, detail: expect.objectContaining({ reason: 'GateFailed' }) });

test('every gate is judged before the run ends, and each says its sentence', async () => {
  const metrics = [
    { metric: 'rmse', max: 1 },
    { metric: 'rmse', max: 0.1 },
    { metric: 'r2', min: 0 },
  ];
  await scene.createPipeline({ gates: { metrics } });
  const ref = await scene.openRun();
  await scene.train(ref, { rmse: 0.5 });
  const message = `rmse is 0.5, above 0.1; ${NEVER}rmse`;
  await expect(scene.run('checkPipelineMetrics', ref)).rejects.toEqual(failure(message));
  // And again, as after a crash.
  await expect(scene.run('checkPipelineMetrics', ref)).rejects.toEqual(failure(message));
  const status = await scene.statusOf(ref);
  expect(status.gates.map(({ gate, passed }) => [gate, passed])).toEqual([
    ['metrics', true],
    ['metrics', false],
    ['metrics', false],
  ]);
  expect(status.steps.at(-1)).toMatchObject({ name: 'metrics', state: 'failed', reason: 'GateFailed', message });
});

const SERVING = { gates: { serving: [{ metric: 'rmse', goal: 'minimize', margin: 0.1 }] } };

/** Run 1 serves: trained with these metrics, packed, deployed and published. */
async function serve(metrics: Parameters<PipelineScene['train']>[1]): Promise<void> {
  const ref = await scene.openRun();
  await scene.train(ref, metrics);
  await scene.pack(ref);
  const target = await scene.run('applyPipelineDeployment', ref);
  await publish(target);
  await scene.end(ref);
}
const publish = ({ id, uid, generation }: RunRef) =>
  scene.endpoints.put(
    {
      ...{ id, uid, generation, roleName: 'r', modelName: 'wine', modelVersion: '1', timeoutSeconds: 1 },
      ...{ feedback: true, replicas: [], info: {} },
    },
    generation,
  );
/** Run 2 is trained with other parameters. */
async function challenge(metrics: Parameters<PipelineScene['train']>[1]): Promise<RunRef> {
  const ref = await scene.openRun({ parameters: { alpha: '0.9' } });
  await scene.train(ref, metrics);
  return ref;
}

test('where nothing serves yet, every model is better', async () => {
  await scene.createPipeline(SERVING);
  const ref = await challenge({ rmse: 99 });
  const message = 'nothing serves as wine yet';
  expect(await scene.run('checkPipelineMetrics', ref)).toEqual([{ gate: 'serving', passed: true, message }]);
  // A deployment that never came up serves nothing.
  await scene.deployments.insert(newDeployment('wine', { image: 'x' }));
  expect(await scene.run('checkPipelineMetrics', ref)).toEqual([{ gate: 'serving', passed: true, message }]);
});

const AGAINST = 'that of training wine-1, which serves now, 0.5';
test('a model must be better than the one that serves, by the margin', async () => {
  await scene.createPipeline(SERVING);
  await serve({ rmse: 0.5 });
  const ref = await challenge({ rmse: 0.25 });
  expect(await scene.run('checkPipelineMetrics', ref)).toEqual([
    { gate: 'serving', passed: true, message: `rmse is 0.25, ${AGAINST}: better by 0.1 or more` },
  ]);
});

test('a model that is not better enough stays out', async () => {
  await scene.createPipeline(SERVING);
  await serve({ rmse: 0.5 });
  await expect(scene.run('checkPipelineMetrics', await challenge({ rmse: 0.45 }))).rejects.toEqual(
    failure(`rmse is 0.45, ${AGAINST}: not better by 0.1`),
  );
});

test('what is better follows the goal', async () => {
  await scene.createPipeline({ gates: { serving: [{ metric: 'r2', goal: 'maximize' }] } });
  await serve({ r2: 0.5 });
  const better = await challenge({ r2: 0.5 });
  expect(await scene.run('checkPipelineMetrics', better)).toMatchObject([{ passed: true }]);
  await scene.end(better);
  await scene.pipelineRuns.update('wine-2', (run) => ({ ...run, status: { ...run.status, state: 'failed' } }));
  const worse = await scene.openRun({ parameters: { alpha: '0.1' } });
  await scene.train(worse, { r2: 0.4 });
  await expect(scene.run('checkPipelineMetrics', worse)).rejects.toThrow(/not better by 0/);
});

test.each([
  [{ mae: 1 }, 'metric "rmse" was never logged by the training; logged were: mae'],
  [{ rmse: null as unknown as number }, 'metric "rmse" of the training is no finite number'],
])('a challenger that logged %j is not better', async (metrics, message) => {
  await scene.createPipeline(SERVING);
  await serve({ rmse: 0.5 });
  await expect(scene.run('checkPipelineMetrics', await challenge(metrics))).rejects.toEqual(failure(message));
});

test('a gate fails when the serving model cannot be determined', async () => {
  await scene.createPipeline(SERVING);
  await serve({ mae: 1 });
  const ref = await challenge({ rmse: 0.1 });
  const sentence = 'metric "rmse" was never logged by training wine-1, which serves now; logged were: mae';
  await expect(scene.run('checkPipelineMetrics', ref)).rejects.toEqual(failure(sentence));

  await scene.packagings.remove('wine-1');
  const { image } = (await scene.deployments.get('wine'))?.spec ?? {};
  await expect(scene.run('checkPipelineMetrics', ref)).rejects.toEqual(
    failure(`image ${image}, which serves now, is of no known training: its metrics cannot be compared`),
  );

  await scene.deployments.update('wine', (current) => ({ ...current, generation: 2 }));
  await expect(scene.run('checkPipelineMetrics', ref)).rejects.toEqual(
    failure('what serves as wine is not its newest generation; bring the deployment in order first'),
  );
});

test('an image name that was packed twice leads to the packaging of its digest', async () => {
  await scene.createPipeline({ ...SERVING, version: '1' });
  await serve({ rmse: 0.5 });
  const second = await challenge({ rmse: 0.2 });
  const { child } = await scene.run('preparePipelinePackaging', second);
  await scene.finishPackaging('wine-2', 'wine-1');
  await scene.run('concludePipelinePackaging', { ref: second, child });
  await scene.end(second);
  const third = await scene.openRun({ parameters: { alpha: '0.3' } });
  await scene.train(third, { rmse: 0.45 });
  await expect(scene.run('checkPipelineMetrics', third)).rejects.toThrow(
    'that of training wine-1, which serves now, 0.5',
  );
});
