import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { assembleFromArtifact } from '../../../activities/packaging/image-assembly.js';
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
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { type TarEntry, tarOf } from '../shared/archives.js';
import { installedOutputs } from '../shared/installed.js';
import { createMemoryEngine, end, type MemoryContainer, print } from '../shared/memory-engine.js';
import { openRegistryDeps } from '../shared/registry-deps.js';
import { newConnection, newPackager, newPackaging } from '../shared/resources.js';

const folders: string[] = [];
/** For `afterEach`. */
export async function removeServers(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
}

const RUNNER = join(import.meta.dirname, '..', '..', '..', 'runtime', 'slipway_runner');
export const MODEL = 'model: { name: Wine Model, version: 1.0, workDir: wine }\n';
export const filesOf = (project = MODEL, lock = 'numpy==1.26.4\npandas==2.1.0\n'): TarEntry[] => [
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
export const PUSH = { name: 'container-push', connectionName: 'push' };
export const PULL = { name: 'container-pull', connectionName: 'pull' };

const withoutUndefined = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, unknown>;

export interface Options {
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
export async function openAssembly(options: Options = {}) {
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
export const failed = (reason: string, message: RegExp) => ({
  ...{ code: 'run_failed', detail: { reason } },
  message: expect.stringMatching(message),
});
