import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Handle } from '../../platform/engines/driver.js';
import { toolchainProgram } from '../../lifecycle/kinds/toolchain-program.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import { containerName, type RunRef } from '../../platform/kinds/ids.js';
import { createContainerPlaces } from '../shared/container-places.js';
import { whileBeating } from '../shared/heartbeat.js';
import { findIntegration } from '../shared/integrations.js';
import { putRunner, startJob, superviseJob, WORKSPACE } from '../shared/job.js';
import { requireAttempt } from '../shared/lease.js';
import { messageOf } from '../shared/patience.js';
import { removeContainers } from '../shared/run-containers.js';
import { advance, currentResource } from '../shared/status.js';
import { stageArtifact, type StagedArtifact } from './training-artifact.js';
import { openStepLog, type TrainingDeps } from './training-deps.js';
import { checkContainer, jobContainer, jobDescription, jobFailed } from './training-job.js';
import type { PreparedSource } from './training-source.js';
import { createMask, type Mask, maskedLog } from '../shared/masked-log.js';
import { putSecrets, readJobSecrets, readMaskedValues } from './job-secrets.js';

export interface TrainingJob {
  ref: RunRef;
  source: PreparedSource;
  /** Environment image. */
  image: string;
}

/** The self-check loads a model and asks it twice. */
const CHECK_SECONDS = 600;

/** The containers of a training: the user's program, its output, and the check of the artifact. */
export function createTrainingProgram(deps: TrainingDeps) {
  const { trainings, toolchains, engine, logs, objects, pollMs = 500, now = () => new Date() } = deps;
  const beat = (): void => heartbeat();
  const { mostAtOnce = Infinity } = deps;
  const required = (): Promise<void> => requireAttempt(deps.renewLease);
  const startInPlace = createContainerPlaces({ engine, kind: 'training', most: mostAtOnce, pollMs });

  const toolchainOf = async ({ spec }: Training) =>
    (await findIntegration(toolchains, 'toolchain', spec.toolchain))?.spec;

  async function submit({ ref, source, image }: TrainingJob, mask: Mask = createMask()): Promise<void> {
    const training = await currentResource(trainings, ref);
    const { entrypoint, additionalEnvironments: additional = {} } = (await toolchainOf(training)) ?? {};
    const spec = jobContainer(training, { entrypoint, image, additional });
    await startJob(engine, spec, async (handle) => {
      await putRunner(engine, handle, deps.runner, jobDescription(training, source));
      await engine.putArchive(handle, WORKSPACE, await objects.open(source.key));
      const secrets = await readJobSecrets(deps, training);
      mask.add(secrets.map(({ value }) => value));
      await putSecrets(engine, handle, secrets);
      // The last moment before the start: a later attempt may have seen the program through to its end.
      await required();
    });
  }

  return {
    /** Starts the job, or finds the one that an earlier attempt started: one container per name. */
    async submitTraining(job: TrainingJob): Promise<void> {
      const { ref } = job;
      const note = messageOf(trainings, ref);
      let waited = false;
      const onWait = () => {
        waited = true;
        return note(`waiting for other trainings: SLIPWAY_MAX_TRAININGS is ${mostAtOnce}`);
      };
      const turn = { name: containerName('training', ref), signal: cancellationSignal(), onWait };
      await whileBeating(() => startInPlace(turn, () => submit(job)));
      if (waited || activityInfo().attempt > 1) await note(undefined);
      await advance(trainings, ref, 'running', { startedAt: now().toISOString() }, now);
    },

    /**
     * Follows the job to its end and copies its log.
     * @throws run_failed: ToolchainFailed with the user program's exit code, OutOfMemory, Timeout, Evicted
     */
    async awaitTraining(job: TrainingJob | RunRef): Promise<void> {
      const ref = 'ref' in job ? job.ref : job; // an earlier release names nothing more
      const mask = createMask();
      const training = await trainings.get(ref.id);
      if (training !== undefined) mask.add(await readMaskedValues(deps, training));
      const log = maskedLog(await openStepLog(logs, ref, 'start'), mask);
      const handle = { name: containerName('training', ref) };
      const limits = { limitSeconds: deps.limitSeconds, diskBytes: deps.diskBytes };
      const watch = { log, pollMs, ...limits, signal: cancellationSignal(), beat };
      const resubmit = 'ref' in job ? () => submit(job, mask) : undefined;
      const exit = await superviseJob({ engine, handle, resubmit, requireAttempt: required, ...watch });
      if (exit.exitCode !== 0) throw await jobFailed(engine, handle, exit, { logTail: await log.tail() });
    },

    /** Packs the job's output as an artifact in GPPI form. */
    async collectArtifact(ref: RunRef): Promise<StagedArtifact> {
      const handle = { name: containerName('training', ref) };
      return whileBeating(() => stageArtifact(engine, handle, { objects, signal: cancellationSignal() }));
    },

    /**
     * Loads the artifact in a container without network and lets it answer its own sample, where it is in the form that
     * has one.
     * @throws run_failed, SelfCheckFailed
     */
    async checkArtifact({ ref, staged, image }: { ref: RunRef; staged: StagedArtifact; image: string }): Promise<void> {
      const training = await currentResource(trainings, ref);
      if (!toolchainProgram((await toolchainOf(training))?.entrypoint).isChecked) return;
      const log = await openStepLog(logs, ref, 'check');
      const fill = async (created: Handle): Promise<void> => {
        await putRunner(engine, created, deps.runner, {});
        await engine.putArchive(created, `${WORKSPACE}/artifact`, await objects.open(staged.key));
      };
      const start = () => startJob(engine, checkContainer(training, image), fill);
      const handle = await whileBeating(start);
      const watch = { log, pollMs, limitSeconds: CHECK_SECONDS, signal: cancellationSignal(), beat };
      const exit = await superviseJob({ engine, handle, resubmit: start, repeatKilled: true, ...watch });
      if (exit.exitCode === 0) return;
      throw await jobFailed(engine, handle, exit, { reason: 'SelfCheckFailed', logTail: await log.tail() });
    },

    /** Stops and removes every container of this run; nothing there is success. */
    async removeTrainingJob(ref: RunRef): Promise<void> {
      const parts = [undefined, 'env', 'base', 'uv', 'install', 'layer', 'check'];
      const containers = parts.map((part) => ({ name: containerName('training', ref, part) }));
      await removeContainers(engine, containers, { graceMs: 3_000 });
    },
  };
}
