import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attestChecked, keepDescription } from '../../../activities/packaging/image-attestation.js';
import { describeImage } from '../../../activities/packaging/image-description.js';
import { verifyImage } from '../../../lifecycle/attestation/verification.js';
import { trainingStep } from '../../../lifecycle/kinds/lineage-steps.js';
import type { LineageStep } from '../../../lifecycle/kinds/lineage.js';
import { readBundles } from '../../../platform/attestation/read.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { BUILDER, digestOf, hexOf, newSigner } from '../../lifecycle/attestation/signed-image.js';
import { createMemoryRegistries } from '../../platform/registry/attested-registries.js';
import { newPackaging, newTraining } from '../shared/resources.js';

const ARTIFACT = hexOf('artifact');
const COMMIT = 'c'.repeat(40);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-attest-'));
  await mkdir(join(folder, 'model'));
  await writeFile(join(folder, 'model', 'MLmodel'), 'MLmodel');
  await writeFile(join(folder, 'lock.txt'), 'lock');
  await symlink('/etc/passwd', join(folder, 'link'));
});
afterAll(() => rm(folder, { recursive: true }));

function trained(
  id: string,
  { digest = ARTIFACT, name = 'wine-3.zip', at = '2026-01-01T00:00:00.000Z' } = {},
): LineageStep {
  const training = newTraining(id, {
    algorithmSource: { vcs: { connection: 'wine-code', reference: 'main' }, objectStorage: {} },
    data: [
      { connection: 'wine-data', localPath: 'data/wine.csv', remotePath: 'private/place' },
      { connection: 'lost', localPath: 'lost.csv' },
    ],
    hyperParameters: {},
  });
  const artifacts = [{ runId: '', artifactName: name, commitID: COMMIT }];
  const data = [{ localPath: 'data/wine.csv', digest: hexOf('data') }, { localPath: 'lost.csv' }];
  const done = { artifacts, artifactName: name, artifactDigest: digest, data, finishedAt: at };
  return trainingStep({ ...training, status: { ...training.status, ...done } });
}

const describe = (steps: readonly LineageStep[]) =>
  describeImage({
    packaging: newPackaging('wine-pack', { artifactName: 'wine-3.zip', integrationName: 'container-rest' }),
    parts: {
      packager: 'container-rest',
      args: {
        ...{ imageName: 'wine', port: 5_000, timeout: 60, workers: 1, threads: 4 },
        ...{ host: '0.0.0.0', dockerfileBaseImage: 'python:3.11' },
      },
      artifact: {
        ...{ folder, name: 'wine', version: '3', workDir: 'model', entrypoint: 'entrypoint' },
        ...{ lock: ['numpy==2.0.0 --hash=sha256:aa', 'pip==24.0'], sha256: ARTIFACT },
      },
      base: { reference: 'python:3.11', digest: digestOf('base'), python: '3.11', packages: { pip: '24.0' } },
      installed: ['numpy==2.0.0 --hash=sha256:aa'],
      server: 'runtime/slipway_server',
    },
    steps,
  });

test('a description names what decided an image and what is in it', async () => {
  const { origin, contents } = await describe([trained('other', { digest: hexOf('x') }), trained('wine-train')]);
  expect(origin).toEqual({
    ...{ packaging: 'wine-pack', packager: 'container-rest', integration: 'container-rest' },
    model: { name: 'wine', version: '3' },
    arguments: expect.objectContaining({ port: 5_000, dockerfileBaseImage: 'python:3.11' }),
    ...{ artifact: { name: 'wine-3.zip', sha256: ARTIFACT }, base: { image: 'python:3.11', digest: digestOf('base') } },
    lock: { sha256: hexOf('numpy==2.0.0 --hash=sha256:aa\npip==24.0') },
    training: {
      ...{ id: 'wine-train', commit: { connection: 'wine-code', commit: COMMIT } },
      data: [{ localPath: 'data/wine.csv', connection: 'wine-data', sha256: hexOf('data') }],
    },
  });
  expect(contents.model.files).toEqual([
    { path: 'lock.txt', sha256: hexOf('lock') },
    { path: 'model/MLmodel', sha256: hexOf('MLmodel') },
  ]);
  expect(contents.packages).toEqual({
    base: [{ name: 'pip', version: '24.0' }],
    environment: [{ name: 'numpy', version: '2.0.0' }],
    server: expect.arrayContaining([{ name: 'granian', version: expect.any(String) }]),
  });
});

test('nothing of a place on the platform or in a bucket is in it', async () => {
  const text = JSON.stringify(await describe([trained('wine-train')]));
  for (const secret of [folder, tmpdir(), 'private/place', 'ada']) expect(text).not.toContain(secret);
});

test('of several trainings that made an artifact, the first that gave it its name counts', async () => {
  const steps = [
    trained('late', { at: '2026-01-03T00:00:00.000Z' }),
    trained('first', { at: '2026-01-02T00:00:00.000Z' }),
    trained('renamed', { name: 'other.zip' }),
  ];
  expect((await describe(steps)).origin.training?.id).toBe('first');
  expect((await describe([trained('renamed', { name: 'other.zip' })])).origin.training?.id).toBe('renamed');
  expect((await describe([])).origin.training).toBeUndefined();
});

test('what was kept is signed once the image passed its check, and a repeat adds nothing', async () => {
  const objects = createMemoryObjects();
  const repository = createMemoryRegistries().open('registry.example/wine');
  const { digest } = repository.tag('3', { of: 'wine' });
  const signer = newSigner();
  const deps = { objects, attestation: { signer: async () => signer, builder: BUILDER } };
  await keepDescription(deps, digest, await describe([trained('wine-train')]));
  expect(await readBundles(repository, digest)).toEqual([]);
  await attestChecked(deps, repository, digest);
  const bundles = await readBundles(repository, digest);
  await attestChecked(deps, repository, digest);
  expect(await readBundles(repository, digest)).toEqual(bundles);
  expect(verifyImage(digest, bundles, [signer.publicKey])).toMatchObject({
    ...{ verified: true, packaging: 'wine-pack', training: 'wine-train', commit: COMMIT, packages: 4 },
  });
});

test('an image or a description that is gone fails the packaging, which may be run again', async () => {
  const repository = createMemoryRegistries().open('registry.example/wine');
  const signer = newSigner();
  const deps = { objects: createMemoryObjects(), attestation: { signer: async () => signer, builder: BUILDER } };
  await expect(attestChecked(deps, repository, digestOf('gone'))).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PushFailed' } },
    message: expect.stringMatching(/lost .*: run the packaging again/),
  });
  const { digest } = repository.tag('3', { of: 'wine' });
  await expect(attestChecked(deps, repository, digest)).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringMatching(/lost the description .*: run the packaging again/),
  });
});
