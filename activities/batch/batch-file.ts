import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { InferenceJob } from '../../lifecycle/kinds/inference-job.js';
import { DEFAULT_RESOURCES } from '../../platform/kinds/resource-requirements.js';
import type { ContainerSpec, EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { LogWriter } from '../../platform/stores/logs.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { CONTAINER_UID, tarFolder } from '../shared/archive.js';
import { whileBeating } from '../shared/heartbeat.js';
import { jobEnvironment, type JobExit, OUTPUT, startJob, superviseJob, WORKSPACE } from '../shared/job.js';
import { containerLimits } from '../shared/limits.js';
import { withScratchFolder } from '../training/workspace.js';
import type { BatchPlan } from './batch-plan.js';

export interface BatchFile {
  ref: RunRef;
  job: InferenceJob;
  plan: BatchPlan;
  /** Position in the plan. */
  index: number;
  /** The data source. */
  source: ObjectStore;
  log: LogWriter;
  limitSeconds: number;
  signal: AbortSignal;
  beat: () => void;
}

export interface BatchFileDeps {
  engine: EngineDriver;
  /** The platform's bucket. */
  objects: ObjectStore;
  /** Most disk space of the files of one program in its container. */
  diskBytes?: number;
  pollMs?: number;
  /** Waits until another program may run, and starts it. */
  startInPlace: (name: string, start: () => Promise<void>) => Promise<void>;
  /** @throws when another attempt counts */
  requireAttempt: () => Promise<void>;
}

export const fileName = ({ plan, index }: Pick<BatchFile, 'plan' | 'index'>): string => plan.files[index] ?? '';

/**
 * Runs the program for one file in a container of its own, or finds the one that an earlier attempt started.
 * @returns the container, which has the output
 * @throws run_failed: PredictionFailed, OutOfMemory, OutOfStorage, Timeout, Evicted
 */
export async function predictFile(deps: BatchFileDeps, file: BatchFile): Promise<Handle> {
  const { engine, pollMs = 500, diskBytes, requireAttempt } = deps;
  const spec = fileContainer(file);
  const { log, last } = fileLog(file.log, fileName(file));
  const start = () =>
    deps.startInPlace(spec.name, async () => {
      await startJob(engine, spec, (handle) => fill(deps, file, handle));
    });
  const handle = { name: spec.name };
  const { limitSeconds, signal, beat } = file;
  await whileBeating(start, beat);
  const watch = { log, limitSeconds, signal, beat, pollMs, diskBytes };
  const again = { resubmit: start, requireAttempt, repeatKilled: true };
  const exit = await superviseJob({ engine, handle, ...again, ...watch });
  refuseExit(exit, last());
  return handle;
}

/** The program has no network and no credential; all that it gets is the file, and the model where the image has none. */
function fileContainer({ ref, job, plan, index }: BatchFile): ContainerSpec {
  const limits = containerLimits(job.spec.resources ?? DEFAULT_RESOURCES.batch);
  const input = `${WORKSPACE}/input/${basename(fileName({ plan, index }))}`;
  const { id, uid, generation } = ref;
  return {
    name: containerName('batchJob', ref, String(index)),
    image: plan.image,
    entrypoint: plan.command,
    command: [...plan.args, input, OUTPUT],
    env: {
      ...batchEnvironment(limits.cpus),
      SLIPWAY_MODEL_PATH: plan.modelPath,
      SLIPWAY_REQUEST_ID: job.spec.requestId ?? '',
    },
    labels: { kind: 'batchJob', id, uid, generation: String(generation) },
    network: 'none',
    limits,
  };
}

/** The image has its own packages, and what a job finds in its workspace is never one of them. */
function batchEnvironment(cpus: number): Record<string, string> {
  const { PYTHONPATH: _none, ...environment } = jobEnvironment(cpus);
  return environment;
}

async function fill({ engine, objects }: BatchFileDeps, file: BatchFile, handle: Handle): Promise<void> {
  const key = fileName(file);
  await withScratchFolder(async (scratch) => {
    for (const folder of ['input', 'output', 'tmp']) await mkdir(join(scratch, folder));
    const body = await file.source.open(key).catch((err: unknown) => {
      throw runFailed({ reason: 'DataCopyFailed', message: 'it cannot be read: was it removed meanwhile?' }, err);
    });
    await pipeline(body, createWriteStream(join(scratch, 'input', basename(key))));
    await engine.putArchive(handle, WORKSPACE, tarFolder(scratch, { uid: CONTAINER_UID }));
  });
  if (file.plan.modelKey !== undefined)
    await engine.putArchive(handle, WORKSPACE, await objects.open(file.plan.modelKey));
}

/** Lines say which file they are of. Each file has a container of its own, whose log is read from its beginning. */
function fileLog(log: LogWriter, key: string): { log: LogWriter; last: () => string } {
  let last = '';
  return {
    log: {
      position: undefined,
      step: (name) => log.step(name),
      append(line) {
        if (line.text.trim() !== '') last = line.text.trim();
        return log.append({ ...line, text: `${key}: ${line.text}` });
      },
      flush: () => log.flush(),
      tail: () => log.tail(),
      finish: (end) => log.finish(end),
    },
    last: () => last,
  };
}

const LONGEST_WORDS = 500;

/** @throws run_failed with the last line of the program */
function refuseExit({ exitCode, outOfMemory }: JobExit, last: string): void {
  if (exitCode === 0) return;
  if (outOfMemory) throw runFailed({ reason: 'OutOfMemory', message: 'the program passed its memory limit', exitCode });
  if (exitCode === 137)
    throw runFailed({ reason: 'Evicted', message: 'the container was killed from outside', exitCode });
  const said = last === '' ? '' : `: ${last.replace(/^slipway: /, '').slice(0, LONGEST_WORDS)}`;
  throw runFailed({
    reason: 'PredictionFailed',
    message: `the program ended with exit code ${exitCode}${said}`,
    exitCode,
  });
}
