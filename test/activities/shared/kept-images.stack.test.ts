import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeptImagesDeps, keptImages } from '../../../activities/shared/kept-images.js';
import { openPlatformRepository } from '../../../activities/shared/platform-repository.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { createImageUses } from '../../../lifecycle/stores/image-uses.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { OCI } from '../../../platform/registry/media-types.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { randomBlob } from '../../platform/registry/contract.js';
import { type RegistryProcess, startRegistry } from '../../platform/registry/registry-process.js';
import { newAttempt } from './environment.js';
import { registryAuthBy } from './registry-deps.js';
import { newConnection } from './resources.js';

const DAY_MS = 86_400_000;

let registry: RegistryProcess;
beforeAll(async () => {
  registry = await startRegistry(async (folder) => ({
    storage: { filesystem: { rootdirectory: `${folder}/data` }, delete: { enabled: true } },
  }));
});
afterAll(() => registry.stop());

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
    put: async (...tags: string[]) => {
      const config = randomBlob(100);
      await repository.uploadBlob(config);
      const descriptor = { mediaType: OCI.config, digest: config.digest, size: config.size };
      const value = { schemaVersion: 2, mediaType: OCI.manifest, config: descriptor, layers: [] };
      const bytes = Buffer.from(JSON.stringify(value));
      for (const tag of tags) await repository.putManifest({ mediaType: OCI.manifest, bytes }, tag);
    },
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
