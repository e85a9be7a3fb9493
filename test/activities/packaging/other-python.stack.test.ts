import { homedir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assembleFromArtifact } from '../../../activities/packaging/image-assembly.js';
import { createPackagingConnections } from '../../../activities/packaging/packaging-connections.js';
import { REST_ARGUMENTS } from '../../../lifecycle/kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { packContext } from '../../../stack/build-context.js';
import { ensureRootfs } from '../../../stack/rootfs.js';
import { removeMade, run } from '../../platform/engines/harness.js';
import { STATE_DIR } from '../../stack/test-stack.js';
import { tarOf } from '../shared/archives.js';
import { createEnvironmentScene, PYTHON } from '../shared/environment-scene.js';
import { newPackaging } from '../shared/resources.js';

const scene = createEnvironmentScene();
const { engine, deps } = scene;
const BASE = 'slipway.local/test-python:3.13';
const ROOT = join(import.meta.dirname, '..', '..', '..');

beforeAll(async () => {
  if (await engine.inspectImage(BASE)) return;
  const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'slipway');
  const tools = { signal: new AbortController().signal, say: (text: string) => void process.stderr.write(`${text}\n`) };
  const rootfs = await ensureRootfs({ cacheDir, stateDir: STATE_DIR, environment: process.env }, tools, 'trixie');
  const context = packContext({
    Dockerfile: join(ROOT, 'stack', 'images', 'python.Containerfile'),
    'rootfs.tar': rootfs,
    'ca-certificates.crt': '/etc/ssl/certs/ca-certificates.crt',
  });
  await engine.build(context, { tag: BASE, network: 'none' }, () => undefined);
}, 900_000);
afterAll(async () => {
  await removeMade({ engine, image: PYTHON });
  await scene.close();
});

/** Packs a model that was trained with Python 3.11 on a base of Python 3.13. */
async function pack(lock: string) {
  const objects = createMemoryObjects();
  const project = { model: { name: 'wine', version: '1', workDir: 'wine' }, binaries: { python: '3.11.2' } };
  const files = [
    { name: 'platform.model.yaml', content: JSON.stringify(project) },
    { name: 'lock.txt', content: lock },
    { name: 'wine/model.txt', content: 'trees' },
  ];
  await objects.put('wine.zip', gzipSync(await tarOf(files)));
  const defaults = Object.fromEntries(Object.entries(REST_ARGUMENTS).map(([name, row]) => [name, row.default]));
  const packaging = newPackaging(scene.id, {
    ...{ integrationName: 'container-rest', artifactName: 'wine.zip', outputConnection: 'docker-ci' },
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
    arguments: { ...defaults, dockerfileBaseImage: BASE },
  });
  const { id, uid, generation } = packaging;
  const database = createMemoryDatabase();
  const installer = {
    runner: join(ROOT, 'runtime', 'slipway_runner'),
    builderImage: process.env.SLIPWAY_BUILDER_IMAGE ?? '',
  };
  const integrations = createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' });
  const server = join(ROOT, 'runtime', 'slipway_server');
  const { signal } = new AbortController();
  return assembleFromArtifact(
    { ...deps, ...installer, objects, integrations, server, imageMirrors: {}, lineage: { steps: async () => [] } },
    {
      ...{ ref: { id, uid, generation }, uuid: 'u1' },
      connections: createPackagingConnections({ ...deps, openStore: async () => objects }),
      step: { packaging, say: () => undefined, signal, log: await createLogs({ objects }).writer('logs/') },
    },
  );
}

test('a base of another Python serves a model whose packages it can hold', async () => {
  const { image, digest } = await pack('iniconfig==2.0.0\n');
  const name = `${image.slice(0, image.lastIndexOf(':'))}@${digest}`;
  await engine.ensureImage(name);
  const script = `python -c 'import sys, iniconfig, granian; print(sys.version_info[:2])'; cat /app/model/wine/model.txt`;
  expect((await run({ engine, image: name }, script)).lines).toEqual(['(3, 13)', 'trees']);
});

test('a base that cannot hold the packages fails the packaging at once, with both versions and the remedy', async () => {
  // This version has no wheel for a later Python than 3.12.
  await expect(pack('markupsafe==2.1.5\n')).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringMatching(/Python 3\.13, .*with Python 3\.11: leave out dockerfileBaseImage.*markupsafe/i),
  });
});
