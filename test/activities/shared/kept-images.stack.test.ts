import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeptImagesDeps, keptImages } from '../../../activities/shared/kept-images.js';
import { modelImages, noteModelImage } from '../../../activities/shared/model-images.js';
import { openPlatformRepository } from '../../../activities/shared/platform-repository.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { attestImage } from '../../../lifecycle/attestation/attest-image.js';
import { createImageUses } from '../../../lifecycle/stores/image-uses.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { OCI, type StoredManifest } from '../../../platform/registry/media-types.js';
import type { Repository } from '../../../platform/registry/repository.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { BUILDER, CONTENTS, newSigner, ORIGIN } from '../../lifecycle/attestation/signed-image.js';
import { randomBlob } from '../../platform/registry/contract.js';
import { type RegistryProcess, startRegistry } from '../../platform/registry/registry-process.js';
import { newAttempt } from './environment.js';
import { registryAuthBy } from './registry-deps.js';
import { newConnection, newPackaging } from './resources.js';

const DAY_MS = 86_400_000;

let registry: RegistryProcess;
beforeAll(async () => {
  registry = await startRegistry(async (folder) => ({
    storage: { filesystem: { rootdirectory: `${folder}/data` }, delete: { enabled: true } },
  }));
});
afterAll(() => registry.stop());

/** Writes an image of random content, by its digest without tags. */
async function putImage(repository: Repository, ...tags: string[]): Promise<StoredManifest> {
  const config = randomBlob(100);
  await repository.uploadBlob(config);
  const descriptor = { mediaType: OCI.config, digest: config.digest, size: config.size };
  const value = { schemaVersion: 2, mediaType: OCI.manifest, config: descriptor, layers: [] };
  const bytes = Buffer.from(JSON.stringify(value));
  const { digest } = await repository.putManifest({ mediaType: OCI.manifest, bytes });
  for (const tag of tags) await repository.putManifest({ mediaType: OCI.manifest, bytes }, tag);
  return { mediaType: OCI.manifest, bytes, digest };
}

/** A registry of its own folder, whose images are used by the calls of `use`. */
async function scene(folder: string, changes: Partial<KeptImagesDeps> = {}) {
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = () => new Date(time);
  const database = createMemoryDatabase();
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const uri = `${registry.host}/${folder}`;
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri }));
  const registries = createRegistries({ own: uri, images: [], networks: [] }, []);
  const imageUses = createImageUses({ database, now });
  const deps = {
    ...{ connections, registries, imageUses, registryAuth: registryAuthBy() },
    ...{ days: 30, most: 100, runSeconds: 60, now, ...changes },
  };
  const { signal } = new AbortController();
  const { repository } = await openPlatformRepository(deps, 'environments', { signal, reason: 'Internal' });
  const { upkeep } = createUpkeepActivities({ parts: [{ name: 'images', items: () => keptImages(deps) }] });
  return {
    repository,
    pass: (days: number) => (time += days * DAY_MS),
    put: (...tags: string[]) => putImage(repository, ...tags),
    upkeep: () => newAttempt().run(() => upkeep()),
  };
}

test('an environment that no run used for its days is removed, and one that was used stays', async () => {
  const { put, pass, repository, upkeep } = await scene('days');
  for (const tag of ['unused', 'used']) await put(tag);
  pass(29);
  await repository.manifest('used');
  expect(await upkeep()).toMatchObject({ done: {}, skipped: [] });
  pass(2);
  expect(await upkeep()).toMatchObject({ done: { images_removed: 1 }, skipped: [] });
  expect(await repository.tags()).toEqual(['used']);
});

test('beyond the number the ones that were used longest ago go, but none of the last day', async () => {
  const { put, pass, repository, upkeep } = await scene('count', { most: 1 });
  for (const tag of ['a', 'b', 'c', 'd']) {
    await put(tag);
    pass(0.45);
  }
  await upkeep();
  expect((await repository.tags()).toSorted()).toEqual(['c', 'd']);
});

test('an image that another tag needs stays', async () => {
  const { put, pass, repository, upkeep } = await scene('shared');
  await put('old', 'new');
  pass(40);
  await repository.manifest('new');
  await upkeep();
  expect(await repository.manifestDigest('new')).toBeDefined();
});

test('an image of a model is removed with its statements, unless a tag or a resource names it', async () => {
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = () => new Date(time);
  const database = createMemoryDatabase();
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri: `${registry.host}/models` }));
  const registries = createRegistries({ own: `${registry.host}/models`, images: [], networks: [] }, []);
  const { signal } = new AbortController();
  const repository = registries.open(`${registry.host}/models/wine`, { auth: undefined, signal, reason: 'Internal' });
  const packaging = newPackaging('wine');
  const deps = {
    ...{ connections, registries, imageUses: createImageUses({ database, now }), registryAuth: registryAuthBy() },
    ...{ deployments: { list: async () => [] }, inferenceServices: { list: async () => [] } },
    ...{ packagings: { list: async () => [packaging] }, revisions: { list: async () => [] } },
    ...{ days: 30, most: 1, runSeconds: 60, now },
  };
  const push = async (...tags: string[]): Promise<StoredManifest> => {
    const manifest = await putImage(repository, ...tags);
    await noteModelImage(deps, repository.name, manifest.digest);
    return manifest;
  };
  const [failed, moved, tagged, named, listed] = [
    await push(),
    await push('1'),
    await push('1'),
    await push(),
    await push(),
  ];
  const signed = { signer: newSigner(), builder: BUILDER };
  await attestImage({ repository, manifest: moved, origin: ORIGIN, contents: CONTENTS }, signed);
  const statements = await repository.referrers(moved.digest);
  packaging.status.results = [
    { name: 'image', value: `${repository.name}:other` },
    { name: 'imageDigest', value: named.digest },
  ];
  const index = { schemaVersion: 2, mediaType: OCI.index, manifests: [{ ...listed, size: listed.bytes.length }] };
  await repository.putManifest({ mediaType: OCI.index, bytes: Buffer.from(JSON.stringify(index)) }, 'all');
  const { upkeep } = createUpkeepActivities({ parts: [{ name: 'models', items: () => modelImages(deps) }] });
  const run = () => newAttempt().run(() => upkeep());

  time += 29 * DAY_MS;
  expect(await run()).toMatchObject({ done: {}, skipped: [] });
  time += 2 * DAY_MS;
  expect(await run()).toMatchObject({ done: { images_removed: 2 }, skipped: [] });
  const gone = [failed, moved, ...statements].map(({ digest }) => digest);
  expect(gone).toHaveLength(4);
  for (const digest of gone) expect(await repository.manifestDigest(digest)).toBeUndefined();
  for (const { digest } of [tagged, named, listed]) expect(await repository.manifestDigest(digest)).toBe(digest);
  expect((await repository.tags()).toSorted()).toEqual(['1', 'all']);
});

test('images of an earlier release have their days from the first round on', async () => {
  const { put, repository } = await scene('earlier');
  await put('a');
  const later = await scene('earlier');
  later.pass(365);
  await later.upkeep();
  expect(await repository.tags()).toEqual(['a']);
  later.pass(31);
  await later.upkeep();
  expect(await repository.tags()).toEqual([]);
});
