import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDriver, Handle, ImageFacts } from '../../platform/engines/driver.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { packFolder } from '../shared/archive.js';
import { MAX_LOCK_BYTES, pinnedIn } from './artifact.js';
import { inspectBase } from '../packaging/base-image.js';
import {
  jobEnvironment,
  OUTPUT,
  putRunner,
  removeUnlessAborted,
  startJob,
  superviseJob,
  takeFolder,
  WORKSPACE,
} from '../shared/job.js';
import { lineSink } from '../shared/log-sink.js';
import { readAtMost } from '../shared/read-at-most.js';
import { readOutcome } from './outcome.js';
import { comparePackages } from '../packaging/packages.js';
import { type Workspace, withScratchFolder } from './workspace.js';

export interface EnvironmentRequest {
  ref: RunRef;
  workspace: Workspace;
  workDir: string;
  /** Image of the toolchain: the environment is this plus what the project names and the image lacks. */
  image: string;
}

export interface EnvironmentDeps {
  engine: EngineDriver;
  objects: ObjectStore;
  /** Folder of the Python package `slipway_runner`. */
  runner: string;
  pollMs: number;
}

interface Watch {
  log: LogWriter;
  signal: AbortSignal;
  beat: () => void;
}

const RESOLVE_LIMITS = { cpus: 2, memoryBytes: 2 * 2 ** 30 };
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

/** The toolchain's own image where it holds all that is locked; else one built upon it, once per lock. */
async function ensureImageOf(
  deps: EnvironmentDeps,
  { request, toolchain, lock }: { request: EnvironmentRequest; toolchain: ImageFacts; lock: string },
  watch: Watch,
): Promise<string> {
  const inspection = { kind: 'training' as const, ...request, facts: toolchain, signal: watch.signal };
  const { packages } = await inspectBase(deps.engine, deps.objects, inspection);
  if (comparePackages(pinnedIn(lock), packages).install.length === 0) return request.image;
  const tag = `slipway.local/environment:${sha256(`${toolchain.id}\n${lock}`).slice(0, 32)}`;
  if (await deps.engine.inspectImage(tag)) return tag;
  await buildEnvironment(deps, { image: request.image, lock, tag }, watch);
  return tag;
}

/** Runs the resolver beside the project, in the toolchain's image. @returns requirement lines with hashes */
async function resolveLock(deps: EnvironmentDeps, request: EnvironmentRequest, watch: Watch): Promise<string> {
  const { engine, objects, runner } = deps;
  const project = join(WORKSPACE, 'src', request.workDir);
  const spec = {
    name: containerName('training', request.ref, 'env'),
    image: request.image,
    command: ['python3', '-m', 'slipway_runner', 'environment', '--project', project, '--lock', `${OUTPUT}/lock.txt`],
    env: jobEnvironment(RESOLVE_LIMITS.cpus),
    labels: {
      kind: 'training',
      id: request.ref.id,
      uid: request.ref.uid,
      generation: String(request.ref.generation),
      part: 'env',
    },
    network: 'isolated' as const,
    limits: RESOLVE_LIMITS,
  };
  const start = () =>
    startJob(engine, spec, async (created) => {
      await putRunner(engine, created, runner, {});
      await engine.putArchive(created, WORKSPACE, await objects.open(request.workspace.key));
    });
  const handle = await start();
  try {
    const { exitCode } = await superviseJob({
      ...{ ...deps, ...watch, handle, limitSeconds: RESOLVE_SECONDS },
      ...{ resubmit: start, repeatKilled: true },
    });
    if (exitCode !== 0) throw await environmentFailed(engine, handle, exitCode);
    return await readLock(engine, handle);
  } finally {
    await removeUnlessAborted(engine, handle, watch.signal);
  }
}

async function readLock(engine: EngineDriver, handle: Handle): Promise<string> {
  return withScratchFolder(async (scratch) => {
    await takeFolder(engine, handle, OUTPUT, scratch);
    const lock = await readAtMost(createReadStream(join(scratch, 'lock.txt')), MAX_LOCK_BYTES);
    if (lock !== undefined) return lock;
    const message = `the lock of the environment is longer than ${MAX_LOCK_BYTES} bytes`;
    throw runFailed({ reason: 'ToolchainFailed', message });
  });
}

async function environmentFailed(engine: EngineDriver, handle: Handle, exitCode: number): Promise<Error> {
  const { message } = await readOutcome(engine, handle);
  return runFailed({ reason: 'ToolchainFailed', message: message ?? 'the environment cannot be resolved', exitCode });
}

async function buildEnvironment(
  { engine }: EnvironmentDeps,
  { image, lock, tag }: { image: string; lock: string; tag: string },
  { log, signal }: Watch,
): Promise<void> {
  await withScratchFolder(async (scratch) => {
    const context = join(scratch, 'context');
    await mkdir(context);
    await writeFile(join(context, 'lock.txt'), lock);
    await writeFile(join(context, 'Dockerfile'), environmentDockerfile(image));
    const file = join(scratch, 'context.tar.gz');
    await packFolder(context, file);
    const said = lineSink(log, () => new Date());
    await engine.build(createReadStream(file), { tag, network: 'host', signal }, said);
  });
}

function environmentDockerfile(image: string): string {
  return [
    `FROM ${image}`,
    'USER 0',
    'COPY lock.txt /opt/slipway/lock.txt',
    'RUN uv pip install --system --break-system-packages --no-deps --require-hashes --no-cache -r /opt/slipway/lock.txt',
    'USER 10001',
    '',
  ].join('\n');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
