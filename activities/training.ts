import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { ContainerSpec, EngineDriver, Handle } from '../engines/driver.js';
import { containerName, logPrefix, type RunRef, workflowId } from '../resources/ids.js';
import { renderArtifactName } from '../resources/artifact-name.js';
import { type Failure, type Reason, runFailed } from '../resources/reasons.js';
import type { ToolchainIntegration } from '../resources/toolchain-integration.js';
import type { Training, TrainingStatus } from '../resources/training.js';
import type { EntityStore } from '../stores/entities.js';
import type { LogStore, LogWriter } from '../stores/logs.js';
import { ensureEnvironment } from './environment.js';
import { findIntegration } from './integrations.js';
import { jobEnvironment, type JobExit, putRunner, readOutcome, startJob, superviseJob, WORKSPACE } from './job.js';
import { containerLimits } from './limits.js';
import { advance, currentEntity, recordEnd } from './status.js';
import { publishArtifact, stageArtifact, type StagedArtifact } from './training-artifact.js';
import { prepareSource, type PreparedSource, type SourceDeps } from './training-source.js';

export interface TrainingDeps extends SourceDeps {
  trainings: EntityStore<Training>;
  toolchains: EntityStore<ToolchainIntegration>;
  engine: EngineDriver;
  logs: LogStore;
  /** Folder of the Python package `slipway_runner`. */
  runner: string;
  limitSeconds: number;
  /** Between two looks at a container. */
  pollMs?: number;
  now?: () => Date;
}

/** What the workflow needs to know of a training: names for people, never its data. */
export interface TrainingPlan {
  modelName: string;
  modelVersion: string;
  toolchain: string;
}

export interface TrainingJob {
  ref: RunRef;
  source: PreparedSource;
  /** Environment image. */
  image: string;
}

export type TrainingActivities = ReturnType<typeof createTrainingActivities>;

/** Effects of a training, each of them repeatable; their order is the workflow's affair. */
export function createTrainingActivities(deps: TrainingDeps) {
  const { trainings, toolchains, connections, engine, logs, objects, pollMs = 500, now = () => new Date() } = deps;
  const beat = (): void => heartbeat();
  const writer = async (ref: RunRef, step: string): Promise<LogWriter> => {
    const log = await logs.writer(logPrefix('training', ref));
    await log.step(step);
    return log;
  };

  return {
    /** Takes the generation for this run. @throws stale_generation; run_failed (Cancelled) when a person was faster */
    async claimTraining(ref: RunRef): Promise<TrainingPlan> {
      const { cancelRequestedAt, spec } = await currentEntity(trainings, ref);
      if (cancelRequestedAt !== undefined)
        throw runFailed({ reason: 'Cancelled', message: 'canceled before it started' });
      const patch = { workflowId: workflowId('training', ref.id), podName: containerName('training', ref) };
      await advance(trainings, ref, 'scheduling', patch, now);
      return { modelName: spec.model.name, modelVersion: spec.model.version, toolchain: spec.toolchain };
    },

    /** Resolves the reference to a commit, brings data beside it and stores both as one workspace. */
    async prepareWorkspace(ref: RunRef): Promise<PreparedSource> {
      const training = await currentEntity(trainings, ref);
      const log = await writer(ref, 'setup');
      const beating = setInterval(beat, 2_000);
      try {
        return await prepareSource(deps, training, cancellationSignal());
      } finally {
        clearInterval(beating);
        await log.flush();
      }
    },

    /** @returns the image to train in */
    async ensureTrainingEnvironment({ ref, source }: { ref: RunRef; source: PreparedSource }): Promise<string> {
      const training = await currentEntity(trainings, ref);
      const log = await writer(ref, 'environment');
      const request = {
        ref,
        workspace: source,
        workDir: training.spec.workDir,
        image: await toolchainImage(toolchains, training),
      };
      return ensureEnvironment({ engine, objects, runner: deps.runner, pollMs }, request, {
        log,
        beat,
        signal: cancellationSignal(),
      });
    },

    /** Starts the job, or finds the one that an earlier attempt started: one container per name. */
    async submitTraining({ ref, source, image }: TrainingJob): Promise<void> {
      const training = await currentEntity(trainings, ref);
      const integration = await findIntegration(toolchains, 'toolchain', training.spec.toolchain);
      const spec = jobContainer(training, image, integration?.spec.additionalEnvironments ?? {});
      await startJob(engine, spec, async (handle) => {
        await putRunner(engine, handle, deps.runner, jobDescription(training, source));
        await engine.putArchive(handle, WORKSPACE, await objects.open(source.key));
      });
      await advance(trainings, ref, 'running', { startedAt: now().toISOString() }, now);
    },

    /**
     * Follows the job to its end and copies its log.
     * @throws run_failed: ToolchainFailed with the user program's exit code, OutOfMemory, Timeout, Evicted
     */
    async awaitTraining(ref: RunRef): Promise<void> {
      const log = await writer(ref, 'train');
      const handle = { name: containerName('training', ref) };
      const signal = cancellationSignal();
      const exit = await superviseJob({ engine, handle, log, pollMs, limitSeconds: deps.limitSeconds, signal, beat });
      if (exit.exitCode !== 0) throw await jobFailed(engine, handle, exit);
    },

    /** Packs the job's output as an artifact in GPPI form. */
    async collectArtifact(ref: RunRef): Promise<StagedArtifact> {
      const beating = setInterval(beat, 2_000);
      try {
        return await stageArtifact(engine, { name: containerName('training', ref) }, objects);
      } finally {
        clearInterval(beating);
      }
    },

    /** Loads the artifact in a container without network and lets it answer its own sample. @throws run_failed, SelfCheckFailed */
    async checkArtifact({ ref, staged, image }: { ref: RunRef; staged: StagedArtifact; image: string }): Promise<void> {
      const training = await currentEntity(trainings, ref);
      const log = await writer(ref, 'check');
      const handle = await startJob(engine, checkContainer(training, image), async (created) => {
        await putRunner(engine, created, deps.runner, {});
        await engine.putArchive(created, `${WORKSPACE}/artifact`, await objects.open(staged.key));
      });
      const exit = await superviseJob({
        engine,
        handle,
        log,
        pollMs,
        limitSeconds: 600,
        signal: cancellationSignal(),
        beat,
      });
      if (exit.exitCode !== 0) throw await jobFailed(engine, handle, exit, 'SelfCheckFailed');
    },

    /** Stores the checked artifact under its name in the bucket of the output connection. @returns the name */
    async storeArtifact({ ref, staged, commit, uuid }: Checked & { uuid: string }): Promise<string> {
      const { spec } = await currentEntity(trainings, ref);
      const { name, version, artifactNameTemplate } = spec.model;
      const artifactName = renderArtifactName(artifactNameTemplate, {
        Name: name,
        Version: version,
        RandomUUID: uuid,
        CommitID: commit,
      });
      const output = await connections.get(spec.outputConnection);
      if (!output)
        throw runFailed({
          reason: 'ArtifactNotFound',
          message: `connection "${spec.outputConnection}" was deleted meanwhile`,
        });
      const log = await writer(ref, 'result');
      await publishArtifact(objects, await deps.openStore(output), { staged, artifactName });
      await log.append({
        at: now().toISOString(),
        stream: 'stdout',
        text: `INFO artifact ${artifactName} stored, ${staged.sizeBytes} bytes`,
      });
      await log.flush();
      return artifactName;
    },

    /** The final status, then the end of the log: who waits on the log reads the entity after it. */
    async recordTrainingSucceeded(outcome: TrainingOutcome): Promise<void> {
      const { ref, artifactName, staged, commit } = outcome;
      const artifact = { runId: staged.runId, artifactName, commitID: commit };
      await advance<TrainingStatus, Training>(
        trainings,
        ref,
        'succeeded',
        {
          artifactName,
          artifacts: [artifact],
          metrics: staged.metrics,
          parameters: staged.parameters,
          finishedAt: now().toISOString(),
          exitCode: 0,
        },
        now,
      );
      await (await logs.writer(logPrefix('training', ref))).finish({ exitCode: 0 });
    },

    async recordTrainingFailed({ ref, failure }: { ref: RunRef; failure: Failure }): Promise<void> {
      await recordEnd(trainings, logs, { kind: 'training', ref, failure, now });
    },

    /** Stops and removes every container of this run; nothing there is success. */
    async removeTrainingJob(ref: RunRef): Promise<void> {
      for (const part of [undefined, 'env', 'base', 'check']) {
        const handle = { name: containerName('training', ref, part) };
        await engine.stop(handle, 3_000);
        await engine.remove(handle);
      }
    },
  };
}

export interface Checked {
  ref: RunRef;
  staged: StagedArtifact;
  commit: string;
}
export interface TrainingOutcome extends Checked {
  artifactName: string;
}

async function toolchainImage(toolchains: EntityStore<ToolchainIntegration>, { spec }: Training): Promise<string> {
  const image = spec.image ?? (await findIntegration(toolchains, 'toolchain', spec.toolchain))?.spec.defaultImage;
  if (image !== undefined) return image;
  throw runFailed({
    reason: 'ToolchainFailed',
    message: `toolchain integration "${spec.toolchain}" was deleted meanwhile`,
  });
}

function jobDescription({ id, generation, spec }: Training, source: PreparedSource): object {
  const { model, entrypoint, workDir, hyperParameters, envs, args } = spec;
  const { commit, dataDigests } = source;
  return {
    ...{
      kind: 'ModelTraining',
      id,
      generation,
      model: { name: model.name, version: model.version },
      entrypoint,
      workDir,
    },
    ...{
      hyperParameters,
      envs,
      args,
      commit,
      dataDigests,
      sourceDir: `${WORKSPACE}/src`,
      outputDir: `${WORKSPACE}/output`,
    },
  };
}

function jobContainer(training: Training, image: string, additional: Record<string, string>): ContainerSpec {
  const { spec } = training;
  const limits = containerLimits(spec.resources);
  return {
    ...commonContainer(training, image),
    command: ['python3', '-m', 'slipway_runner', 'train', '--job', `${WORKSPACE}/job.json`],
    env: {
      ...additional,
      ...Object.fromEntries(spec.envs.map(({ name, value }) => [name, value])),
      ...jobEnvironment(limits.cpus),
      MODEL_NAME: spec.model.name,
      MODEL_VERSION: spec.model.version,
    },
    network: 'isolated',
  };
}

function checkContainer(training: Training, image: string): ContainerSpec {
  return {
    ...commonContainer(training, image, 'check'),
    command: ['python3', '-m', 'slipway_runner', 'check', '--artifact', `${WORKSPACE}/artifact`],
    env: jobEnvironment(containerLimits(training.spec.resources).cpus),
    network: 'none',
  };
}

function commonContainer({ id, uid, generation, spec }: Training, image: string, part?: string) {
  const labels = { kind: 'training', id, uid, generation: String(generation), ...(part === undefined ? {} : { part }) };
  const name = containerName('training', { id, uid, generation }, part);
  return { name, image, labels, limits: containerLimits(spec.resources) };
}

/** Exit codes of the runner (guide serving, section 2) as the reasons that clients know. */
async function jobFailed(
  engine: EngineDriver,
  handle: Handle,
  exit: JobExit,
  reason: Reason = 'ToolchainFailed',
): Promise<Error> {
  const { exitCode, outOfMemory } = exit;
  if (outOfMemory)
    return runFailed({ reason: 'OutOfMemory', message: 'the container passed its memory limit', exitCode });
  const outcome = await readOutcome(engine, handle);
  if (exitCode === 137)
    return runFailed({ reason: 'Evicted', message: 'the container was killed from outside', exitCode });
  const message = outcome.message ?? `the program ended with exit code ${exitCode}`;
  return runFailed({ reason, message, exitCode: outcome.userExitCode ?? exitCode });
}
