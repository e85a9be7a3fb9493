import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerSpec, EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName, type RunKind, type RunRef } from '../../platform/kinds/ids.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';
import { assembleImage, type ImageSettings, type NewLayer } from '../../platform/registry/assemble.js';
import type { Image } from '../../platform/registry/image.js';
import type { Repository } from '../../platform/registry/repository.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import { readOutcome } from '../training/outcome.js';
import { withScratchFolder } from '../training/workspace.js';
import { CONTAINER_UID, tarFolder } from './archive.js';
import type { Base } from './base.js';
import { putRunner, removeUnlessAborted, startJob, superviseJob, WORKSPACE } from './job.js';
import { packLayer } from './layer.js';
import { INSTALL_LIMITS, installerVariables, putUv, type PythonInstaller } from './python-installer.js';
import { unpackInto } from './unpack.js';
import { UNPACK_LIMITS } from './unpacked-folder.js';

export const ENVIRONMENT = '/opt/env';
/** In the environment: the lock that was installed, from which the runner knows the hashes. */
export const ENVIRONMENT_LOCK = `${ENVIRONMENT}/lock.txt`;
const SERVER = '/opt/server';

export interface EnvironmentImage {
  kind: RunKind;
  ref: RunRef;
  base: Base;
  /** The repository that keeps it. */
  target: Repository;
  tag: string;
  /** Lines of a parsed lock. */
  lock: readonly string[];
  /** Folder of the Python package `slipway_server`, where the image serves. */
  server?: string;
  settings: ImageSettings;
  /** Reason of the run when the installation fails. */
  reason: Reason;
  installer: PythonInstaller;
}

interface Watch {
  log: LogWriter;
  signal: AbortSignal;
  beat: () => void;
  pollMs: number;
  limitSeconds?: number;
}

const INSTALL_SECONDS = 1_800;
/** Bytecode doubles the files of an environment. */
const LIMITS = { ...UNPACK_LIMITS, entries: 500_000 };

/**
 * Makes the image of a base and the packages of a lock. The packages are installed in the container of a job, with its
 * limits, on the Python of the base; what leaves it is read as a hostile archive, and becomes layers.
 * @throws run_failed: `reason` when the packages cannot be installed, Timeout, Evicted
 */
export async function makeEnvironmentImage(
  engine: EngineDriver,
  image: EnvironmentImage,
  watch: Watch,
): Promise<Image> {
  return withScratchFolder(async (scratch) => {
    const { base, target, tag, settings, server } = image;
    const root = join(scratch, 'root');
    await installInto(engine, image, { ...watch, root });
    const paths = server === undefined ? [ENVIRONMENT] : [ENVIRONMENT, SERVER];
    const layers: NewLayer[] = [];
    for (const path of paths) {
      const file = join(scratch, `layer-${layers.length}.tar.gz`);
      const place = { folder: join(root, path), path: path.slice(1), file, signal: watch.signal };
      layers.push(await packLayer({ ...place, createdBy: `slipway ${path}` }));
    }
    const made = await assembleImage(target, { base: base.image, layers, settings });
    await target.putManifest(made.manifest, tag);
    return made;
  });
}

/** Installs in a container, and unpacks what it made below `root`. */
async function installInto(
  engine: EngineDriver,
  image: EnvironmentImage,
  { root, limitSeconds = INSTALL_SECONDS, ...watch }: Watch & { root: string },
): Promise<void> {
  const spec = installContainer(image, await image.base.ensure());
  const start = () => startJob(engine, spec, (created) => fill(engine, created, image, watch.signal));
  const handle = await start();
  try {
    const supervision = { engine, handle, limitSeconds, ...watch, resubmit: start, repeatKilled: true };
    const { exitCode, outOfMemory } = await superviseJob(supervision);
    if (exitCode !== 0) throw await installFailed(engine, handle, { exitCode, outOfMemory, reason: image.reason });
    await takeEnvironment(engine, handle, image, root);
  } finally {
    await removeUnlessAborted(engine, handle, watch.signal);
  }
}

function installContainer({ kind, ref, server, installer }: EnvironmentImage, base: string): ContainerSpec {
  return {
    name: containerName(kind, ref, 'install'),
    image: base,
    command: ['python3', '-m', 'slipway_runner.install', `${WORKSPACE}/job.json`],
    env: installerVariables(installer),
    labels: { kind, id: ref.id, uid: ref.uid, generation: String(ref.generation), part: 'install' },
    volumes: server === undefined ? [ENVIRONMENT] : [ENVIRONMENT, SERVER],
    network: 'index',
    limits: INSTALL_LIMITS,
  };
}

async function fill(
  engine: EngineDriver,
  created: Handle,
  { kind, ref, lock, server, installer }: EnvironmentImage,
  signal: AbortSignal,
): Promise<void> {
  await putRunner(engine, created, installer.runner, { lock, server: server !== undefined });
  await putUv(engine, created, { kind, ref, signal, builderImage: installer.builderImage });
  await withScratchFolder(async (scratch) => {
    // A new volume belongs to root: the archive's own folder gives it to the user of the container.
    const put = (folder: string, path: string): Promise<void> =>
      engine.putArchive(created, path, tarFolder(folder, { uid: CONTAINER_UID }));
    const volume = join(scratch, 'volume');
    await mkdir(volume);
    await put(volume, ENVIRONMENT);
    if (server === undefined) return;
    await copySources(server, join(volume, 'slipway_server'));
    await put(volume, SERVER);
  });
}

const copySources = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: (path) => !path.includes('__pycache__') });

async function installFailed(
  engine: EngineDriver,
  handle: Handle,
  { exitCode, outOfMemory, reason }: { exitCode: number; outOfMemory: boolean; reason: Reason },
): Promise<Error> {
  if (outOfMemory) {
    const gibibytes = INSTALL_LIMITS.memoryBytes / 2 ** 30;
    const message = `the installation of the packages passed its memory limit of ${gibibytes} GiB`;
    return runFailed({ reason: 'OutOfMemory', message, exitCode });
  }
  const { message } = await readOutcome(engine, handle);
  const ended = `the installation of the packages ended with exit code ${exitCode}: its log says why`;
  return runFailed({ reason, message: message ?? ended, exitCode });
}

async function takeEnvironment(
  engine: EngineDriver,
  handle: Handle,
  { lock, server, base: { reference: base }, reason }: EnvironmentImage,
  root: string,
): Promise<void> {
  const take = async (volume: string): Promise<void> => {
    await mkdir(join(root, volume), { recursive: true });
    // By its content: podman names the entries of a volume as if it were the root folder.
    const archive = await engine.getArchive(handle, `${volume}/.`);
    await unpackInto(archive, join(root, volume), { limits: LIMITS }).catch((err: unknown) => {
      if (!(err instanceof SlipwayError) || err.code !== 'validation_failed') throw err;
      throw runFailed({ reason, message: `what image "${base}" installed is refused: ${err.message}` }, err);
    });
  };
  await take(ENVIRONMENT);
  await linkInterpreter(join(root, ENVIRONMENT), base, reason);
  await replace(join(root, ENVIRONMENT_LOCK), (path) => writeFile(path, lock.map((line) => `${line}\n`).join('')));
  if (server === undefined) return;
  await take(SERVER);
  // The server is the platform's, whatever became of its copy in the container.
  await replace(join(root, SERVER, 'slipway_server'), (path) => copySources(server, path));
}

/** Links to the interpreter lead out of the folder, so that no archive may bring them. */
async function linkInterpreter(folder: string, base: string, reason: Reason): Promise<void> {
  const settings = await readSmallFile(join(folder, 'pyvenv.cfg'));
  const home = /^home = (\/[\w./+-]{1,200})$/m.exec(settings)?.[1];
  const versions = await readdir(join(folder, 'lib')).catch(() => []);
  const version = versions.find((name) => /^python3\.\d+$/.test(name));
  if (home === undefined || version === undefined)
    throw runFailed({ reason, message: `image "${base}" made no environment of Python` });
  const links = { python3: `${home}/python3`, python: 'python3', [version]: 'python3' };
  for (const [name, target] of Object.entries(links))
    await replace(join(folder, 'bin', name), (path) => symlink(target, path));
}

async function readSmallFile(file: string): Promise<string> {
  const facts = await stat(file).catch(() => undefined);
  return facts?.isFile() && facts.size < 2 ** 16 ? readFile(file, 'utf8') : '';
}

/** Writes in place of what the container may have left there, such as a link. */
async function replace(path: string, write: (path: string) => Promise<void>): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await write(path);
}
