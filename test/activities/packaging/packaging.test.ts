import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepDescription } from '../../../activities/packaging/image-attestation.js';
import { createPackagingActivities } from '../../../activities/packaging/packaging.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { readBundles } from '../../../platform/attestation/read.js';
import { containerName, type RunRef } from '../../../platform/kinds/ids.js';
import { createRegistries } from '../../../platform/registry/client.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { PATIENT } from '../../patient-server.js';
import { BUILDER, CONTENTS, newSigner, ORIGIN } from '../../lifecycle/attestation/signed-image.js';
import { startMemoryRegistry } from '../../platform/registry/memory-registry.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { newConnection, newPackaging } from '../shared/resources.js';
import { registryAuthBy } from '../shared/registry-deps.js';

const LIMITS = { cpus: 1, memoryBytes: 1 };
const hostOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const timeout = expect.objectContaining({
  code: 'run_failed',
  detail: expect.objectContaining({ reason: 'Timeout' }),
  message: expect.stringContaining('SLIPWAY_PACKAGING_TIMEOUT'),
});

interface SceneOptions {
  limitSeconds?: number;
  /** `host:port` of the registry to push to. */
  host?: string;
  openStore?: () => Promise<ObjectStore>;
}

/** A claimed packaging, a clock, and activities on an engine in memory. */
async function createScene({ limitSeconds = 60, host = 'registry.example.org', openStore }: SceneOptions = {}) {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const packagings = createResources<Packaging>({ database, kind: 'ModelPackaging' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const { engine, containers } = createMemoryEngine();
  const signer = newSigner();
  const activities = createPackagingActivities({
    attestation: { signer: async () => signer, builder: BUILDER },
    ...{ packagings, connections, objects, limitSeconds, readySeconds: 1 },
    integrations: createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
    engine,
    registries: createRegistries({ own: host, images: [], networks: [] }, []),
    logs: createLogs({ objects }),
    lineage: createLineageLog({ database }),
    openStore: openStore ?? (async () => objects),
    registryAuth: registryAuthBy(),
    server: '',
    runner: '',
    builderImage: '',
    imageMirrors: {},
    now: () => new Date(clock.ms),
  });
  await connections.insert(newConnection('docker-ci', { type: 'container-registry', uri: `${host}/models` }));
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
  const description = { origin: ORIGIN, contents: CONTENTS };
  const describe = (digest: string) => keepDescription({ objects }, digest, description);
  return { activities, packagings, clock, ref, describe, engine, containers, image: `${host}/models/wine:1` };
}

test('a registry that outlasts the limit of the packaging is left alone, and it fails with Timeout', async () => {
  const silent = createServer(PATIENT, () => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  onTestFinished(() => void silent.close());
  const { activities, ref, image } = await createScene({ limitSeconds: 0.05, host: hostOf(silent) });
  const push = () => activities.pushImage({ ref, image, digest: `sha256:${'a'.repeat(64)}` });
  await expect(newAttempt().run(push)).rejects.toEqual(timeout);
  // On a busy machine the limit may come before the first connection.
  await vi.waitFor(async () => expect(await promisify(silent.getConnections.bind(silent))()).toBe(0), 60_000);
});

test('the tag is written of the image that was checked, by its digest, and the container of its check is removed', async () => {
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  const { activities, ref, image, describe, engine, containers } = await createScene({ host: registry.host });
  const { manifest } = await registry.addImage('models/wine', 'other');
  const { digest } = manifest;
  await describe(digest);
  const name = containerName('packaging', ref, 'smoke');
  await engine.create({ name, image, command: [], env: {}, labels: {}, network: 'none', limits: LIMITS });
  expect(await newAttempt().run(() => activities.pushImage({ ref, image, digest }))).toBe(digest);
  expect(await registry.open('models/wine').manifestDigest('1')).toBe(digest);
  expect(await readBundles(registry.open('models/wine'), digest)).toHaveLength(2);
  expect(containers.size).toBe(0);
  registry.manifests.clear();
  await expect(newAttempt().run(() => activities.pushImage({ ref, image, digest }))).rejects.toMatchObject({
    message: expect.stringMatching(/lost .*run the packaging again/),
  });
});

test('a download that never ends fails with Timeout', async () => {
  const { activities, ref } = await createScene({ limitSeconds: 0.05, openStore: () => new Promise(() => undefined) });
  await expect(newAttempt().run(() => activities.buildImage({ ref, uuid: 'u' }))).rejects.toEqual(timeout);
});

test('the limit counts from the first attempt of the build, over all steps', async () => {
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  const { digest } = (await registry.addImage('models/wine', 'other')).manifest;
  const { activities, packagings, clock, ref, image, describe } = await createScene({ host: registry.host });
  await describe(digest);
  const build = () => newAttempt().run(() => activities.buildImage({ ref, uuid: 'u' }));
  const push = () => newAttempt().run(() => activities.pushImage({ ref, image, digest }));
  const noArtifact = { detail: expect.objectContaining({ reason: 'ArtifactNotFound' }) };
  await expect(build()).rejects.toMatchObject(noArtifact);
  clock.ms += 59_000;
  await expect(build()).rejects.toMatchObject(noArtifact);
  expect(await push()).toBe(digest);
  clock.ms += 1_000;
  await expect(build()).rejects.toEqual(timeout);
  await expect(push()).rejects.toEqual(timeout);
  expect((await packagings.get('wine'))?.status).toMatchObject({
    state: 'running',
    startedAt: '2026-01-01T00:00:00.000Z',
  });
});
