import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerSpec, ContainerState, EngineDriver, Handle } from '../../platform/engines/driver.js';
import { failureIn, runFailed } from '../../platform/kinds/reasons.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import { diskExcess } from './disk-space.js';
import { whileBeating } from './heartbeat.js';
import { lineSink } from './log-sink.js';
import { CONTAINER_UID, tarFolder } from './archive.js';
import { unpackInto } from './unpack.js';
import { withScratchFolder } from '../training/workspace.js';

/** Where user code lives inside its container: the only place it can write to. */
export const WORKSPACE = '/workspace';
export const OUTPUT = `${WORKSPACE}/output`;

/** How a job ended. */
export interface JobExit {
  exitCode: number;
  outOfMemory: boolean;
}

/**
 * Creates the container and fills it, or finds the one that an earlier attempt created. Only a container that never
 * started is filled: files must not change under a running program.
 */
export async function startJob(
  engine: EngineDriver,
  spec: ContainerSpec,
  fill: (handle: Handle) => Promise<void>,
): Promise<Handle> {
  const { handle } = await engine.create({ ...spec, volumes: [WORKSPACE, ...(spec.volumes ?? [])] });
  if ((await engine.state(handle))?.phase === 'created') {
    await fill(handle);
    await engine.start(handle);
  }
  return handle;
}

/** Puts the runner, the job description and the writable folders into a new container. */
export async function putRunner(engine: EngineDriver, handle: Handle, runner: string, job: object): Promise<void> {
  await withScratchFolder(async (scratch) => {
    const root = join(scratch, 'root');
    for (const folder of ['output', 'tmp', 'mlruns', 'artifact', 'src', '.slipway'])
      await mkdir(join(root, folder), { recursive: true });
    await cp(runner, join(root, '.slipway', 'slipway_runner'), {
      recursive: true,
      filter: (path) => !path.includes('__pycache__'),
    });
    await writeFile(join(root, 'job.json'), JSON.stringify(job));
    await engine.putArchive(handle, WORKSPACE, tarFolder(root, { uid: CONTAINER_UID }));
  });
}

/** Environment of every job: no telemetry, no more threads than cores, nothing of the platform. */
export function jobEnvironment(cpus: number): Record<string, string> {
  const threads = String(Math.max(1, Math.ceil(cpus)));
  return {
    PYTHONPATH: `${WORKSPACE}/.slipway`,
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    HOME: `${WORKSPACE}/tmp`,
    TMPDIR: `${WORKSPACE}/tmp`,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    OMP_NUM_THREADS: threads,
    OPENBLAS_NUM_THREADS: threads,
    MKL_NUM_THREADS: threads,
    // MLflow asks for a git that is not there, and each time warns at length.
    GIT_PYTHON_REFRESH: 'quiet',
    MLFLOW_DISABLE_TELEMETRY: 'true',
    DO_NOT_TRACK: 'true',
  };
}

interface Supervision {
  engine: EngineDriver;
  handle: Handle;
  /** Makes and starts the container again, which is removed then. Without it, nothing is run again. */
  resubmit?: () => Promise<unknown>;
  /** Called before a job is run again. @throws when another attempt counts: that one may have removed the container */
  requireAttempt?: () => Promise<void>;
  /** A job whose input is kept is run again also when it was killed from outside. */
  repeatKilled?: boolean;
  log: LogWriter;
  limitSeconds: number;
  /** Most disk space of its files. */
  diskBytes?: number;
  /** Between two measurements of it. */
  diskLookMs?: number;
  pollMs: number;
  signal: AbortSignal;
  beat: () => void;
}

/** How often a job is run again that is lost through no fault of its own. */
const MOST_REPEATS = 2;
/** Polls in a row that find a started container not started before it counts as lost. */
const POLLS = 5;
const KILLED = 137;
/** Where no setting names another limit. */
const MOST_DISK_BYTES = 50 * 2 ** 30;
/** Between two looks at the disk space: the engine counts files for each. */
const DISK_LOOK_MS = 15_000;

/**
 * Follows a container to its end and copies its log. An abort ends the watching, never the container. One that is gone,
 * or that lost its process because its host was restarted, is run again.
 * @throws run_failed: Timeout and OutOfStorage past the limits (the container is stopped first), Evicted when it is lost
 * again and again
 */
export async function superviseJob(supervision: Supervision): Promise<JobExit> {
  const { engine, handle, resubmit, requireAttempt, log, beat } = supervision;
  const say = lineSink(log, () => new Date());
  for (let repeats = 0; ; repeats += 1) {
    const end = await afterRemoval(await follow(supervision), supervision);
    const loss = lossOf(end, supervision);
    if (loss === undefined || resubmit === undefined || repeats === MOST_REPEATS) {
      if ('exitCode' in end) return end;
      throw runFailed({ reason: 'Evicted', message: end.lost });
    }
    await requireAttempt?.();
    say(`WARNING ${loss}; it is run again`);
    await whileBeating(async () => {
      await engine.remove(handle);
      await resubmit();
    }, beat);
  }
}

type JobEnd = JobExit | { lost: string };

const isKilled = (end: JobEnd): end is JobExit => 'exitCode' in end && end.exitCode === KILLED && !end.outOfMemory;

/** A removal from outside kills the container first: it is gone a moment later. */
async function afterRemoval(end: JobEnd, { engine, handle, pollMs, signal }: Supervision): Promise<JobEnd> {
  if (!isKilled(end)) return end;
  await sleep(POLLS * pollMs, undefined, { signal });
  return (await engine.state(handle)) === undefined ? { lost: goneText(handle) } : end;
}

/** Why an end says nothing about the job itself. */
function lossOf(end: JobEnd, { repeatKilled = false }: Supervision): string | undefined {
  if ('lost' in end) return end.lost;
  return isKilled(end) && repeatKilled ? 'the container was killed from outside' : undefined;
}

const goneText = ({ name }: Handle): string => `container ${name} is gone`;

async function follow(supervision: Supervision): Promise<JobEnd> {
  const stopped = new AbortController();
  const watch = { ...supervision, signal: AbortSignal.any([supervision.signal, stopped.signal]) };
  const copied = copyLog(watch);
  const exited = awaitExit(watch);
  try {
    // A log that cannot be stored ends the attempt at once; the next one goes on after the stored part.
    const exit = await Promise.race([exited, copied.then(() => exited)]);
    // The log of what does not run has no end. The rest of a flood of lines may take longer than the server waits for a beat.
    if ('exitCode' in exit) await whileBeating(() => copied, supervision.beat);
    return exit;
  } finally {
    stopped.abort();
    await Promise.allSettled([copied, exited]);
  }
}

async function awaitExit(supervision: Supervision): Promise<JobEnd> {
  const { engine, handle, limitSeconds, pollMs, signal, beat, diskLookMs = DISK_LOOK_MS } = supervision;
  let lookedAt = Date.now();
  for (let notStarted = 0; ;) {
    signal.throwIfAborted();
    beat();
    const state = await engine.state(handle);
    if (state === undefined) return { lost: goneText(handle) };
    notStarted = state.phase === 'created' ? notStarted + 1 : 0;
    if (notStarted === POLLS) return { lost: `container ${handle.name} lost its process when its host was restarted` };
    const overdue = lastedMs(state) > limitSeconds * 1_000;
    if (state.phase !== 'exited' && Date.now() - lookedAt > diskLookMs) {
      await whileBeating(() => requireDiskSpace(supervision), beat);
      lookedAt = Date.now();
    }
    if (state.phase !== 'exited') {
      if (overdue) await whileBeating(() => engine.stop(handle, 10_000), beat);
      else await sleep(pollMs, undefined, { signal });
    } else if (overdue && state.exitCode !== 0) {
      // Derived from the container, because the attempt that stopped it may not be the one that sees its end.
      throw runFailed({ reason: 'Timeout', message: `the run took longer than ${limitSeconds} s`, exitCode: 124 });
    } else {
      return { exitCode: state.exitCode, outOfMemory: state.outOfMemory };
    }
  }
}

/** @throws run_failed, reason OutOfStorage, after the container was stopped */
async function requireDiskSpace({ engine, handle, diskBytes = MOST_DISK_BYTES }: Supervision): Promise<void> {
  const message = await diskExcess(handle, { engine, diskBytes, setting: 'SLIPWAY_MAX_JOB_DISK_GIB' });
  if (message === undefined) return;
  await engine.stop(handle, 1_000);
  throw runFailed({ reason: 'OutOfStorage', message });
}

function lastedMs(state: ContainerState): number {
  if (state.phase === 'created') return 0;
  return (state.phase === 'exited' ? Date.parse(state.finishedAt) : Date.now()) - Date.parse(state.startedAt);
}

/**
 * Removes the container of a step that has ended. A canceled attempt leaves it, because it may belong to another
 * attempt's by now; the undo of the run removes what is left.
 */
export async function removeUnlessAborted(engine: EngineDriver, handle: Handle, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await engine.remove(handle);
}

async function copyLog({ engine, handle, log, signal }: Supervision): Promise<void> {
  try {
    for await (const line of engine.logs(handle, { from: log.position, follow: true, signal })) await log.append(line);
  } finally {
    await log.flush();
  }
}

/** Unpacks a folder of the container's workspace into `folder`; `false` when the job left none. */
export async function takeFolder(engine: EngineDriver, handle: Handle, path: string, folder: string): Promise<boolean> {
  const archive = await engine.getArchive(handle, path).catch((err: unknown) => {
    if (failureIn(err)?.reason === 'ArtifactNotFound') return undefined;
    throw err;
  });
  if (archive === undefined) return false;
  await mkdir(folder, { recursive: true });
  await unpackInto(archive, folder, { strip: 1 });
  return true;
}
