import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type EnvironmentImage, makeEnvironmentImage } from '../../../activities/shared/environment-image.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { entriesOf, startMemoryRegistry } from '../../platform/registry/memory-registry.js';
import type { TarEntry } from './archives.js';
import { installedOutputs } from './installed.js';
import { createMemoryEngine, end, type MemoryContainer } from './memory-engine.js';

const RUNTIME = join(import.meta.dirname, '..', '..', '..', 'runtime');
interface Play {
  more?: TarEntry[];
  kept?: TarEntry[];
  onStart?: (container: MemoryContainer) => void;
  outputs?: Record<string, Buffer>;
}

async function make({ more, kept, outputs, onStart = (container) => end(container, 0) }: Play = {}) {
  const started: MemoryContainer[] = [];
  const memory = createMemoryEngine({
    outputs: outputs ?? (await installedOutputs(more, kept)),
    onStart: (container) => {
      started.push(container);
      onStart(container);
    },
  });
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  const base = await registry.addImage('bases', '1');
  const image: EnvironmentImage = {
    ...{
      kind: 'packaging',
      ref: { id: 'wine', uid: 'u', generation: 1 },
      tag: '1',
      target: registry.open('environments'),
    },
    base: { reference: 'python:3', image: base, ensure: async () => 'sha256:b' },
    lock: ['tea==1.0'],
    settings: { env: { A: 'b' }, user: '10001:0' },
    installer: { runner: join(RUNTIME, 'slipway_runner'), builderImage: 'uv:1' },
    reason: 'PackagerFailed',
  };
  const log = await createLogs({ objects: createMemoryObjects() }).writer('logs/');
  const watch = { log, signal: new AbortController().signal, beat: () => undefined, pollMs: 1, limitSeconds: 0.02 };
  const tags = () => [...registry.manifests.keys()].filter((key) => key.startsWith('environments@'));
  return { ...memory, started, tags, made: makeEnvironmentImage(memory.engine, image, watch) };
}

test('packages are installed in a container as strict as a job, from whose files a layer is made', async () => {
  const { made, started, tags, containers } = await make();
  const { manifest, config } = await made;
  expect(started.map(({ spec }) => spec)).toEqual([
    expect.objectContaining({ image: 'sha256:b', network: 'index', volumes: ['/workspace', '/opt/env'] }),
  ]);
  expect(started[0]?.spec).not.toHaveProperty('user'); // the engine's own, which is not root
  expect(started[0]?.spec.limits).toEqual({ cpus: 2, memoryBytes: 2 ** 31 });
  expect(config).toMatchObject({ config: { Env: ['A=b'], User: '10001:0' } });
  expect(tags()).toEqual([`environments@${manifest.digest}`, 'environments@1']);
  expect([...containers]).toEqual([]);
});

test('the layer holds the lock, links to the interpreter, and files of one user with plain rights', async () => {
  const more = [{ name: 'lib/python3.11/evil', content: 'x', mode: 0o6777, uid: 7, mtime: new Date() }];
  const headers = await entriesOf(await (await make({ more })).made, 1);
  expect(headers['opt/env/lock.txt']).toMatchObject({ type: 'file', size: 'tea==1.0\n'.length });
  expect(headers['opt/env/bin/python3']).toMatchObject({ type: 'symlink', linkname: '/usr/bin/python3' });
  expect(headers['opt/env/bin/python3.11']).toMatchObject({ type: 'symlink', linkname: 'python3' });
  const { uid, mode, mtime } = headers['opt/env/lib/python3.11/evil'] ?? {};
  expect([uid, mode, mtime]).toEqual([10_001, 0o755, new Date(0)]);
});

test('what a hostile base left in the place of files of the platform is replaced, not followed', async () => {
  const more: TarEntry[] = [
    { name: 'lock.txt', type: 'symlink', linkname: 'pyvenv.cfg' },
    { name: 'bin/python3', type: 'symlink', linkname: '../pyvenv.cfg' },
  ];
  const headers = await entriesOf(await (await make({ more })).made, 1);
  expect(headers['opt/env/lock.txt']).toMatchObject({ type: 'file' });
  expect(headers['opt/env/bin/python3']).toMatchObject({ linkname: '/usr/bin/python3' });
});

test.each<[string, Play, RegExp]>([
  ['a link that leads out', { more: [{ name: 'x', type: 'symlink', linkname: '/etc/passwd' }] }, /"x" leads out/],
  ['a device', { more: [{ name: 'x', type: 'block-device' }] }, /"x" is a block-device/],
  ['no environment', { kept: [{ name: 'lib', type: 'directory' }] }, /made no environment/],
  ['settings without an interpreter', { kept: [{ name: 'pyvenv.cfg', content: 'home = ../x\n' }] }, /no environment/],
  ['a failure', { onStart: (container) => end(container, 65) }, /ended with exit code 65/],
])('an installation that leaves %s fails the run, and no image is made', async (_what, play, message) => {
  const { made, tags, containers } = await make(play);
  await expect(made).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringMatching(message) as string,
  });
  expect([tags(), [...containers]]).toEqual([[], []]);
});

test('an installation that never ends is stopped at its limit', async () => {
  const { made, tags, containers } = await make({ onStart: () => undefined });
  await expect(made).rejects.toMatchObject({ detail: { reason: 'Timeout' } });
  expect([tags(), [...containers]]).toEqual([[], []]);
});

test('a builder image without uv is named with the setting', async () => {
  const { made } = await make({ outputs: {} });
  await expect(made).rejects.toThrow(/"uv:1".*SLIPWAY_BUILDER_IMAGE/);
});
