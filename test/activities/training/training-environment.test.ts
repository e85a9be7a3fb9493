import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureEnvironment, newKnownEnvironments } from '../../../activities/training/environment.js';
import { OUTPUT } from '../../../activities/shared/job.js';
import type { EngineDriver } from '../../../platform/engines/driver.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { tarOf } from '../shared/archives.js';
import { installedOutputs } from '../shared/installed.js';
import { createMemoryEngine, end, print } from '../shared/memory-engine.js';
import { openRegistryDeps } from '../shared/registry-deps.js';

const TOOLCHAIN = 'slipway.local/toolchain:1';
const RUNNER = join(import.meta.dirname, '..', '..', '..', 'runtime', 'slipway_runner');

/**
 * Trainings of one workspace; `versions` are what the index shows to one resolution after the other, `rival` is what
 * another training keeps a moment before.
 */
async function scene(versions: string[], rival?: string) {
  const kept = createMemoryObjects();
  const objects: ObjectStore = {
    ...kept,
    async put(key, ...rest) {
      if (rival !== undefined && key.startsWith('environments/')) await kept.put(key, rival, { ifAbsent: true });
      return kept.put(key, ...rest);
    },
  };
  await objects.put('workspace', 'x');
  const left = [...versions];
  const archives = await Promise.all(
    versions.map((version) =>
      tarOf([
        { name: 'output/', type: 'directory' },
        { name: 'output/lock.txt', content: `tea==${version}\n` },
      ]),
    ),
  );
  const registry = await openRegistryDeps();
  const memory = createMemoryEngine({
    outputs: await installedOutputs(),
    onPush: registry.onPush,
    onStart(container) {
      if (container.spec.command.includes('environment')) {
        left.shift();
        container.outputs[OUTPUT] = archives.shift() ?? Buffer.alloc(0);
      } else print(container, JSON.stringify({ python: '3.11', packages: {} }));
      end(container, 0);
    },
  });
  const logs = createLogs({ objects, flushMs: 5, pollMs: 5 });

  async function ensure(changed: Partial<EngineDriver> = {}, known = newKnownEnvironments()): Promise<string> {
    const engine = { ...memory.engine, ...changed };
    const workspace = { key: 'workspace', digest: 'd' };
    const ref = { id: 'wine', uid: 'u', generation: 1 };
    const request = { ref, workspace, workDir: '', image: TOOLCHAIN };
    const watch = { log: await logs.writer('logs/'), signal: new AbortController().signal, beat: () => {} };
    const deps = { engine, objects, known, runner: RUNNER, builderImage: 'uv:1', pollMs: 5 };
    return ensureEnvironment({ ...deps, ...registry.deps }, request, watch);
  }
  const locks = async (): Promise<string[]> => {
    const found = [];
    for await (const { key } of objects.list('environments/')) found.push((await objects.read(key)).toString());
    return found;
  };
  memory.images.set(TOOLCHAIN, {
    id: 'sha256:t',
    digests: [],
    labels: {},
    env: [],
    sizeBytes: 1,
    layers: [],
    createdAt: '',
  });
  const made = () => [...registry.registry.manifests.keys()].filter((key) => key.includes('environments@sha256'));
  return { ...memory, ensure, locks, left, made, registry };
}

test('versions are resolved once, and every later training gets the same', async () => {
  const { ensure, locks, left, made, pulls } = await scene(['1.0', '2.0']);
  const image = await ensure();
  expect(await ensure()).toBe(image);
  expect(await locks()).toEqual(['tea==1.0\n']);
  expect(left).toEqual(['2.0']);
  expect(made().map((key) => image.endsWith(key))).toEqual([true]);
  expect(pulls.at(-1)?.ref).toBe(image); // the job finds it in the engine
});

test('a training that comes again asks no registry while the engine has its image', async () => {
  const { ensure, engine, images, registry } = await scene(['1.0']);
  const known = newKnownEnvironments();
  const image = await ensure({}, known);
  images.set(image, await engine.ensureImage(TOOLCHAIN));
  await registry.registry.stop();
  expect(await ensure({}, known)).toBe(image);
  images.delete(image);
  await expect(ensure({}, known)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a version that cannot be installed is not kept: the next training resolves again', async () => {
  const { ensure, locks, made, engine } = await scene(['9.9', '1.0']);
  const gone = new SlipwayError('run_failed', 'no matching distribution found for tea==9.9');
  const refusing: Partial<EngineDriver> = {
    getArchive: (handle, path) => (path === '/opt/env/.' ? Promise.reject(gone) : engine.getArchive(handle, path)),
  };
  await expect(ensure(refusing)).rejects.toBe(gone);
  expect(await locks()).toEqual([]);
  const image = await ensure();
  expect(await locks()).toEqual(['tea==1.0\n']);
  expect(made().map((key) => image.endsWith(key))).toEqual([true]);
});

test('of two trainings that resolve at once, both get what was kept first', async () => {
  const { ensure, locks, made } = await scene(['2.0'], 'tea==1.0\n');
  const image = await ensure();
  expect(await locks()).toEqual(['tea==1.0\n']);
  expect(made().map((key) => image.endsWith(key))).toEqual([false, true]);
});
