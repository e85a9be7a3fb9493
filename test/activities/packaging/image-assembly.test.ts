import { readdir } from 'node:fs/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openImage } from '../../../platform/registry/open-image.js';
import { inScratchFolder } from '../../stack/scratch.js';
import { MODEL, PULL, failed, filesOf, openAssembly, removeServers } from './assembly-scene.js';

afterEach(removeServers);

test('the environment of the lock is made first, then the model on top of it, by digest and without a tag', async () => {
  const { build, host, models, registry } = await openAssembly();
  const built = await build();
  expect(built).toMatchObject({
    image: `${host}/models/wine-model-1:u1`,
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    environment: expect.stringMatching(new RegExp(`^${host}/slipway/environments:[0-9a-f]{32}$`)),
    artifactDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(models()).toEqual([`models/wine-model-1@${built.digest}`]);
  const image = await openImage(registry.open('models/wine-model-1'), built.digest, { reason: 'PushFailed' });
  expect(image?.layers).toHaveLength(4); // base, environment, server, model
  expect(image?.config.config?.Env).toContain('MODEL_LOCATION=/app/model/wine');
});

test('a command line tool is the same image but for its entry point, which takes arguments, and its labels', async () => {
  const tool = await openAssembly({ packager: 'container-cli' });
  const { digest, environment } = await tool.build();
  const image = await openImage(tool.registry.open('models/wine-model-1'), digest, { reason: 'PushFailed' });
  expect(image?.layers).toHaveLength(4);
  expect(image?.config.config).toMatchObject({
    Entrypoint: ['python', '-m', 'slipway_server.command_line'],
    Labels: { 'dev.slipway.packager': 'container-cli', 'dev.slipway.model.version': '1' },
  });
  expect(image?.config.config).not.toHaveProperty('Cmd');
  expect(image?.config.config?.Labels).not.toHaveProperty('dev.slipway.predictor');
  const tagOf = (name: string) => name.split(':').at(-1);
  expect(tagOf(environment)).toBe(tagOf((await (await openAssembly()).build()).environment));
});

test('the log names the packages that are kept, changed and added', async () => {
  const { build, said } = await openAssembly({ files: filesOf(MODEL, 'numpy==1.26.4\npandas==2.1.0\nsix==1.16.0\n') });
  await build();
  const text = said.join('\n');
  expect(text).toMatch(/Python 3\.11: 0 packages kept, 1 changed, 2 added/);
  expect(text).toMatch(/wins: numpy 1\.26\.0 -> 1\.26\.4\n/);
  expect(text).toMatch(/added: pandas 2\.1\.0, six 1\.16\.0/);
});

test('a repeat makes the same image, and so does another run; the environment is made once', async () => {
  const { build, installs } = await openAssembly();
  const [first, again, other] = [await build('u1'), await build('u1'), await build('u2')];
  expect(again).toEqual(first);
  expect(other).toMatchObject({ environment: first.environment, digest: first.digest });
  expect(other.image).not.toBe(first.image);
  expect(installs()).toBe(1);
});

test.each(['environments:1', 'bases:1', 'Environments/more:1', '{{ Name }}:1'])(
  'the image %s of a model takes no place of the platform, from which other images are made',
  async (imageName) => {
    const project = JSON.stringify({ model: { name: 'bases', version: '1', workDir: 'wine' } });
    const { build, registry, connections } = await openAssembly({ args: { imageName }, files: filesOf(project) });
    await connections.update('push', (current) => ({
      ...current,
      spec: { ...current.spec, uri: `${registry.host.replace('127.0.0.1', 'localhost')}/slipway` },
    }));
    const before = new Set(registry.manifests.keys());
    await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /keeps images of its own/));
    expect(new Set(registry.manifests.keys())).toEqual(before);
  },
);

test('without a registry to push to, nothing is downloaded or made', async () => {
  const { build, models, pulls } = await openAssembly({ targets: [PULL] });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /container-push/));
  expect([models(), pulls]).toEqual([[], []]);
});

test('a connection that was deleted after the start fails the packaging with its name', async () => {
  const { build, connections } = await openAssembly();
  await connections.remove('push');
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /"push"/));
});

test.each([
  ['a port below 1024', { port: 80 }, /port/],
  ['an option instead of a host', { host: '--reload' }, /host/],
  ['a base image with a line end', { dockerfileBaseImage: 'python:3\nRUN touch /owned' }, /dockerfileBaseImage/],
  ['a tag that is none', { imageName: 'wine:a/b:~' }, /image name/],
  ['an address outside of the push registry', { imageName: 'evil.example/wine:1' }, /must lie under/],
])('%s fails the packaging before a base is pulled', async (_, args, message) => {
  const { build, pulls } = await openAssembly({ args });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', message));
  expect(pulls).toEqual([]);
});

test.each([
  ['../../etc', 'etc-1:u1'],
  ['Überwein 🍷', 'berwein-1:u1'],
  ['a:b@sha256', 'a-b-sha256-1:u1'],
])('the name %j of a model cannot leave the repository', async (name, image) => {
  const project = JSON.stringify({ model: { name, version: '1', workDir: 'wine' } });
  const { build, host } = await openAssembly({ files: filesOf(project) });
  expect((await build()).image).toBe(`${host}/models/${image}`);
});

test.each([
  [
    'ArtifactNotFound',
    async ({ bucket }: Awaited<ReturnType<typeof openAssembly>>) => bucket.remove('wine.zip'),
    /wine\.zip/,
  ],
  [
    'PackagerFailed',
    async ({ bucket }: Awaited<ReturnType<typeof openAssembly>>) => bucket.put('wine.zip', 'text'),
    /no tar/,
  ],
] as const)(
  'an artifact that is not there or unreadable: %s, and no base is pulled',
  async (reason, spoil, message) => {
    const scene = await openAssembly();
    await spoil(scene);
    await expect(scene.build()).rejects.toMatchObject(failed(reason, message));
    expect(scene.pulls).toEqual([]);
  },
);

test('a canceled build stops after the download', async () => {
  const { build, pulls } = await openAssembly({ signal: AbortSignal.abort(new Error('canceled')) });
  await expect(build()).rejects.toThrow('canceled');
  expect(pulls).toEqual([]);
});

test('no scratch folder is left, whether the build ends or fails', async () => {
  const [ends, fails] = [await openAssembly(), await openAssembly({ args: { port: 1 } })];
  onTestFinished(() => void vi.unstubAllEnvs());
  await inScratchFolder(async (folder) => {
    vi.stubEnv('TMPDIR', folder);
    await ends.build();
    await expect(fails.build()).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});

test('what decided an image and what is in it is kept for its statements', async () => {
  const scene = await openAssembly();
  const { digest } = await scene.build();
  const kept = await scene.objects.read(`attestations/${digest.replace(':', '-')}.json`);
  expect(JSON.parse(kept.toString('utf8'))).toMatchObject({
    origin: { packaging: 'wine', artifact: { name: 'wine.zip' }, base: { digest: expect.stringMatching(/^sha256:/) } },
    contents: { model: { name: expect.any(String) }, packages: { environment: expect.any(Array) } },
  });
});
