import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { ImageFacts } from '../../../platform/engines/driver.js';
import type { BaseImage } from '../../../activities/packaging/base-image.js';
import { comparePackages } from '../../../activities/packaging/packages.js';
import { ensureServingEnvironment } from '../../../activities/packaging/serving-environment.js';
import type { PythonInstaller } from '../../../activities/shared/python-installer.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { startMemoryRegistry } from '../../platform/registry/memory-registry.js';
import { installedOutputs } from '../shared/installed.js';
import { createMemoryEngine, end } from '../shared/memory-engine.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
const RUNNER = join(import.meta.dirname, '..', '..', '..', 'runtime', 'slipway_runner');

async function open() {
  const server = await mkdtemp(join(tmpdir(), 'server-'));
  folders.push(server);
  await writeFile(join(server, 'app.py'), 'print("a")');
  await writeFile(join(server, 'requirements.lock'), 'flask==3.0.0\n');
  let installs = 0;
  const { engine, images } = createMemoryEngine({
    outputs: await installedOutputs(),
    onStart: (container) => {
      installs += 1;
      end(container, 0);
    },
  });
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  const baseOf = async (text: string): Promise<BaseImage> => ({
    ...{ reference: 'python:3.11', image: await registry.addImage('bases', text, {}, text), ensure: async () => text },
    ...{ python: '3.11', packages: { numpy: '1.26.4' } },
  });
  const first = await baseOf('base');
  const log = await createLogs({ objects: createMemoryObjects() }).writer('logs/');
  const ref = { id: 'wine', uid: 'u', generation: 1 };
  const ensure = async (lock: string[] = [], base = first, changes: Partial<PythonInstaller> = {}) => {
    const made = await ensureServingEnvironment(engine, {
      ...{ ref, base, target: registry.open('environments') },
      ...{ difference: comparePackages(lock, base.packages), server, log, pollMs: 1 },
      installer: { runner: RUNNER, builderImage: 'uv:1', ...changes },
      signal: new AbortController().signal,
    });
    return made.name;
  };
  return { ensure, images, server, first, baseOf, host: registry.host, registry, installs: () => installs };
}

test('what is made once is found in the registry by its tag', async () => {
  const { ensure, installs, host } = await open();
  const name = await ensure(['pandas==2.0.0']);
  expect(name).toMatch(new RegExp(`^${host}/environments:[0-9a-f]{32}$`));
  expect(await ensure(['pandas==2.0.0'])).toBe(name);
  expect(installs()).toBe(1);
});

test('an environment that the registry lost is made again, the same', async () => {
  const { ensure, installs, registry } = await open();
  const name = await ensure();
  for (const key of [...registry.manifests.keys()]) if (key.startsWith('environments')) registry.manifests.delete(key);
  expect(await ensure()).toBe(name);
  expect(installs()).toBe(2);
});

test('packages that the base has do not matter; their order does not either', async () => {
  const { ensure } = await open();
  expect(await ensure(['numpy==1.26.4'])).toBe(await ensure([]));
  expect(await ensure(['b==1', 'a==1'])).toBe(await ensure(['a==1', 'b==1']));
});

test('another lock, base, model server or installer is another environment', async () => {
  const { ensure, server, images, first, baseOf } = await open();
  const tags = [
    await ensure(),
    await ensure(['numpy==1.26.5']),
    await ensure(['pandas==2.0.0']),
    await ensure([], await baseOf('other')),
  ];
  tags.push(await ensure([`pandas==2.0.0 --hash=sha256:${'0'.repeat(64)}`]));
  tags.push(await ensure([], first, { allowSourcePackages: true }));
  images.set('uv:2', { id: 'sha256:uv2' } as ImageFacts);
  tags.push(await ensure([], first, { builderImage: 'uv:2' }));
  await writeFile(join(server, 'app.py'), 'print("b")');
  tags.push(await ensure());
  await mkdir(join(server, 'more'));
  await writeFile(join(server, 'more', 'part.py'), '');
  tags.push(await ensure());
  expect(new Set(tags).size).toBe(tags.length);
});

test('files that are no part of the program change nothing', async () => {
  const { ensure, server } = await open();
  const tag = await ensure();
  await mkdir(join(server, '__pycache__'));
  await writeFile(join(server, '__pycache__', 'app.pyc'), 'bytecode');
  expect(await ensure()).toBe(tag);
});
