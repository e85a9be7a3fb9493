import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { assembleFromArtifact } from '../../../activities/packaging/image-assembly.js';
import { unpackInto } from '../../../activities/shared/unpack.js';
import { createPackagingConnections } from '../../../activities/packaging/packaging-connections.js';
import {
  type ArgumentTable,
  CLI_ARGUMENTS,
  REST_ARGUMENTS,
  TENSOR_ARGUMENTS,
} from '../../../lifecycle/kinds/packaging-arguments.js';
import type { PackagingIntegration } from '../../../lifecycle/kinds/packaging-integration.js';
import { PackagingSpec } from '../../../lifecycle/kinds/packaging.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { openImage } from '../../../platform/registry/open-image.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { type TarEntry, tarOf } from '../shared/archives.js';
import { installedOutputs } from '../shared/installed.js';
import { createMemoryEngine, end, type MemoryContainer, print } from '../shared/memory-engine.js';
import { inScratchFolder } from '../../stack/scratch.js';
import { openRegistryDeps } from '../shared/registry-deps.js';
import { newConnection, newPackager, newPackaging } from '../shared/resources.js';
import { entriesOf } from '../../platform/registry/memory-registry.js';

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
const TABLES: Record<string, ArgumentTable> = {
  'container-rest': REST_ARGUMENTS,
  'container-cli': CLI_ARGUMENTS,
  'container-tensor': TENSOR_ARGUMENTS,
};
const defaultsOf = (packager: string) =>
  Object.fromEntries(Object.entries(TABLES[packager] ?? {}).map(([name, row]) => [name, row.default]));
const PUSH = { name: 'container-push', connectionName: 'push' };
const PULL = { name: 'container-pull', connectionName: 'pull' };

const withoutUndefined = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, unknown>;

interface Options {
  packager?: string;
  /** Output of the program of a registered packager: its plan and its files. */
  output?: TarEntry[];
  files?: TarEntry[];
  args?: object;
  targets?: PackagingSpec['targets'];
  listed?: string;
  /** How an installation ends. */
  exitCode?: number;
  mirrors?: (host: string) => Record<string, string>;
  signal?: AbortSignal;
}

/** Opens a bucket with an artifact, a registry and an engine in memory, whose base image has numpy. */
async function open(options: Options = {}) {
  const {
    packager = 'container-rest',
    files = filesOf(),
    args = {},
    targets = [PUSH],
    signal = new AbortController().signal,
  } = options;
  const {
    listed = '{"python": "3.11", "packages": {"numpy": "1.26.0"}}',
    mirrors = () => ({}),
    exitCode = 0,
    output,
  } = options;
  const server = await mkdtemp(join(tmpdir(), 'server-'));
  folders.push(server);
  await writeFile(join(server, 'app.py'), 'print("a")');
  await writeFile(join(server, 'requirements.lock'), '');
  await writeFile(join(server, 'onnx.lock'), 'onnxruntime==1.32.0\nnumpy==1.26.0\n');
  const database = createMemoryDatabase();
  const { registry, connections, deps, onPush } = await openRegistryDeps();
  const { host } = registry;
  await registry.addImage('library/python', '3.11');
  const credentials = { username: 'robot', password: 'sealed' };
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket' }));
  await connections.insert(newConnection('push', { type: 'container-registry', uri: `${host}/models` }));
  await connections.insert(newConnection('pull', { type: 'container-registry', uri: host, ...credentials }));
  const [bucket, objects] = [createMemoryObjects(), createMemoryObjects()];
  await bucket.put('wine.zip', gzipSync(await tarOf(files)));
  let installs = 0;
  const started: MemoryContainer[] = [];
  const memory = createMemoryEngine({
    outputs: { ...(await installedOutputs()), ...(output && { '/workspace/output': await tarOf(output) }) },
    onPush,
    onStart: (container) => {
      const { part = '' } = container.spec.labels;
      started.push(container);
      if (part === 'install') installs += 1;
      print(container, listed);
      end(container, ['install', 'pack'].includes(part) ? exitCode : 0);
    },
  });
  const integrations = createResources<PackagingIntegration>({ database, kind: 'PackagingIntegration' });
  if (output) await integrations.insert(newPackager(packager, { entrypoint: 'pack --all', defaultImage: 'packer:1' }));
  const said: string[] = [];
  const packaging = newPackaging('wine', {
    ...{ integrationName: packager, artifactName: 'wine.zip', outputConnection: 'bucket', targets },
    resources: PackagingSpec.parse({}).resources,
    arguments: withoutUndefined({
      ...defaultsOf(packager),
      dockerfileBaseImage: `${host}/library/python:3.11`,
      ...args,
    }),
  });
  const { id, uid, generation } = packaging;
  const log = await createLogs({ objects }).writer('logs/wine/');
  const build = (uuid = 'u1') =>
    assembleFromArtifact(
      {
        ...{ engine: memory.engine, objects, server, runner: RUNNER, builderImage: 'uv:1', ...deps },
        imageMirrors: mirrors(host),
        lineage: { steps: async () => [] },
        integrations,
      },
      {
        ref: { id, uid, generation },
        uuid,
        connections: createPackagingConnections({ connections, openStore: async () => bucket }),
        step: { packaging, say: (line) => void said.push(line), signal, log },
      },
    );
  const models = () => [...registry.manifests.keys()].filter((key) => key.startsWith('models/'));
  const parts = { build, said, bucket, connections, host, models, objects, registry };
  return { ...memory, ...parts, started, installs: () => installs };
}
const failed = (reason: string, message: RegExp) => ({
  ...{ code: 'run_failed', detail: { reason } },
  message: expect.stringMatching(message),
});

test('the environment of the lock is made first, then the model on top of it, by digest and without a tag', async () => {
  const { build, host, models, registry } = await open();
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
  const tool = await open({ packager: 'container-cli' });
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
  expect(tagOf(environment)).toBe(tagOf((await (await open()).build()).environment));
});

const TENSORS: TarEntry[] = [
  { name: 'platform.model.yaml', content: 'name: twice\nversion: 3.0\n' },
  { name: 'config.pbtxt', content: 'name: "twice"' },
  { name: 'model.onnx', content: 'graph' },
  { name: 'labels', type: 'directory' },
  { name: 'labels/names.txt', content: 'a' },
];
const TREE = [
  ...['models_repository/', 'models_repository/twice/', 'models_repository/twice/3/'],
  ...['models_repository/twice/3/labels/', 'models_repository/twice/3/labels/names.txt'],
  ...['models_repository/twice/3/model.onnx', 'models_repository/twice/config.pbtxt'],
];

test('a model for the tensor server gets its layout on the image of the tag, with the start and the labels of the server', async () => {
  const mirrors = (to: string) => ({ 'nvcr.io/nvidia/tritonserver:20.11-py3': `${to}/library/python:3.11` });
  const { build, host, registry, installs } = await open({ packager: 'container-tensor', files: TENSORS, mirrors });
  const { image: name, digest, environment } = await build();
  expect([name, environment, installs()]).toEqual([
    `${host}/models/twice-3:u1`,
    'nvcr.io/nvidia/tritonserver:20.11-py3',
    0,
  ]);
  const image = await openImage(registry.open('models/twice-3'), digest, { reason: 'PushFailed' });
  if (image === undefined) throw new Error('no image');
  expect(Object.keys(await entriesOf(image, 1))).toEqual(TREE);
  expect(image.config.config).toMatchObject({
    Entrypoint: ['tritonserver', '--model-repository=/models_repository', '--strict-model-config=false'],
    User: '10001:0',
    Labels: {
      ...{
        'dev.slipway.predictor': 'tensor-server',
        'dev.slipway.port': '8000',
        'dev.slipway.packager': 'container-tensor',
      },
      ...{ 'dev.slipway.model.name': 'twice', 'dev.slipway.model.version': '3' },
    },
  });
});

test("the platform's own tensor server is made once for all models, of the packages that its base lacks", async () => {
  const mirrors = (to: string) => ({ 'python:3.11-slim': `${to}/library/python:3.11` });
  const args = { server_base_image_tag: 'onnx' };
  const scene = await open({ packager: 'container-tensor', files: TENSORS, args, mirrors });
  const { digest, environment } = await scene.build();
  expect(environment).toMatch(new RegExp(`^${scene.host}/slipway/environments:[0-9a-f]{32}$`));
  expect(await scene.build('u2')).toMatchObject({ digest, environment });
  expect(scene.installs()).toBe(1);
  const image = await openImage(scene.registry.open('models/twice-3'), digest, { reason: 'PushFailed' });
  expect(image?.config.config?.Env).toEqual(
    expect.arrayContaining(['MODEL_REPOSITORY=/models_repository', 'PORT=8000', 'MODEL_NAME=twice', 'MODEL_VERSION=3']),
  );
  expect(image?.config.config).toMatchObject({ Entrypoint: ['python', '-m', 'slipway_server'] });
});

test('without a description a model for the tensor server has the defaults of name and version', async () => {
  const mirrors = (to: string) => ({ 'python:3.11-slim': `${to}/library/python:3.11` });
  const files = [{ name: 'model.onnx', content: 'graph' }];
  const { build, host } = await open({
    packager: 'container-tensor',
    files,
    args: { server_base_image_tag: 'onnx' },
    mirrors,
  });
  expect((await build()).image).toBe(`${host}/models/model-1:u1`);
});

test('what no tensor server can serve is refused before a base is pulled', async () => {
  const { build, pulls } = await open({ packager: 'container-tensor', files: [{ name: 'model.pt', content: 'x' }] });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /^model\.pt needs config\.pbtxt beside it/));
  expect(pulls).toEqual([]);
});

const planOf = (host: string, changes: object = {}): TarEntry[] => [
  { name: 'output/image.json', content: JSON.stringify({ base: `${host}/library/python:3.11`, ...changes }) },
  { name: 'output/app/run.sh', content: 'exec true' },
];
const REGISTERED = { packager: 'mine', args: { flavor: 'sweet', dockerfileBaseImage: undefined } };
/** A mirror, since the plan is written before the registry has its address. */
const FAR = { mirrors: (host: string) => ({ 'bases.example/library/python:3.11': `${host}/library/python:3.11` }) };

test('a registered packager runs with the artifact and its arguments, and the image is made of what it wrote', async () => {
  const plan = { entrypoint: ['sh', 'run.sh'], env: { MODE: 'x' }, predictor: 'platform-ml-server', port: 9_000 };
  const scene = await open({ ...REGISTERED, ...FAR, output: planOf('bases.example', plan) });
  const { digest, image: name } = await scene.build();
  expect(name).toBe(`${scene.host}/models/wine-model-1:u1`);
  const [job] = scene.started.filter(({ spec }) => spec.labels.part === 'pack');
  expect(job?.spec).toMatchObject({
    ...{ image: 'packer:1', command: ['pack', '--all', '/workspace/job.json'], network: 'internet' },
    env: expect.not.objectContaining({ SLIPWAY_SECRET_KEY: expect.anything() }),
  });
  await inScratchFolder(async (folder) => {
    for (const { bytes } of job?.archives ?? []) await unpackInto(Readable.from([bytes]), folder);
    expect(JSON.parse(await readFile(join(folder, 'job.json'), 'utf8'))).toMatchObject({
      ...{ kind: 'ModelPackaging', id: 'wine', model: { name: 'Wine Model', version: '1' }, image: name },
      ...{ arguments: { flavor: 'sweet' }, artifact: { name: 'wine.zip' } },
    });
    expect((await readdir(join(folder, 'artifact'))).sort()).toEqual(['lock.txt', 'platform.model.yaml', 'wine']);
  });
  const image = await openImage(scene.registry.open('models/wine-model-1'), digest, { reason: 'PushFailed' });
  if (image === undefined) throw new Error('no image');
  expect(Object.keys(await entriesOf(image, 1))).toEqual(['app/', 'app/run.sh']);
  expect(image.config.config).toMatchObject({
    ...{ Entrypoint: ['sh', 'run.sh'], User: '10001:0', WorkingDir: '/app' },
    Env: expect.arrayContaining(['MODE=x', 'MODEL_NAME=Wine Model']),
    Labels: {
      ...{ 'dev.slipway.packager': 'registered', 'dev.slipway.predictor': 'platform-ml-server' },
      'dev.slipway.port': '9000',
    },
  });
  expect(scene.containers.size).toBe(0);
});

test.each<[string, Options, RegExp]>([
  ['ends with an error', { output: [], exitCode: 3 }, /packager ended with exit code 3/],
  ['writes no plan', { output: [{ name: 'output/app', type: 'directory' }] }, /image\.json of the packager is missing/],
  ['writes a plan without base', { output: [{ name: 'output/image.json', content: '{}' }] }, /does not fit: base: /],
  ['writes no JSON', { output: [{ name: 'output/image.json', content: 'x' }] }, /does not fit: image\.json: /],
  ['writes a low port', { output: planOf('h', { port: 80 }) }, /does not fit: port: /],
  [
    'asks for what there is not',
    { output: planOf('h', { privileged: true }) },
    /does not fit: image\.json: .*privileged/,
  ],
  ['sets a variable of ours', { ...FAR, output: planOf('bases.example', { env: { MODEL_NAME: 'x' } }) }, /MODEL_NAME/],
  [
    'leaves its folder',
    { output: [{ name: 'output/app/x', type: 'symlink', linkname: '/etc' }] },
    /is refused: .*leads out/,
  ],
])('a registered packager that %s fails its packaging', async (_, options, message) => {
  const { build, models, containers } = await open({ ...REGISTERED, ...options });
  await expect(build()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: expect.objectContaining({ reason: 'PackagerFailed' }) },
    message: expect.stringMatching(message),
  });
  expect([models(), containers.size]).toEqual([[], 0]);
});

test('a packager that was deleted after the start is named', async () => {
  const { build, pulls } = await open({ packager: 'mine' });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /"mine" was deleted after.*create it again/));
  expect(pulls).toEqual([]);
});

test('the log names the packages that are kept, changed and added', async () => {
  const { build, said } = await open({ files: filesOf(MODEL, 'numpy==1.26.4\npandas==2.1.0\nsix==1.16.0\n') });
  await build();
  const text = said.join('\n');
  expect(text).toMatch(/Python 3\.11: 0 packages kept, 1 changed, 2 added/);
  expect(text).toMatch(/wins: numpy 1\.26\.0 -> 1\.26\.4\n/);
  expect(text).toMatch(/added: pandas 2\.1\.0, six 1\.16\.0/);
});

test('a repeat makes the same image, and so does another run; the environment is made once', async () => {
  const { build, installs } = await open();
  const [first, again, other] = [await build('u1'), await build('u1'), await build('u2')];
  expect(again).toEqual(first);
  expect(other).toMatchObject({ environment: first.environment, digest: first.digest });
  expect(other.image).not.toBe(first.image);
  expect(installs()).toBe(1);
});

test('a base is kept in the registry of the platform, under its digest, and pulled from there', async () => {
  const { build, pulls, host, registry } = await open();
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
  const { build, registry } = await open({ targets: [PUSH, PULL] });
  registry.credentials.clear();
  await build();
  const basic = `Basic ${Buffer.from('robot:open sealed').toString('base64')}`;
  expect(registry.credentials.get('library/python')).toEqual(new Set([basic]));
  const mirrors = (to: string) => ({ 'bases.example/python:3': `${to}/library/python:3.11` });
  const mirrored = await open({ args: { dockerfileBaseImage: 'bases.example/python:3' }, mirrors });
  await mirrored.build();
  expect(mirrored.registry.credentials.get('library/python')).toEqual(new Set(['']));
});

test('a base that only the engine has is pushed to the platform, once, by its id', async () => {
  const { build, images, pushes, host } = await open({ args: { dockerfileBaseImage: 'slipway.local/python:3' } });
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
  const { build, registry } = await open({
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
  const { build, said } = await open({ args: { dockerfileBaseImage: 'python:3.6' }, mirrors });
  await build();
  expect(said.join('\n')).toContain('INFO base python:3.6, Python 3.11');
});

test('a base of another Python serves a model whose packages it can hold; else both versions are named', async () => {
  const project = JSON.stringify({
    model: { name: 'wine', version: '1', workDir: 'wine' },
    binaries: { python: '3.11.2' },
  });
  const other = { files: filesOf(project), listed: '{"python": "3.9", "packages": {}}' };
  await (await open(other)).build();
  const { build, host } = await open({ ...other, exitCode: 65 });
  const base = `base image "${host}/library/python:3.11" has Python 3.9`;
  await expect(build()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringContaining(
      `${base}, which cannot hold the packages of the model, trained with Python 3.11: leave out`,
    ),
  });
});

test.each(['environments:1', 'bases:1', 'Environments/more:1', '{{ Name }}:1'])(
  'the image %s of a model takes no place of the platform, from which other images are made',
  async (imageName) => {
    const project = JSON.stringify({ model: { name: 'bases', version: '1', workDir: 'wine' } });
    const { build, registry, connections } = await open({ args: { imageName }, files: filesOf(project) });
    await connections.update('push', (current) => ({
      ...current,
      spec: { ...current.spec, uri: `${registry.host.replace('127.0.0.1', 'localhost')}/slipway` },
    }));
    const before = new Set(registry.manifests.keys());
    await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /keeps images of its own/));
    expect(new Set(registry.manifests.keys())).toEqual(before);
  },
);

test('a base that is nowhere is named', async () => {
  const { build } = await open({ args: { dockerfileBaseImage: 'slipway.local/none:1' } });
  await expect(build()).rejects.toMatchObject(failed('ImagePullFailed', /"slipway\.local\/none:1".*check its name/));
});

test('without a registry to push to, nothing is downloaded or made', async () => {
  const { build, models, pulls } = await open({ targets: [PULL] });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /container-push/));
  expect([models(), pulls]).toEqual([[], []]);
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
])('%s fails the packaging before a base is pulled', async (_, args, message) => {
  const { build, pulls } = await open({ args });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', message));
  expect(pulls).toEqual([]);
});

test.each([
  ['../../etc', 'etc-1:u1'],
  ['Überwein 🍷', 'berwein-1:u1'],
  ['a:b@sha256', 'a-b-sha256-1:u1'],
])('the name %j of a model cannot leave the repository', async (name, image) => {
  const project = JSON.stringify({ model: { name, version: '1', workDir: 'wine' } });
  const { build, host } = await open({ files: filesOf(project) });
  expect((await build()).image).toBe(`${host}/models/${image}`);
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
  const { build, containers, models } = await open({ listed: 'sh: python3: not found' });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /does not run Python/));
  expect([containers.size, models()]).toEqual([0, []]);
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

test('what decided an image and what is in it is kept for its statements', async () => {
  const scene = await open();
  const { digest } = await scene.build();
  const kept = await scene.objects.read(`attestations/${digest.replace(':', '-')}.json`);
  expect(JSON.parse(kept.toString('utf8'))).toMatchObject({
    origin: { packaging: 'wine', artifact: { name: 'wine.zip' }, base: { digest: expect.stringMatching(/^sha256:/) } },
    contents: { model: { name: expect.any(String) }, packages: { environment: expect.any(Array) } },
  });
});
