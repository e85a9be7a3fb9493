import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunRef } from '../../../platform/kinds/ids.js';
import { stored } from '../../lifecycle/kinds/installation.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
  await scene.addConnection('samples', { type: 'object-store', uri: 'gs://samples' });
  await scene.bucket('gs://samples').put('a.csv', 'one');
});
afterEach(() => scene.close());

const { training } = PIPELINE;
const WITH_DATA = { ...training, data: [{ connection: 'samples', localPath: 'data' }] };

/** One run up to the end of its training. */
async function trained(request: Parameters<PipelineScene['openRun']>[0] = {}): Promise<RunRef> {
  const ref = await scene.openRun(request);
  await scene.train(ref);
  await scene.end(ref);
  return ref;
}
const stepOf = async (ref: RunRef) => scene.stepOf(ref, 'training');
const changePipeline = (spec: object) =>
  scene.pipelines.update('wine', (current) => ({ ...current, spec: { ...current.spec, ...spec } }));

test('what is unchanged is not trained again', async () => {
  await scene.createPipeline({ training: WITH_DATA });
  await trained();
  const second = await trained();
  expect(await stepOf(second)).toMatchObject({ state: 'succeeded', reusedFrom: 'training/wine-1' });
  expect(await stepOf(second)).not.toHaveProperty('child');
  expect(await scene.statusOf(second)).toMatchObject({
    ...{ modelVersion: '1.1', artifactName: 'wine-1.zip', metrics: { rmse: 0.5 } },
  });
  expect((await scene.trainings.list()).map(({ id }) => id)).toEqual(['wine-1']);
  // Also by a run that is not the one before.
  await trained({ parameters: { alpha: '0.7' } });
  expect(await stepOf(await trained())).toMatchObject({ reusedFrom: 'training/wine-1' });
});

const edit = (change: object) => () => changePipeline({ training: { ...WITH_DATA, ...change } });
// prettier-ignore
const CHANGES: Readonly<Record<string, readonly [change: () => Promise<unknown>, says: string]>> = {
  'the code':             [() => scene.commitCode({ 'b.txt': 'two' }), 'source'],
  'a hyperparameter':     [edit({ hyperParameters: { alpha: '0.5', beta: '1' } }), 'hyperParameters.beta'],
  'an environment variable': [edit({ envs: [{ name: 'A', value: '1' }] }), 'envs'],
  'an argument':          [edit({ args: ['--fast'] }), 'args'],
  'the entry point':      [edit({ entrypoint: 'other' }), 'entrypoint'],
  'the image of the job': [async () => void scene.images.set('toolchain:1', { id: 'sha256:new', digests: [], labels: {}, env: [], sizeBytes: 1, layers: [], createdAt: '' }), 'image'],
  'the toolchain':        [() => scene.toolchains.update('ml-toolchain', (current) => ({ ...current, spec: { ...current.spec, additionalEnvironments: { A: 'b' } } })), 'toolchainSettings'],
  'an object of the data': [() => scene.bucket('gs://samples').put('a.csv', 'two'), 'data.data'],
  'a further object of the data': [() => scene.bucket('gs://samples').put('b.csv', 'one'), 'data.data'],
  'where artifacts go':   [async () => { await scene.addConnection('other', { type: 'object-store', uri: 'gs://other' }); await edit({ outputConnection: 'other' })(); }, 'outputConnection'],
};
test.each(Object.keys(CHANGES))('another training when %s changed, and the run says so', async (name) => {
  await scene.createPipeline({ training: WITH_DATA });
  await trained();
  const [change, says] = CHANGES[name] ?? [async () => {}, ''];
  await change();
  const second = await scene.openRun();
  await scene.run('resolvePipelineSource', second);
  expect((await scene.run('preparePipelineTraining', second)).child?.id).toBe('wine-2');
  expect((await stepOf(second))?.reuseMiss).toBe(`changed since wine-1: ${says}`);
});

test('memory, versions and names change nothing of what comes out', async () => {
  await scene.createPipeline({ training: WITH_DATA });
  await trained();
  await changePipeline({ version: '7', training: { ...WITH_DATA, resources: { limits: { memory: '3Gi' } } } });
  expect(await stepOf(await trained())).toMatchObject({ reusedFrom: 'training/wine-1' });
});

test('two bindings that fill one folder both count', async () => {
  await scene.addConnection('more', { type: 'object-store', uri: 'gs://more' });
  await scene.bucket('gs://more').put('b.csv', 'one');
  const data = ['samples', 'more'].map((connection) => ({ connection, localPath: 'data' }));
  await scene.createPipeline({ training: { ...training, data } });
  await trained();
  await scene.bucket('gs://samples').put('a.csv', 'two');
  expect((await stepOf(await trained()))?.reuseMiss).toBe('changed since wine-1: data.data');
});

test('noCache reuses nothing, and what it makes is reused', async () => {
  await scene.createPipeline();
  await trained();
  expect(await stepOf(await trained({ noCache: true }))).toMatchObject({
    child: 'training/wine-2',
    reuseMiss: 'noCache is set',
  });
  expect(await stepOf(await trained())).toMatchObject({ reusedFrom: 'training/wine-2' });
});

test('an artifact that is gone is trained again', async () => {
  await scene.createPipeline();
  await trained();
  await scene.bucket('gs://slipway').remove('wine-1.zip');
  expect(await stepOf(await trained())).toMatchObject({
    child: 'training/wine-2',
    reuseMiss: 'artifact wine-1.zip of wine-1 is gone',
  });
});

test('inputs without a successful training give that as the reason', async () => {
  await scene.createPipeline();
  const first = await scene.openRun();
  await scene.run('resolvePipelineSource', first);
  await scene.run('preparePipelineTraining', first);
  await scene.end(first, true);
  expect((await stepOf(await trained()))?.reuseMiss).toBe('wine-1 did not come to the end with these inputs');
});

test('a retry keeps the training that succeeded, and runs the one that failed again', async () => {
  await scene.createPipeline();
  const first = await scene.openRun({ noCache: true });
  await scene.run('resolvePipelineSource', first);
  await scene.run('preparePipelineTraining', first);
  await scene.trainings.update('wine-1', (current) => ({ ...current, status: { ...current.status, state: 'failed' } }));
  await scene.end(first, true);
  const second = await scene.again(first);
  await scene.run('resolvePipelineSource', second);
  expect((await scene.run('preparePipelineTraining', second)).child).toMatchObject({ id: 'wine-1', generation: 2 });
  await scene.finishTraining('wine-1');
  await scene.end(second, true);
  const third = await scene.again(second);
  await scene.run('resolvePipelineSource', third);
  expect(await scene.run('preparePipelineTraining', third)).toEqual({});
  await scene.run('concludePipelineTraining', { ref: third });
  expect(await stepOf(third)).toMatchObject({ state: 'succeeded', child: 'training/wine-1' });
});

test('a retry with another spec gives it to its own training, and a canceled one starts again', async () => {
  await scene.createPipeline();
  const first = await scene.openRun();
  await scene.run('resolvePipelineSource', first);
  await scene.run('preparePipelineTraining', first);
  await scene.end(first, true);
  const second = await scene.again(first, { training: { ...training, entrypoint: 'other' } });
  await scene.run('resolvePipelineSource', second);
  expect((await scene.run('preparePipelineTraining', second)).child?.generation).toBe(2);
  expect((await scene.trainings.get('wine-1'))?.spec.entrypoint).toBe('other');
  await scene.trainings.update('wine-1', (current) => ({ ...current, cancelRequestedAt: '2026-03-01T00:00:00.000Z' }));
  await scene.end(second, true);
  const third = await scene.again(second, { training: { ...training, entrypoint: 'other' } });
  await scene.run('resolvePipelineSource', third);
  expect((await scene.run('preparePipelineTraining', third)).child?.generation).toBe(3);
  expect(await scene.trainings.get('wine-1')).not.toHaveProperty('cancelRequestedAt');
});

test('a retry trains again when its own artifact is gone, once', async () => {
  await scene.createPipeline();
  const first = await scene.openRun();
  await scene.train(first);
  await scene.end(first, true);
  await scene.bucket('gs://slipway').remove('wine-1.zip');
  const second = await scene.again(first);
  await scene.run('resolvePipelineSource', second);
  const prepared = await scene.run('preparePipelineTraining', second);
  expect(prepared.child).toMatchObject({ id: 'wine-1', generation: 2 });
  expect(await scene.run('preparePipelineTraining', second)).toEqual(prepared);
});

test('a source in object storage is known by its objects', async () => {
  await scene.bucket('gs://samples/code').put('train.py', 'one');
  const algorithmSource = { objectStorage: { connection: 'samples', path: 'code' } };
  await scene.createPipeline({ training: { ...training, algorithmSource } });
  const first = await trained();
  expect((await scene.statusOf(first)).commit).toBe('');
  expect(await stepOf(await trained())).toMatchObject({ reusedFrom: 'training/wine-1' });
  await scene.bucket('gs://samples/code').put('train.py', 'two');
  expect((await stepOf(await trained()))?.reuseMiss).toBe('changed since wine-2: source');
});

test('a toolchain that was made by hand counts by its settings', async () => {
  const spec = { entrypoint: 'run', defaultImage: 'own:1', additionalEnvironments: {} };
  await scene.toolchains.insert(stored('ToolchainIntegration', 'own', spec, {}));
  await scene.createPipeline({ training: { ...training, toolchain: 'own' } });
  await trained();
  await scene.toolchains.update('own', (current) => ({ ...current, spec: { ...spec, defaultImage: 'own:2' } }));
  expect((await stepOf(await trained()))?.reuseMiss).toBe('changed since wine-1: image, toolchainSettings');
});
