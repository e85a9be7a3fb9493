import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { z } from 'zod';
import type { InferenceJob, InferenceJobStatus } from '../../lifecycle/kinds/inference-job.js';
import type { EngineDriver } from '../../platform/engines/driver.js';
import { containerName, logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import { type Failure, failureIn, runFailed } from '../../platform/kinds/reasons.js';
import type { LogStore, LogWriter } from '../../platform/stores/logs.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { createContainerPlaces } from '../shared/container-places.js';
import { whileBeating } from '../shared/heartbeat.js';
import { removeUnlessAborted } from '../shared/job.js';
import { type RenewLease, requireAttempt } from '../shared/lease.js';
import { messageOf, withPatience } from '../shared/patience.js';
import { removeContainers } from '../shared/run-containers.js';
import { advance, claim, currentResource, note, recordEnd } from '../shared/status.js';
import { openAt } from '../training/training-source.js';
import { type BatchFile, fileName, predictFile } from './batch-file.js';
import { authOf } from './batch-image.js';
import { storeOutput } from './batch-output.js';
import { type BatchPlanDeps, preparePlan, readPlan, removePlan } from './batch-plan.js';

export interface BatchDeps extends BatchPlanDeps {
  inferenceJobs: ResourceStore<InferenceJob>;
  engine: EngineDriver;
  logs: LogStore;
  /** Limit of a whole job, from its first program on. */
  limitSeconds: number;
  /** Programs of jobs that may run at once on the engine. */
  mostAtOnce?: number;
  /** Most disk space of the files of one program in its container. */
  diskBytes?: number;
  /** Tells Temporal that an attempt is alive. @throws when the attempt is not the one that counts */
  renewLease: RenewLease;
  /** Between two polls of a container. */
  pollMs?: number;
  /** Files of one activity; the history gets an entry for each. */
  filesPerTurn?: number;
  now?: () => Date;
}

/** The files of one turn: from this one on. */
interface Turn {
  ref: RunRef;
  from: number;
}

/** Where an attempt was: what it had stored stays. */
const Details = z.object({ done: z.int() }).catch({ done: 0 });

/** Progress is shown at most so often: each time is a write. */
const SHOW_MS = 5_000;

export type BatchActivities = ReturnType<typeof createBatchActivities>;

/** Effects of a batch job, each of them repeatable; the workflow decides their order. */
export function createBatchActivities(deps: BatchDeps) {
  const { inferenceJobs: jobs, engine, logs, objects, limitSeconds, pollMs = 500, now = () => new Date() } = deps;
  const { mostAtOnce = Infinity, filesPerTurn = 100 } = deps;
  const required = (): Promise<void> => requireAttempt(deps.renewLease);
  const takePlace = createContainerPlaces({ engine, kind: 'batchJob', most: mostAtOnce, pollMs });

  async function startInPlace(ref: RunRef, name: string, start: () => Promise<void>): Promise<void> {
    const message = `waiting for other batch jobs: SLIPWAY_MAX_BATCH_JOBS is ${mostAtOnce}`;
    let waited = false;
    const onWait = () => {
      waited = true;
      return messageOf(jobs, ref)(message);
    };
    await takePlace({ name, signal: cancellationSignal(), onWait }, start);
    if (waited) await messageOf(jobs, ref)(undefined);
  }

  const show = (ref: RunRef, done: number, total: number): Promise<unknown> =>
    note<InferenceJobStatus, InferenceJob>(jobs, ref, (status) => ({
      ...status,
      podName: containerName('batchJob', ref, String(Math.min(done, total - 1))),
      files: { done, total },
    }));

  const overdue = (): Error =>
    runFailed({ reason: 'Timeout', message: `the job took longer than ${limitSeconds} s`, exitCode: 124 });

  /** Seconds that are left to the whole job. @throws run_failed, Timeout */
  function secondsLeft({ status: { startedAt } }: InferenceJob): number {
    const left = limitSeconds - (now().getTime() - Date.parse(startedAt ?? now().toISOString())) / 1_000;
    if (left > 0) return left;
    throw overdue();
  }

  /** Predicts one file and stores its output. */
  async function finishFile(file: Omit<BatchFile, 'limitSeconds'>): Promise<void> {
    const { ref, job } = file;
    const own = { ...deps, startInPlace: startInPlace.bind(undefined, ref), requireAttempt: required };
    const limited = { ...file, limitSeconds: secondsLeft(job) };
    // The limit of one file is what is left of the whole job's.
    const handle = await predictFile(own, limited).catch((err: unknown) => {
      throw failureIn(err)?.reason === 'Timeout' ? overdue() : err;
    });
    const { connection = '', path } = job.spec.outputDestination;
    const to = await openAt(deps, connection, path);
    const folder = `${ref.id}/${fileName(file)}`;
    await whileBeating(() => storeOutput({ engine, handle, to, folder, requireAttempt: required }), file.beat);
    await removeUnlessAborted(engine, handle, file.signal);
  }

  async function openLog(ref: RunRef, step: string): Promise<LogWriter> {
    const log = await logs.writer(logPrefix('batchJob', ref));
    await log.step(step);
    return log;
  }

  return {
    /** @throws as `claim` */
    async claimBatchJob(ref: RunRef): Promise<void> {
      await claim(jobs, 'batchJob', ref, now);
    },

    /** Fixes the image, the model and the list of files. @returns the image, and how many files there are */
    async prepareBatchJob(ref: RunRef): Promise<{ image: string; files: number }> {
      const log = await openLog(ref, 'setup');
      try {
        return await whileBeating(() =>
          withPatience(messageOf(jobs, ref), async () => {
            const job = await currentResource(jobs, ref);
            const { image, files } = await preparePlan(deps, { ref, job, signal: cancellationSignal() });
            await show(ref, 0, files.length);
            return { image, files: files.length };
          }),
        );
      } finally {
        await log.flush();
      }
    },

    /**
     * Predicts some of the files, one after the other, and stores the output of each.
     * @returns how many of all files are done
     * @throws run_failed, whose message names the file
     */
    async predictFiles({ ref, from }: Turn): Promise<number> {
      const signal = cancellationSignal();
      const plan = await readPlan(objects, ref);
      const total = plan.files.length;
      const end = Math.min(total, from + filesPerTurn);
      let done = Math.max(from, Details.parse(activityInfo().heartbeatDetails).done);
      const beat = (): void => heartbeat({ done, total });
      beat();
      const log = await openLog(ref, 'predict');
      return withPatience(messageOf(jobs, ref), async () => {
        const auth = await authOf(deps, plan.image);
        await whileBeating(() => engine.ensureImage(plan.image, auth, signal), beat);
        const started = { startedAt: now().toISOString() };
        await advance<InferenceJobStatus, InferenceJob>(jobs, ref, 'running', started, now);
        const job = await currentResource(jobs, ref);
        const { connection = '', path } = job.spec.dataSource;
        const source = await openAt(deps, connection, path);
        for (let shownAt = 0; done < end;) {
          const file = { ref, job, plan, index: done, source, log, signal, beat };
          await finishFile(file).catch((err: unknown) => nameFile(err, fileName(file)));
          done += 1;
          beat();
          if (done < end && Date.now() - shownAt < SHOW_MS) continue;
          shownAt = Date.now();
          await show(ref, done, total);
        }
        return done;
      }).finally(() => log.flush());
    },

    /** Writes the final status, then the end of the log: a client that follows the log reads the status after it. */
    async recordBatchSucceeded(ref: RunRef): Promise<void> {
      const patch = { finishedAt: now().toISOString(), exitCode: 0 };
      await advance<InferenceJobStatus, InferenceJob>(jobs, ref, 'succeeded', patch, now);
      await (await logs.writer(logPrefix('batchJob', ref))).finish({ exitCode: 0 });
    },

    async recordBatchFailed({ ref, failure }: { ref: RunRef; failure: Failure }): Promise<void> {
      await recordEnd(jobs, logs, { kind: 'batchJob', ref, failure, now });
    },

    /** Stops and removes the containers of this run, and its plan; nothing there is success. */
    async removeBatchJob(ref: RunRef): Promise<void> {
      const labels = { kind: 'batchJob', id: ref.id, uid: ref.uid, generation: String(ref.generation) };
      await removeContainers(engine, await engine.find(labels), { graceMs: 3_000 });
      await removePlan(objects, ref);
    },
  };
}

/** @throws the error, which names the file where it ends the run */
function nameFile(err: unknown, name: string): never {
  const failure = failureIn(err);
  if (failure === undefined) throw err;
  throw runFailed({ ...failure, message: `input "${name}": ${failure.message}` }, err);
}
