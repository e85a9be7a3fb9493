import { expect, test } from 'vitest';
import { createCreationChecks } from '../../../lifecycle/stores/creation-checks.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';

const connection = (id: string, type: string, uri: string) => ({ id, spec: { type, uri, vital: false } }) as Connection;
const CONNECTIONS = [
  connection('models', 'gcs', 'gs://models'),
  connection('hub', 'container-registry', 'registry.test/team'),
];
const never = (): Promise<never> => new Promise(() => undefined);

const checks = (changed: { head?: () => Promise<undefined>; digest?: () => Promise<undefined> } = {}) =>
  createCreationChecks({
    connections: { get: async (id) => CONNECTIONS.find((each) => each.id === id), list: async () => CONNECTIONS },
    openStore: () => ({
      head: changed.head ?? (async (key) => (key === 'wine.zip' ? { key, size: 1, metadata: {} } : undefined) as never),
    }),
    registries: {
      open: (image) => ({
        manifestDigest: changed.digest ?? (async () => (image.includes('wine') ? 'sha256:1' : undefined)),
      }),
    },
    registryAuth: async () => undefined,
    mirrored: ['registry.test/team/mirrored:1'],
    limitMs: 20,
  });

test('an artifact and an image are there or not', async () => {
  const { hasArtifact, hasImage } = checks();
  expect(await hasArtifact({ artifactName: 'wine.zip', outputConnection: 'models' })).toBe(true);
  expect(await hasArtifact({ artifactName: 'none.zip', outputConnection: 'models' })).toBe(false);
  expect(await hasImage('registry.test/team/wine:1')).toBe(true);
  expect(await hasImage(`registry.test/team/none@sha256:${'0'.repeat(64)}`)).toBe(false);
});

test('nothing is said of another registry, a mirrored image, an image of the engine and an unknown connection', async () => {
  const { hasArtifact, hasImage } = checks();
  for (const image of ['elsewhere.test/a:1', 'registry.test/team/mirrored:1', 'slipway.local/a:1']) {
    expect([image, await hasImage(image)]).toEqual([image, undefined]);
  }
  expect(await hasArtifact({ artifactName: 'wine.zip', outputConnection: 'gone' })).toBeUndefined();
});

test.each([
  ['fails', async () => Promise.reject(new Error('away'))],
  ['does not answer', never],
])('nothing is said while a service %s', async (_how, digest) => {
  const { hasArtifact, hasImage } = checks({ head: digest, digest });
  expect(await hasArtifact({ artifactName: 'none.zip', outputConnection: 'models' })).toBeUndefined();
  expect(await hasImage('registry.test/team/none:1')).toBeUndefined();
});
