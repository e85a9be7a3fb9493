import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { EngineDriver, Handle, ImageFacts } from '../../platform/engines/driver.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { variablesOf } from '../../platform/registry/image.js';
import { openImage } from '../../platform/registry/open-image.js';
import { inspectBase } from '../packaging/base-image.js';
import { comparePackages } from '../packaging/packages.js';
import { openBase } from '../shared/base.js';
import { lineSink } from '../shared/log-sink.js';
import { openPlatformRepository, type RegistryDeps } from '../shared/platform-repository.js';
import { ENVIRONMENT, makeEnvironmentImage } from '../shared/environment-image.js';
import {
  OUTPUT,
  putRunner,
  removeUnlessAborted,
  startJob,
  superviseJob,
  takeFolder,
  WORKSPACE,
} from '../shared/job.js';
import { parseLock, readLock } from '../shared/lock.js';
import {
  INSTALL_LIMITS,
  installerKey,
  installerVariables,
  putUv,
  type PythonInstaller,
  sha256,
} from '../shared/python-installer.js';
import { readOutcome } from './outcome.js';
import { type Workspace, withScratchFolder } from './workspace.js';

export interface EnvironmentRequest {
  ref: RunRef;
  workspace: Workspace;
  workDir: string;
  /** Image of the toolchain: the environment is this plus what the project names and the image lacks. */
  image: string;
}

export interface EnvironmentDeps extends PythonInstaller, RegistryDeps {
  engine: EngineDriver;
  objects: ObjectStore;
  known: KnownEnvironments;
  pollMs: number;
}

/** Images by the keys of their locks: a training that comes again asks no registry. */
export type KnownEnvironments = LRUCache<string, string>;

/** Each is looked up once an hour all the same, which notes its use: upkeep removes what is not used. */
export const newKnownEnvironments = (): KnownEnvironments => new LRUCache({ max: 1_000, ttl: 3_600_000 });

interface Watch {
  log: LogWriter;
  signal: AbortSignal;
  beat: () => void;
}

const RESOLVE_SECONDS = 900;

/**
 * The image that holds exactly what the project's environment asks for. Resolved once per workspace and toolchain
 * image; a repeat uses the stored lock, so it trains with the same versions.
 * @throws run_failed, reason ToolchainFailed, when the environment cannot be resolved or installed
 */
export async function ensureEnvironment(
  deps: EnvironmentDeps,
  request: EnvironmentRequest,
  watch: Watch,
): Promise<string> {
  const toolchain = await deps.engine.ensureImage(request.image, undefined, watch.signal);
  const key = sha256(`${toolchain.id}\n${request.workspace.digest}\n${request.workDir}`);
  const lockKey = `environments/${key}.lock`;
  const known = deps.known.get(lockKey);
  if (known !== undefined && (await deps.engine.inspectImage(known))) return known;
  const image = await resolveAndInstall(deps, { request, toolchain, lockKey }, watch);
  deps.known.set(lockKey, image);
  return image;
}

async function resolveAndInstall(
  deps: EnvironmentDeps,
  { request, toolchain, lockKey }: { request: EnvironmentRequest; toolchain: ImageFacts; lockKey: string },
  watch: Watch,
): Promise<string> {
  const build = (lock: string): Promise<string> => ensureImageOf(deps, { request, toolchain, lock }, watch);
  const kept = await readText(deps.objects, lockKey);
  if (kept !== undefined) return build(kept);
  const lock = await resolveLock(deps, request, watch);
  const image = await build(lock);
  // Only now, as what cannot be installed must not stay: an index may show a version for a moment, and take it back.
  const { created } = await deps.objects.put(lockKey, lock, { ifAbsent: true, contentType: 'text/plain' });
  const first = created ? lock : ((await readText(deps.objects, lockKey)) ?? lock);
  return first === lock ? image : build(first);
}

const readText = async (objects: ObjectStore, key: string): Promise<string | undefined> =>
  (await objects.head(key)) ? (await objects.read(key)).toString('utf8') : undefined;

/** The toolchain's own image where it holds all that is locked; else one made upon it, once per lock. */
async function ensureImageOf(
  deps: EnvironmentDeps,
  { request, toolchain, lock }: { request: EnvironmentRequest; toolchain: ImageFacts; lock: string },
  watch: Watch,
): Promise<string> {
  const { engine, objects } = deps;
  const pinned = parseLock(lock, 'the lock of the environment', 'ToolchainFailed');
  const ensure = async (): Promise<string> => request.image;
  const inspection = { kind: 'training' as const, ...request, digest: toolchain.id, ensure, signal: watch.signal };
  const { packages } = await inspectBase(engine, objects, inspection);
  if (comparePackages(pinned, packages).install.length === 0) return request.image;
  return makeUpon(deps, { request, pinned }, watch);
}

/** The image of toolchain and lock, in the platform's registry and in the engine. @returns its name, with its digest */
async function makeUpon(
  deps: EnvironmentDeps,
  { request, pinned }: { request: EnvironmentRequest; pinned: string[] },
  watch: Watch,
): Promise<string> {
  const { engine, pollMs } = deps;
  const { ref, image: reference } = request;
  const { signal, log } = watch;
  const reason = 'ToolchainFailed';
  const say = lineSink(log, () => new Date());
  const [base, { repository: target, auth }, installer] = await Promise.all([
    openBase(deps, { reference, signal, say, reason: 'ImagePullFailed' }),
    openPlatformRepository(deps, 'environments', { signal, reason: 'PushFailed' }),
    installerKey(engine, deps, signal),
  ]);
  const key = [base.image.manifest.digest, installer, ...pinned];
  const tag = `training-${sha256(key.join('\n')).slice(0, 32)}`;
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = variablesOf(base.image);
  const settings = { env: { PATH: `${ENVIRONMENT}/bin:${PATH}` }, user: '10001' };
  const wanted = { kind: 'training' as const, ref, base, target, tag, lock: pinned, settings, installer: deps, reason };
  const made =
    (await openImage(target, tag, { reason })) ??
    (await makeEnvironmentImage(engine, { ...wanted, reason }, { ...watch, pollMs }));
  const name = `${target.name}@${made.manifest.digest}`;
  await engine.ensureImage(name, auth, signal);
  return name;
}

/** Runs the resolver beside the project, in the toolchain's image. @returns requirement lines with hashes */
async function resolveLock(deps: EnvironmentDeps, request: EnvironmentRequest, watch: Watch): Promise<string> {
  const { engine, objects, runner, builderImage } = deps;
  const project = join(WORKSPACE, 'src', request.workDir);
  const spec = {
    name: containerName('training', request.ref, 'env'),
    image: request.image,
    command: ['python3', '-m', 'slipway_runner', 'environment', '--project', project, '--lock', `${OUTPUT}/lock.txt`],
    env: installerVariables(deps),
    labels: {
      kind: 'training',
      id: request.ref.id,
      uid: request.ref.uid,
      generation: String(request.ref.generation),
      part: 'env',
    },
    network: 'index' as const,
    limits: INSTALL_LIMITS,
  };
  const start = () =>
    startJob(engine, spec, async (created) => {
      await putRunner(engine, created, runner, {});
      await putUv(engine, created, { kind: 'training', ref: request.ref, signal: watch.signal, builderImage });
      await engine.putArchive(created, WORKSPACE, await objects.open(request.workspace.key));
    });
  const handle = await start();
  try {
    const { exitCode } = await superviseJob({
      ...{ ...deps, ...watch, handle, limitSeconds: RESOLVE_SECONDS },
      ...{ resubmit: start, repeatKilled: true },
    });
    if (exitCode !== 0) throw await environmentFailed(engine, handle, exitCode);
    return await takeLock(engine, handle);
  } finally {
    await removeUnlessAborted(engine, handle, watch.signal);
  }
}

/** @returns the lines of the lock, and nothing else that the container wrote */
async function takeLock(engine: EngineDriver, handle: Handle): Promise<string> {
  return withScratchFolder(async (scratch) => {
    await takeFolder(engine, handle, OUTPUT, scratch);
    const lines = await readLock(join(scratch, 'lock.txt'), 'the lock of the environment', 'ToolchainFailed');
    return lines.map((line) => `${line}\n`).join('');
  });
}

async function environmentFailed(engine: EngineDriver, handle: Handle, exitCode: number): Promise<Error> {
  const { message } = await readOutcome(engine, handle);
  return runFailed({ reason: 'ToolchainFailed', message: message ?? 'the environment cannot be resolved', exitCode });
}
