import { afterEach, expect, test } from 'vitest';
import { openImage } from '../../../platform/registry/open-image.js';
import { PULL, PUSH, failed, filesOf, openAssembly, removeServers } from './assembly-scene.js';

afterEach(removeServers);

test('a base is kept in the registry of the platform, under its digest, and pulled from there', async () => {
  const { build, pulls, host, registry } = await openAssembly();
  await build();
  const { digest = '' } = (await registry.open('library/python').manifest('3.11')) ?? {};
  expect(pulls[0]).toEqual({ ref: `${host}/slipway/bases@${digest}`, auth: undefined });
  const before = registry.requests.length;
  await build('u2');
  expect(registry.requests.slice(before).filter((each) => each.includes('library/python'))).toEqual([
    'HEAD library/python manifests',
  ]);
});

test('a base is read with the credentials of its own registry, and from the mirror of an installation', async () => {
  const { build, registry } = await openAssembly({ targets: [PUSH, PULL] });
  registry.credentials.clear();
  await build();
  const basic = `Basic ${Buffer.from('robot:open sealed').toString('base64')}`;
  expect(registry.credentials.get('library/python')).toEqual(new Set([basic]));
  const mirrors = (to: string) => ({ 'bases.example/python:3': `${to}/library/python:3.11` });
  const mirrored = await openAssembly({ args: { dockerfileBaseImage: 'bases.example/python:3' }, mirrors });
  await mirrored.build();
  expect(mirrored.registry.credentials.get('library/python')).toEqual(new Set(['']));
});

test('a base that only the engine has is pushed to the platform, once, by its id', async () => {
  const { build, images, pushes, host } = await openAssembly({
    args: { dockerfileBaseImage: 'slipway.local/python:3' },
  });
  images.set('slipway.local/python:3', {
    id: `sha256:${'c'.repeat(64)}`,
    digests: [],
    labels: {},
    env: [],
    sizeBytes: 1,
    layers: [],
    createdAt: '',
  });
  await build();
  await build();
  expect(pushes).toEqual([{ ref: `${host}/slipway/bases:${'c'.repeat(32)}`, auth: undefined }]);
});

test.each([
  ['3.12.4', 'python:3.12-slim'],
  ['3.11', 'python:3.11-slim'],
  [undefined, 'python:3.11-slim'],
  ['2; rm', 'python:3.11-slim'],
])('without a base image, a model of Python %s gets %s', async (python, named) => {
  const project = JSON.stringify({ model: { name: 'wine', version: '1', workDir: 'wine' }, binaries: { python } });
  const mirrors = (host: string) => ({ [named]: `${host}/library/python:3.11` });
  const { build, registry } = await openAssembly({
    files: filesOf(project),
    args: { dockerfileBaseImage: undefined },
    mirrors,
  });
  const { digest } = await build();
  const image = await openImage(registry.open('models/wine-1'), digest, { reason: 'PushFailed' });
  expect(image?.config.config?.Labels).toMatchObject({ 'org.opencontainers.image.base.name': named });
});

test('the old default of the specification is for those who name it', async () => {
  const mirrors = (host: string) => ({ 'python:3.6': `${host}/library/python:3.11` });
  const { build, said } = await openAssembly({ args: { dockerfileBaseImage: 'python:3.6' }, mirrors });
  await build();
  expect(said.join('\n')).toContain('INFO base python:3.6, Python 3.11');
});

test('a base of another Python serves a model whose packages it can hold; else both versions are named', async () => {
  const project = JSON.stringify({
    model: { name: 'wine', version: '1', workDir: 'wine' },
    binaries: { python: '3.11.2' },
  });
  const other = { files: filesOf(project), listed: '{"python": "3.9", "packages": {}}' };
  await (await openAssembly(other)).build();
  const { build, host } = await openAssembly({ ...other, exitCode: 65 });
  const base = `base image "${host}/library/python:3.11" has Python 3.9`;
  await expect(build()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringContaining(
      `${base}, which cannot hold the packages of the model, trained with Python 3.11: leave out`,
    ),
  });
});

test('a base that is nowhere is named', async () => {
  const { build } = await openAssembly({ args: { dockerfileBaseImage: 'slipway.local/none:1' } });
  await expect(build()).rejects.toMatchObject(failed('ImagePullFailed', /"slipway\.local\/none:1".*check its name/));
});

test('a base without Python fails and leaves no container', async () => {
  const { build, containers, models } = await openAssembly({ listed: 'sh: python3: not found' });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /does not run Python/));
  expect([containers.size, models()]).toEqual([0, []]);
});
