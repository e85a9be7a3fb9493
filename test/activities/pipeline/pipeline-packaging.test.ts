import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunRef } from '../../../platform/kinds/ids.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { newPackaging } from '../shared/resources.js';
import { createPipelineScene, type PipelineScene } from './pipeline-scene.js';

let scene: PipelineScene;
beforeEach(async () => {
  scene = await createPipelineScene();
});
afterEach(() => scene.close());

const { training } = PIPELINE;
const packaging = { ...PIPELINE.packaging, arguments: { workers: 1 } };
const failure = (reason: string, message?: string) =>
  expect.objectContaining({ detail: expect.objectContaining({ reason }), ...(message && { message }) });

/** A run whose model is trained. */
async function trainedRun(request: Parameters<PipelineScene['openRun']>[0] = {}): Promise<RunRef> {
  const ref = await scene.openRun(request);
  await scene.train(ref);
  return ref;
}
async function packedRun(): Promise<RunRef> {
  const ref = await trainedRun();
  await scene.pack(ref);
  await scene.end(ref);
  return ref;
}
const stepOf = async (ref: RunRef) => scene.stepOf(ref, 'packaging');

test('the packaging of a run takes its artifact, and the run its image', async () => {
  await scene.createPipeline();
  const ref = await trainedRun();
  const prepared = await scene.run('preparePipelinePackaging', ref);
  expect(prepared).toEqual({ child: { id: 'wine-1', uid: expect.any(String), generation: 1 } });
  expect(await scene.run('preparePipelinePackaging', ref)).toEqual(prepared);
  expect((await scene.packagings.get('wine-1'))?.spec).toMatchObject({
    ...{ artifactName: 'wine-1.zip', integrationName: 'container-rest', outputConnection: 'models-output' },
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
  });
  const image = await scene.finishPackaging('wine-1');
  await scene.run('concludePipelinePackaging', { ref, child: prepared.child });
  await scene.run('concludePipelinePackaging', { ref, child: prepared.child });
  expect(await scene.statusOf(ref)).toMatchObject({ image, imageDigest: expect.stringMatching(/^sha256:/) });
  expect(await stepOf(ref)).toMatchObject({ state: 'succeeded', child: 'packaging/wine-1' });
});

test('the artifact is looked for where the training put it', async () => {
  await scene.addConnection('other', { type: 'object-store', uri: 'gs://other' });
  const parameters = { alpha: '1', to: 'other' };
  await scene.createPipeline({ parameters, training: { ...training, outputConnection: '{{ parameters.to }}' } });
  const ref = await trainedRun();
  await scene.run('preparePipelinePackaging', ref);
  expect((await scene.packagings.get('wine-1'))?.spec.outputConnection).toBe('other');
});

test('equal artifacts by the same packager are packed once', async () => {
  await scene.createPipeline();
  const first = await packedRun();
  const second = await packedRun();
  expect(await stepOf(second)).toMatchObject({ state: 'succeeded', reusedFrom: 'packaging/wine-1' });
  const { image, imageDigest } = await scene.statusOf(first);
  expect(await scene.statusOf(second)).toMatchObject({ image, imageDigest });
  expect(await scene.packagings.list()).toHaveLength(1);
});

const changePipeline = (spec: object) => () =>
  scene.pipelines.update('wine', (current) => ({ ...current, spec: { ...current.spec, ...spec } }));
// prettier-ignore
const CHANGES: Readonly<Record<string, readonly [change: () => Promise<unknown>, says: string]>> = {
  'the model':     [changePipeline({ training: { ...training, entrypoint: 'other' } }), 'artifact'],
  'an argument':   [changePipeline({ packaging: { ...packaging, arguments: { workers: 2 } } }), 'arguments'],
  'the target':    [async () => { await scene.addConnection('hub', { type: 'container-registry', uri: `${scene.registry.host}/hub` }); await changePipeline({ packaging: { ...packaging, targets: [{ name: 'container-push', connectionName: 'hub' }] } })(); }, 'targets'],
  'the packager':  [() => scene.packagingIntegrations.update('container-rest', (current) => ({ ...current, spec: { ...current.spec, defaultImage: 'builder:2' } })), 'integrationSettings'],
};
test.each(Object.keys(CHANGES))('another image when %s changed, and the run says so', async (name) => {
  await scene.createPipeline({ packaging });
  await packedRun();
  const [change, says] = CHANGES[name] ?? [async () => {}, ''];
  await change();
  const second = await trainedRun();
  expect((await scene.run('preparePipelinePackaging', second)).child?.id).toBe('wine-2');
  expect((await stepOf(second))?.reuseMiss).toBe(`changed since wine-1: ${says}`);
});

test('an image that is gone from the registry is built again', async () => {
  await scene.createPipeline();
  const { image } = await scene.statusOf(await packedRun());
  scene.registry.manifests.clear();
  const second = await trainedRun();
  await scene.run('preparePipelinePackaging', second);
  expect(await stepOf(second)).toMatchObject({
    child: 'packaging/wine-2',
    reuseMiss: `image ${image} of wine-1 is gone`,
  });
});

test('a name that means another image by now is not reused: what is deployed is what the name means', async () => {
  await scene.createPipeline({ version: '1' });
  const { image } = await scene.statusOf(await packedRun());
  await scene.registry.addImage('models/wine', 'wine-1', {}, 'another');
  const second = await trainedRun();
  await scene.run('preparePipelinePackaging', second);
  expect((await stepOf(second))?.reuseMiss).toBe(`image ${image} is another one than wine-1 made`);
});

test('another base image of the same name is another image', async () => {
  await scene.createPipeline();
  await packedRun();
  await scene.changeBase();
  const second = await trainedRun();
  await scene.run('preparePipelinePackaging', second);
  expect(await stepOf(second)).toMatchObject({
    child: 'packaging/wine-2',
    reuseMiss: 'base image slipway.local/python:3 changed',
  });
});

test('a registry that does not answer is asked again', async () => {
  await scene.createPipeline();
  await packedRun();
  scene.registry.setBroken(true);
  const second = await trainedRun();
  await expect(scene.run('preparePipelinePackaging', second)).rejects.toMatchObject({ code: 'unavailable' });
  scene.registry.setBroken(false);
  expect(await scene.run('preparePipelinePackaging', second)).toEqual({ reusedFrom: 'packaging/wine-1' });
});

test('an artifact without a digest counts by its name', async () => {
  await scene.createPipeline();
  const ref = await trainedRun();
  await scene.bucket('gs://slipway').put('wine-1.zip', 'as before');
  await scene.run('preparePipelinePackaging', ref);
  const key = (await stepOf(ref))?.inputs ?? '';
  expect((await scene.packagingReuse.get(key))?.inputs.artifact).toBe('wine-1.zip');
});

test('a retry packs again when its own image is gone, and keeps it otherwise', async () => {
  await scene.createPipeline();
  const first = await trainedRun();
  await scene.pack(first);
  await scene.end(first, true);
  const second = await scene.again(first);
  await scene.train(second);
  expect(await scene.run('preparePipelinePackaging', second)).toEqual({ reusedFrom: 'packaging/wine-1' });
  scene.registry.manifests.clear();
  expect((await scene.run('preparePipelinePackaging', second)).child).toMatchObject({ id: 'wine-1', generation: 2 });
});

test('noCache packs again', async () => {
  await scene.createPipeline();
  await packedRun();
  const second = await trainedRun({ noCache: true });
  await scene.run('preparePipelinePackaging', second);
  expect((await stepOf(second))?.reuseMiss).toBe('noCache is set');
});

test('a packaging that fails, is not ours or is changed ends the run', async () => {
  await scene.createPipeline();
  const ref = await trainedRun();
  await scene.packagings.insert(newPackaging('wine-1'));
  await expect(scene.run('preparePipelinePackaging', ref)).rejects.toEqual(
    failure('Conflict', 'packaging wine-1 exists already, and another than this run made it; remove or rename it'),
  );
  await scene.packagings.remove('wine-1');
  const { child } = await scene.run('preparePipelinePackaging', ref);
  await scene.packagings.update('wine-1', (current) => ({
    ...current,
    status: { ...current.status, state: 'failed', reason: 'PushFailed', message: 'denied' },
  }));
  await expect(scene.run('concludePipelinePackaging', { ref, child })).rejects.toMatchObject({
    ...{ type: 'run_failed', nonRetryable: true },
    details: [{ reason: 'PushFailed', message: 'packaging wine-1 failed: denied' }],
  });
  await scene.packagings.remove('wine-1');
  await expect(scene.run('concludePipelinePackaging', { ref })).rejects.toEqual(
    failure('Conflict', 'packaging wine-1 was removed'),
  );
});

test('arguments that a run makes impossible end it with a reason', async () => {
  const parameters = { alpha: '1', port: '8080' };
  await scene.createPipeline({ parameters, packaging: { ...packaging, arguments: { host: '{{ parameters.port }}' } } });
  const ref = await trainedRun({ parameters: { port: 'two words' } });
  await expect(scene.run('preparePipelinePackaging', ref)).rejects.toEqual(failure('SpecInvalid'));
});
