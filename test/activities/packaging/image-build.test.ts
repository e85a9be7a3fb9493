import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { buildFromArtifact } from '../../../activities/packaging/image-build.js';
import { createPackagingConnections } from '../../../activities/packaging/packaging-connections.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { REST_ARGUMENTS } from '../../../lifecycle/kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import type { PackagingSpec } from '../../../lifecycle/kinds/packaging.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { type TarEntry, tarOf } from '../shared/archives.js';
import { installedOutputs } from '../shared/installed.js';
import { createMemoryEngine, end, print } from '../shared/memory-engine.js';
import { inScratchFolder } from '../../stack/scratch.js';
import { newConnection, newPackaging } from '../shared/resources.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const RUNNER = join(import.meta.dirname, '..', '..', '..', 'runtime', 'slipway_runner');
const MODEL = 'model: { name: Wine Model, version: 1.0, workDir: wine }\n';
const filesOf = (project = MODEL, lock = 'numpy==1.26.4\npandas==2.1.0\n'): TarEntry[] => [
  { name: 'platform.model.yaml', content: project },
  { name: 'lock.txt', content: lock },
  { name: 'wine', type: 'directory' },
  { name: 'wine/model.skops', content: 'trees' },
];
const DEFAULTS = Object.fromEntries(Object.entries(REST_ARGUMENTS).map(([name, row]) => [name, row.default]));
const PUSH = { name: 'container-push', connectionName: 'push' };
const PULL = { name: 'container-pull', connectionName: 'pull' };

interface Options {
  files?: TarEntry[];
  args?: object;
  targets?: PackagingSpec['targets'];
  listed?: string;
  mirrors?: Record<string, string>;
  signal?: AbortSignal;
}

/** Opens a bucket with an artifact, registries and an engine in memory, whose base image has numpy. */
async function open(options: Options = {}) {
  const {
    files = filesOf(),
    args = {},
    targets = [PUSH],
    mirrors = {},
    signal = new AbortController().signal,
  } = options;
  const { listed = '{"python": "3.11", "packages": {"numpy": "1.26.0"}}' } = options;
  const server = await mkdtemp(join(tmpdir(), 'server-'));
  folders.push(server);
  await writeFile(join(server, 'app.py'), 'print("a")');
  const database = createMemoryDatabase();
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const credentials = { username: 'robot', password: 'sealed' };
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket' }));
  await connections.insert(newConnection('push', { type: 'container-registry', uri: 'registry.example/models' }));
  await connections.insert(newConnection('pull', { type: 'container-registry', uri: 'bases.example', ...credentials }));
  const [bucket, objects] = [createMemoryObjects(), createMemoryObjects()];
  await bucket.put('wine.zip', gzipSync(await tarOf(files)));
  const memory = createMemoryEngine({
    outputs: await installedOutputs(),
    onStart: (container) => {
      print(container, listed);
      end(container, 0);
    },
  });
  const said: string[] = [];
  const packaging = newPackaging('wine', {
    ...{ integrationName: 'rest', artifactName: 'wine.zip', outputConnection: 'bucket', targets },
    arguments: { ...DEFAULTS, dockerfileBaseImage: 'bases.example/python:3.11', ...args },
  });
  const { id, uid, generation } = packaging;
  const log = await createLogs({ objects }).writer('logs/wine/');
  const build = (uuid = 'u1') =>
    buildFromArtifact(
      {
        ...{ engine: memory.engine, objects, server, runner: RUNNER, builderImage: 'uv:1', imageMirrors: mirrors },
        integrations: createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' }),
        openSecret: (sealed) => `open ${sealed}`,
      },
      {
        ref: { id, uid, generation },
        uuid,
        connections: createPackagingConnections({ connections, openStore: async () => bucket }),
        step: { packaging, say: (line) => void said.push(line), signal, log },
      },
    );
  return { ...memory, build, said, bucket, connections };
}
const failed = (reason: string, message: RegExp) => ({
  ...{ code: 'run_failed', detail: { reason } },
  message: expect.stringMatching(message),
});

test('the environment of the lock is built first, then the model on top of it under the name of the push registry', async () => {
  const { build, builds, layers } = await open();
  const built = await build();
  expect(built).toMatchObject({
    image: 'registry.example/models/wine-model-1:u1',
    environment: layers[0]?.tag,
    artifactDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect([...layers, ...builds].map(({ tag }) => tag)).toEqual([built.environment, built.image]);
});

test('the log names the packages that are kept, changed and added', async () => {
  const { build, said } = await open({ files: filesOf(MODEL, 'numpy==1.26.4\npandas==2.1.0\nsix==1.16.0\n') });
  await build();
  const text = said.join('\n');
  expect(text).toMatch(/Python 3\.11: 0 packages kept, 1 changed, 2 added/);
  expect(text).toMatch(/wins: numpy 1\.26\.0 -> 1\.26\.4\n/);
  expect(text).toMatch(/added: pandas 2\.1\.0, six 1\.16\.0/);
});

test('a repeat of the build names the same image, another run another one', async () => {
  const { build } = await open();
  const [first, again, other] = [await build('u1'), await build('u1'), await build('u2')];
  expect(again).toEqual(first);
  expect([other.environment === first.environment, other.image === first.image]).toEqual([true, false]);
});

test('a base is pulled with the credentials of its own registry, and from the mirror without those of another', async () => {
  const { build, pulls } = await open({ targets: [PUSH, PULL] });
  await build();
  const auth = { username: 'robot', password: 'open sealed', serveraddress: 'bases.example' };
  expect(pulls[0]).toEqual({ ref: 'bases.example/python:3.11', auth });
  const mirrors = { 'bases.example/python:3.11': 'mirror.example/python@sha256:1' };
  const mirrored = await open({ targets: [PUSH, PULL], mirrors });
  await mirrored.build();
  expect(mirrored.pulls[0]).toEqual({ ref: 'mirror.example/python@sha256:1', auth: undefined });
});

test('without a registry to push to, nothing is downloaded or built', async () => {
  const { build, builds, pulls } = await open({ targets: [PULL] });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /container-push/));
  expect([builds, pulls]).toEqual([[], []]);
});

test('a connection that was deleted after the start fails the packaging with its name', async () => {
  const { build, connections } = await open();
  await connections.remove('push');
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /"push"/));
});

test.each([
  ['a port below 1024', { port: 80 }, /port/],
  ['an option instead of a host', { host: '--reload' }, /host/],
  ['a base image with a line end', { dockerfileBaseImage: 'python:3\nRUN touch /owned' }, /dockerfileBaseImage/],
  ['a tag that is none', { imageName: 'wine:a/b:~' }, /image name/],
  ['an address outside of the push registry', { imageName: 'evil.example/wine:1' }, /must lie under/],
])('%s fails the packaging before a model image is built', async (_, args, message) => {
  const { build, builds } = await open({ args });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', message));
  expect(builds.filter(({ oneStage }) => oneStage)).toEqual([]);
});

test.each([
  ['../../etc', 'registry.example/models/etc-1:u1'],
  ['Überwein 🍷', 'registry.example/models/berwein-1:u1'],
  ['a:b@sha256', 'registry.example/models/a-b-sha256-1:u1'],
])('the name %j of a model cannot leave the repository', async (name, image) => {
  const project = JSON.stringify({ model: { name, version: '1', workDir: 'wine' } });
  const { build } = await open({ files: filesOf(project) });
  expect((await build()).image).toBe(image);
});

test.each([
  ['ArtifactNotFound', async ({ bucket }: Awaited<ReturnType<typeof open>>) => bucket.remove('wine.zip'), /wine\.zip/],
  ['PackagerFailed', async ({ bucket }: Awaited<ReturnType<typeof open>>) => bucket.put('wine.zip', 'text'), /no tar/],
] as const)(
  'an artifact that is not there or unreadable: %s, and no base is pulled',
  async (reason, spoil, message) => {
    const scene = await open();
    await spoil(scene);
    await expect(scene.build()).rejects.toMatchObject(failed(reason, message));
    expect(scene.pulls).toEqual([]);
  },
);

test('a base without Python fails and leaves no container', async () => {
  const { build, containers, builds } = await open({ listed: 'sh: python3: not found' });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /does not run Python/));
  expect([containers.size, builds]).toEqual([0, []]);
});

test('a canceled build stops after the download', async () => {
  const { build, pulls } = await open({ signal: AbortSignal.abort(new Error('canceled')) });
  await expect(build()).rejects.toThrow('canceled');
  expect(pulls).toEqual([]);
});

test('no scratch folder is left, whether the build ends or fails', async () => {
  const [ends, fails] = [await open(), await open({ args: { port: 1 } })];
  onTestFinished(() => void vi.unstubAllEnvs());
  await inScratchFolder(async (folder) => {
    vi.stubEnv('TMPDIR', folder);
    await ends.build();
    await expect(fails.build()).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});
