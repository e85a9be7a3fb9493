import { expect, test } from 'vitest';
import { type EngineImagesDeps, engineImages, noteEngineImages } from '../../../activities/shared/engine-images.js';
import { createUpkeepActivities } from '../../../activities/shared/upkeep.js';
import { createImageUses } from '../../../lifecycle/stores/image-uses.js';
import type { KeptRevision } from '../../../lifecycle/stores/deployment-revisions.js';
import type { InferenceService } from '../../../lifecycle/kinds/inference-service.js';
import { runFailed } from '../../../platform/kinds/reasons.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newAttempt } from './environment.js';
import { newDeployment, newPackaging } from './resources.js';

const DAY_MS = 86_400_000;
const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const imageOf = (name: string): string => `registry.example/${name}:1`;

/** An engine with images; those of `held` have a container. */
function open(
  images: readonly string[],
  { held = [] as string[], ...changes }: Partial<EngineImagesDeps> & { held?: string[] } = {},
) {
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = () => new Date(time);
  const there = new Set(images);
  const imageUses = createImageUses({ database: createMemoryDatabase(), now });
  const facts = { digests: [], labels: {}, env: [], sizeBytes: 1, layers: [], createdAt: '' };
  const deps: EngineImagesDeps = {
    engine: {
      inspectImage: async (image) => (there.has(image) ? { id: `id of ${image}`, ...facts } : undefined),
      async removeImage(image) {
        if (held.includes(image)) throw runFailed({ reason: 'Internal', message: 'image is in use by a container' });
        there.delete(image);
      },
    },
    imageUses,
    deployments: { list: async () => [] },
    packagings: { list: async () => [] },
    inferenceServices: { list: async () => [] },
    revisions: { list: async () => [] },
    ...{ days: 30, most: 100, runSeconds: 60, now, ...changes },
  };
  const uses = noteEngineImages(deps);
  const { upkeep } = createUpkeepActivities({ parts: [{ name: 'engine', items: () => engineImages(deps) }] });
  return {
    there,
    uses,
    pass: (days: number) => (time += days * DAY_MS),
    upkeep: () => newAttempt().run(() => upkeep()),
  };
}

test('an image that no run used for its days is removed; one that was used, or was there before, stays', async () => {
  const { there, uses, pass, upkeep } = open(['unused', 'used', 'theirs'].map(imageOf));
  for (const name of ['unused', 'used', 'gone']) await uses.brought(imageOf(name));
  pass(29);
  for (const name of ['used', 'theirs']) await uses.used(imageOf(name));
  expect(await upkeep()).toMatchObject({ done: {}, skipped: [] });
  pass(2);
  expect(await upkeep()).toMatchObject({ done: { images_removed: 2 }, skipped: [] });
  expect([...there]).toEqual(['used', 'theirs'].map(imageOf));
  pass(60);
  await upkeep();
  expect([...there]).toEqual(['theirs'].map(imageOf));
});

test('beyond the number the ones that were used longest ago go, but none of the last day', async () => {
  const { there, uses, pass, upkeep } = open(['a', 'b', 'c', 'd'].map(imageOf), { most: 1 });
  for (const name of ['a', 'b', 'c', 'd']) {
    await uses.brought(imageOf(name));
    pass(0.45);
  }
  await upkeep();
  expect([...there]).toEqual(['c', 'd'].map(imageOf));
});

test('what a deployment, an earlier revision, a packaging or a service names stays, and what a container has', async () => {
  const byDigest = (name: string, letter: string): string => `registry.example/${name}@${digest(letter)}`;
  const deployment = newDeployment('wine', { image: imageOf('deployed') });
  const at = { generation: 1, at: '', updatedBy: '', modelName: '', modelVersion: '', spec: deployment.spec };
  const earlier: KeptRevision = { ...at, image: imageOf('earlier'), imageDigest: digest('b') };
  const packaging = newPackaging('wine');
  packaging.status.results = [
    { name: 'image', value: imageOf('packed') },
    { name: 'imageDigest', value: digest('c') },
  ];
  const served = { spec: { image: imageOf('service') } } as InferenceService;
  const named = [
    byDigest('deployed', 'a'),
    byDigest('earlier', 'b'),
    byDigest('packed', 'c'),
    imageOf('service'),
    imageOf('serving'),
    imageOf('held'),
  ];
  const { there, uses, pass, upkeep } = open([...named, imageOf('unused')], {
    held: [imageOf('held')],
    deployments: {
      list: async () => [
        {
          ...deployment,
          status: { ...deployment.status, imageDigest: digest('a'), imageId: `id of ${imageOf('serving')}` },
        },
      ],
    },
    revisions: { list: async (uid) => (uid === deployment.uid ? [earlier] : []) },
    packagings: { list: async () => [packaging] },
    inferenceServices: { list: async () => [served] },
  });
  for (const image of [`registry.example/deployed:1@${digest('a')}`, ...named.slice(1), imageOf('unused')])
    await uses.brought(image);
  pass(365);
  expect(await upkeep()).toMatchObject({ done: { images_removed: 1 }, skipped: [] });
  expect([...there]).toEqual(named);
});
