import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { containerName, logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import { renderArtifactName } from '../../lifecycle/kinds/artifact-name.js';
import { trainingStep } from '../../lifecycle/kinds/lineage-steps.js';
import { type Failure, runFailed } from '../../platform/kinds/reasons.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import type { Training, TrainingStatus } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { LineageLog } from '../../lifecycle/stores/lineage.js';
import type { LogStore, LogWriter } from '../../platform/stores/logs.js';
import { ensureEnvironment } from './environment.js';
import { type FeedbackDataDeps, prepareFeedback, resolveData } from './feedback-data.js';
import { whileBeating } from '../shared/heartbeat.js';
import { findIntegration } from '../shared/integrations.js';
import { lineSink } from '../shared/log-sink.js';
import { putRunner, startJob, superviseJob, WORKSPACE } from '../shared/job.js';
import { advance, claim, currentResource, noteFacts, recordEnd } from '../shared/status.js';
import { notPublished, publishArtifact, stageArtifact, type StagedArtifact } from './training-artifact.js';
import { checkContainer, jobContainer, jobDescription, jobFailed } from './training-job.js';
import { prepareSource, type PreparedSource, type SourceDeps } from './training-source.js';

export interface TrainingDeps extends SourceDeps, FeedbackDataDeps {
  toolchains: ResourceStore<ToolchainIntegration>;
  lineage: Pick<LineageLog, 'keep'>;
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

/** The self-check loads a model and asks it twice. */
const CHECK_SECONDS = 600;

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
    /** @throws as `claim` */
    async claimTraining(ref: RunRef): Promise<TrainingPlan> {
      await claim(trainings, 'training', ref, now);
      const { spec } = await resolveData(trainings, ref, now);
      return { modelName: spec.model.name, modelVersion: spec.model.version, toolchain: spec.toolchain };
    },

    /** Resolves the reference to a commit, brings data beside it and stores both as one workspace. */
    async prepareWorkspace(ref: RunRef): Promise<PreparedSource> {
      const log = await writer(ref, 'setup');
      const signal = cancellationSignal();
      try {
        return await whileBeating(async () => {
          const training = await prepareFeedback(deps, { ref, now, signal, say: lineSink(log, now) });
          const source = await prepareSource(deps, training, signal);
          await noteFacts(trainings, ref, ({ status }) => ({
            data: status.data?.map((each) => ({ ...each, digest: source.dataDigests[each.localPath] })),
          }));
          return source;
        });
      } finally {
        await log.flush();
      }
    },

    /** @returns the image to train in */
    async ensureTrainingEnvironment({ ref, source }: { ref: RunRef; source: PreparedSource }): Promise<string> {
      const training = await currentResource(trainings, ref);
      const log = await writer(ref, 'environment');
      const request = {
        ref,
        workspace: source,
        workDir: training.spec.workDir,
        image: await toolchainImage(toolchains, training),
      };
      const watch = { log, beat, signal: cancellationSignal() };
      try {
        return await whileBeating(() =>
          ensureEnvironment({ engine, objects, runner: deps.runner, pollMs }, request, watch),
        );
      } finally {
        await log.flush();
      }
    },

    /** Starts the job, or finds the one that an earlier attempt started: one container per name. */
    async submitTraining({ ref, source, image }: TrainingJob): Promise<void> {
      const training = await currentResource(trainings, ref);
      const integration = await findIntegration(toolchains, 'toolchain', training.spec.toolchain);
      const spec = jobContainer(training, image, integration?.spec.additionalEnvironments ?? {});
      const fill = async (handle: Handle): Promise<void> => {
        await putRunner(engine, handle, deps.runner, jobDescription(training, source));
        await engine.putArchive(handle, WORKSPACE, await objects.open(source.key));
      };
      await whileBeating(() => startJob(engine, spec, fill));
      await advance(trainings, ref, 'running', { startedAt: now().toISOString() }, now);
    },

    /**
     * Follows the job to its end and copies its log.
     * @throws run_failed: ToolchainFailed with the user program's exit code, OutOfMemory, Timeout, Evicted
     */
    async awaitTraining(ref: RunRef): Promise<void> {
      const log = await writer(ref, 'start');
      const handle = { name: containerName('training', ref) };
      const signal = cancellationSignal();
      const exit = await superviseJob({ engine, handle, log, pollMs, limitSeconds: deps.limitSeconds, signal, beat });
      if (exit.exitCode !== 0) throw await jobFailed(engine, handle, exit, { logTail: await log.tail() });
    },

    /** Packs the job's output as an artifact in GPPI form. */
    async collectArtifact(ref: RunRef): Promise<StagedArtifact> {
      return whileBeating(() => stageArtifact(engine, { name: containerName('training', ref) }, objects));
    },

    /** Loads the artifact in a container without network and lets it answer its own sample. @throws run_failed, SelfCheckFailed */
    async checkArtifact({ ref, staged, image }: { ref: RunRef; staged: StagedArtifact; image: string }): Promise<void> {
      const training = await currentResource(trainings, ref);
      const log = await writer(ref, 'check');
      const fill = async (created: Handle): Promise<void> => {
        await putRunner(engine, created, deps.runner, {});
        await engine.putArchive(created, `${WORKSPACE}/artifact`, await objects.open(staged.key));
      };
      const handle = await whileBeating(() => startJob(engine, checkContainer(training, image), fill));
      const signal = cancellationSignal();
      const exit = await superviseJob({ engine, handle, log, pollMs, limitSeconds: CHECK_SECONDS, signal, beat });
      if (exit.exitCode === 0) return;
      throw await jobFailed(engine, handle, exit, { reason: 'SelfCheckFailed', logTail: await log.tail() });
    },

    /**
     * Stores the checked artifact under its name in the bucket of the output connection.
     * @returns the name. @throws run_failed: PushFailed when the bucket does not take it, ArtifactNotFound
     */
    async storeArtifact({ ref, staged, commit, uuid }: Checked & { uuid: string }): Promise<string> {
      const { spec } = await currentResource(trainings, ref);
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
      await whileBeating(async () =>
        publishArtifact(objects, await deps.openStore(output), { staged, artifactName }),
      ).catch((err: unknown) => {
        throw notPublished(output.id, err);
      });
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
      const trained = await advance<TrainingStatus, Training>(
        trainings,
        ref,
        'succeeded',
        {
          artifactName,
          artifacts: [artifact],
          artifactDigest: staged.digest,
          metrics: staged.metrics,
          parameters: staged.parameters,
          finishedAt: now().toISOString(),
          exitCode: 0,
        },
        now,
      );
      await deps.lineage.keep(trainingStep(trained));
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

async function toolchainImage(toolchains: ResourceStore<ToolchainIntegration>, { spec }: Training): Promise<string> {
  const image = spec.image ?? (await findIntegration(toolchains, 'toolchain', spec.toolchain))?.spec.defaultImage;
  if (image !== undefined) return image;
  throw runFailed({
    reason: 'ToolchainFailed',
    message: `toolchain integration "${spec.toolchain}" was deleted meanwhile`,
  });
}
