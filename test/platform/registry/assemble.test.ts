import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { onTestFinished, expect, test, vi } from 'vitest';
import { assembleImage, type NewLayer } from '../../../platform/registry/assemble.js';
import { digestOfBytes } from '../../../platform/registry/manifests.js';
import { DOCKER, OCI } from '../../../platform/registry/media-types.js';
import { HOST_ARCHITECTURE, openImage } from '../../../platform/registry/open-image.js';
import { startMemoryRegistry } from './memory-registry.js';

async function open() {
  const registry = await startMemoryRegistry();
  onTestFinished(() => registry.stop());
  return registry;
}

function layerOf(text: string): NewLayer {
  const [plain, packed] = [Buffer.from(text), gzipSync(text)];
  return {
    ...{ digest: digestOfBytes(packed), diffId: digestOfBytes(plain), size: packed.length },
    ...{ createdBy: `slipway ${text}`, open: () => Readable.from([packed]) },
  };
}
const MODEL = layerOf('model');
const SETTINGS = {
  env: { PATH: '/opt/env/bin', NEW: '1' },
  labels: { mine: 'yes' },
  user: '10001:0',
  command: ['serve'],
};

test('an image is the layers of its base, one more, and the settings of both', async () => {
  const { open: repository, addImage, requests } = await open();
  const base = await addImage('bases', '1', {
    config: {
      ...{ Env: ['PATH=/usr/bin', 'LANG=C.UTF-8'], Labels: { theirs: 'yes' }, ExposedPorts: { '80/tcp': {} } },
      ...{
        OnBuild: ['RUN touch /owned'],
        Entrypoint: ['evil'],
        Cmd: ['python3'],
        Healthcheck: { Test: ['CMD', 'evil'] },
      },
    },
  });
  requests.length = 0;
  const { manifest, config, layers } = await assembleImage(repository('wine'), {
    base,
    layers: [MODEL],
    settings: SETTINGS,
  });
  expect(requests).toContain('POST wine blobs');
  expect(requests.filter((each) => each.startsWith('GET bases'))).toEqual([]); // mounted, not copied
  expect(layers.map(({ digest }) => digest)).toEqual([base.layers[0]?.digest, MODEL.digest]);
  expect(config).toEqual({
    ...{ architecture: HOST_ARCHITECTURE, os: 'linux', created: '2026-01-02T00:00:00Z' },
    config: {
      Env: ['PATH=/opt/env/bin', 'LANG=C.UTF-8', 'NEW=1'],
      Labels: { theirs: 'yes', mine: 'yes' },
      ...{ ExposedPorts: { '80/tcp': {} }, User: '10001:0', Cmd: ['serve'] },
    },
    rootfs: { type: 'layers', diff_ids: [digestOfBytes(Buffer.from('base')), MODEL.diffId] },
    history: [
      { created: '2026-01-02T00:00:00Z', created_by: 'base' },
      { created: '2026-01-02T00:00:00Z', created_by: 'slipway model' },
    ],
  });
  const read = await openImage(repository('wine'), manifest.digest, { reason: 'PushFailed' });
  expect(read?.config).toEqual(config);
});

test('the same parts are the same image, at another time and in another registry', async () => {
  const [near, far] = [await open(), await open()];
  const make = async (target: Awaited<ReturnType<typeof open>>) => {
    const base = await near.addImage('bases', '1');
    return assembleImage(target.open('wine'), { base, layers: [MODEL], settings: SETTINGS });
  };
  const first = await make(near);
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-05-06T07:08:09Z') });
  onTestFinished(() => void vi.useRealTimers());
  const second = await make(far);
  expect(second.manifest.digest).toBe(first.manifest.digest);
  expect(far.requests).toContain('PUT wine blobs');
  expect([...far.blobs.keys()]).toContain(`wine@${digestOfBytes(Buffer.from('base'))}`);
});

test("a base of Docker's types becomes one of OCI's; its layers stay what they are", async () => {
  const { open: repository, addImage, manifests } = await open();
  await addImage('bases', '1');
  const stored = manifests.get('bases@1');
  const text =
    stored?.bytes.toString('utf8').replaceAll(OCI.layer, DOCKER.layer).replaceAll(OCI.config, DOCKER.config) ?? '';
  manifests.set('bases@1', {
    mediaType: DOCKER.manifest,
    bytes: Buffer.from(text.replaceAll(OCI.manifest, DOCKER.manifest)),
  });
  const base = await openImage(repository('bases'), '1', { reason: 'PushFailed' });
  if (!base) throw new Error('no base');
  const { manifest } = await assembleImage(repository('wine'), { base, layers: [MODEL], settings: SETTINGS });
  expect(manifest.bytes.toString('utf8')).not.toContain('docker');
});

test('an index leads to the image of our platform; another platform is refused with those that there are', async () => {
  const { open: repository, addImage } = await open();
  const [amd, arm] = [
    await addImage('python', 'amd', { architecture: 'amd64' }),
    await addImage('python', 'arm', { architecture: 'arm64' }, 'arm'),
  ];
  const manifests = [amd, arm].map(({ manifest, config: { os, architecture } }) => ({
    ...{ mediaType: manifest.mediaType, digest: manifest.digest, size: manifest.bytes.length },
    platform: { os, architecture },
  }));
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: OCI.index, manifests }));
  await repository('python').putManifest({ mediaType: OCI.index, bytes: index }, '3');
  const openAs = (architecture: string, tag = '3') =>
    openImage(repository('python'), tag, { reason: 'ImagePullFailed', architecture });
  expect((await openAs('arm64'))?.manifest.digest).toBe(arm.manifest.digest);
  const refused = (offered: string) => ({
    ...{ code: 'run_failed', detail: { reason: 'ImagePullFailed' } },
    message: expect.stringContaining(`is not made for linux/s390x, only for ${offered}`),
  });
  await expect(openAs('s390x')).rejects.toMatchObject(refused('linux/amd64, linux/arm64'));
  await expect(openAs('s390x', 'amd')).rejects.toMatchObject(refused('linux/amd64'));
  expect(await openAs('amd64', 'none')).toBeUndefined();
});

test.each([
  ['a manifest of another kind', (text: string) => text.replace('"layers"', '"fsLayers"'), /none of an image/],
  ['a layer that may not be copied', (text: string) => text.replace(OCI.layer, 'application/x-foreign'), /x-foreign/],
  [
    'fewer layers than its configuration',
    (text: string) => text.replace(/"layers":\[.*\]/, '"layers":[]'),
    /other layers/,
  ],
])('%s is refused', async (_what, change, message) => {
  const { open: repository, addImage, manifests } = await open();
  await addImage('bases', '1');
  const bytes = Buffer.from(change(manifests.get('bases@1')?.bytes.toString('utf8') ?? ''));
  manifests.set('bases@1', { mediaType: OCI.manifest, bytes });
  const opened = openImage(repository('bases'), '1', { reason: 'PackagerFailed' });
  await expect(opened).rejects.toMatchObject({ code: 'run_failed', message: expect.stringMatching(message) });
});
