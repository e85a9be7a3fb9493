import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPackagingActivities } from '../../../activities/packaging/packaging.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createResources } from '../../../notifications/stores/resources.js';
import type { EngineDriver } from '../../../platform/engines/driver.js';
import type { RunRef } from '../../../platform/kinds/ids.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newPackaging } from '../shared/resources.js';

const IMAGE = 'registry.example.org/models/wine:1';
const timeout = expect.objectContaining({
  code: 'run_failed',
  detail: expect.objectContaining({ reason: 'Timeout' }),
  message: expect.stringContaining('SLIPWAY_PACKAGING_TIMEOUT'),
});

interface SceneOptions {
  limitSeconds?: number;
  push?: EngineDriver['push'];
  openStore?: () => Promise<ObjectStore>;
}

/** A claimed packaging, a clock, and activities on an engine in memory. */
async function createScene({ limitSeconds = 60, push, openStore }: SceneOptions = {}) {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const packagings = createResources<Packaging>({ database, kind: 'ModelPackaging' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const { engine } = createMemoryEngine();
  const activities = createPackagingActivities({
    ...{ packagings, connections, objects, limitSeconds, readySeconds: 1 },
    integrations: createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
    engine: push ? { ...engine, push } : engine,
    logs: createLogs({ objects }),
    lineage: createLineageLog({ database }),
    openStore: openStore ?? (async () => objects),
    openSecret: (sealed) => sealed,
    server: '',
    runner: '',
    builderImage: '',
    imageMirrors: {},
    now: () => new Date(clock.ms),
  });
  await connections.insert(
    newConnection('docker-ci', { type: 'container-registry', uri: 'registry.example.org/models' }),
  );
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket' }));
  const serving = { imageName: 'wine:1', host: '::', port: 5_000, timeout: 60, workers: 1, threads: 1 };
  const { id, uid, generation } = await packagings.insert(
    newPackaging('wine', {
      artifactName: 'wine.zip',
      integrationName: 'container-rest',
      arguments: { ...serving, dockerfileBaseImage: 'python:3.11' },
      targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
      outputConnection: 'bucket',
    }),
  );
  const ref: RunRef = { id, uid, generation };
  await activities.claimPackaging(ref);
  return { activities, packagings, clock, ref };
}

test('a push that outlasts the limit of the packaging is aborted and fails with Timeout', async () => {
  let aborted = false;
  const push: EngineDriver['push'] = async (_image, _auth, _say, signal) => {
    await sleep(60_000, undefined, { signal }).catch(() => (aborted = signal?.aborted ?? false));
    throw signal?.reason;
  };
  const { activities, ref } = await createScene({ limitSeconds: 0.05, push });
  await expect(newAttempt().run(() => activities.pushImage({ ref, image: IMAGE }))).rejects.toEqual(timeout);
  expect(aborted).toBe(true);
});

test('a download that never ends fails with Timeout', async () => {
  const { activities, ref } = await createScene({ limitSeconds: 0.05, openStore: () => new Promise(() => undefined) });
  await expect(newAttempt().run(() => activities.buildImage({ ref, uuid: 'u' }))).rejects.toEqual(timeout);
});

test('the limit counts from the first attempt of the build, over all steps', async () => {
  const { activities, packagings, clock, ref } = await createScene({ push: async () => ({ digest: 'sha256:1' }) });
  const build = () => newAttempt().run(() => activities.buildImage({ ref, uuid: 'u' }));
  const push = () => newAttempt().run(() => activities.pushImage({ ref, image: IMAGE }));
  const noArtifact = { detail: expect.objectContaining({ reason: 'ArtifactNotFound' }) };
  await expect(build()).rejects.toMatchObject(noArtifact);
  clock.ms += 59_000;
  await expect(build()).rejects.toMatchObject(noArtifact);
  expect(await push()).toBe('sha256:1');
  clock.ms += 1_000;
  await expect(build()).rejects.toEqual(timeout);
  await expect(push()).rejects.toEqual(timeout);
  expect((await packagings.get('wine'))?.status).toMatchObject({
    state: 'running',
    startedAt: '2026-01-01T00:00:00.000Z',
  });
});
