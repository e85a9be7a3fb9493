import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { RunRef } from '../../platform/kinds/ids.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import type { ToolchainIntegration } from '../../lifecycle/kinds/toolchain-integration.js';
import { toolchainProgram } from '../../lifecycle/kinds/toolchain-program.js';
import type { Training } from '../../lifecycle/kinds/training.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { whileBeating } from '../shared/heartbeat.js';
import { findIntegration } from '../shared/integrations.js';
import { lineSink } from '../shared/log-sink.js';
import { messageOf, withPatience } from '../shared/patience.js';
import { claim, currentResource, noteFacts } from '../shared/status.js';
import { ensureEnvironment, newKnownEnvironments } from './environment.js';
import { prepareFeedback, resolveData } from './feedback-data.js';
import { openStepLog, type TrainingDeps } from './training-deps.js';
import { prepareSource, type PreparedSource } from './training-source.js';

/** The facts of a training that the workflow shows to people; never its data. */
export interface TrainingPlan {
  modelName: string;
  modelVersion: string;
  toolchain: string;
}

/** The steps before the user's program: claim, workspace, environment image. */
export function createTrainingPreparation(deps: TrainingDeps) {
  const { trainings, toolchains, logs, pollMs = 500, now = () => new Date() } = deps;
  const beat = (): void => heartbeat();
  const known = newKnownEnvironments();

  return {
    /** @throws as `claim` */
    async claimTraining(ref: RunRef): Promise<TrainingPlan> {
      await claim(trainings, 'training', ref, now);
      const { spec } = await resolveData(trainings, ref, now);
      return { modelName: spec.model.name, modelVersion: spec.model.version, toolchain: spec.toolchain };
    },

    /** Resolves the reference to a commit, brings data beside it and stores both as one workspace. */
    async prepareWorkspace(ref: RunRef): Promise<PreparedSource> {
      const log = await openStepLog(logs, ref, 'setup');
      const signal = cancellationSignal();
      try {
        return await whileBeating(async () => {
          const training = await prepareFeedback(deps, { ref, now, signal, say: lineSink(log, now) });
          const source = await withPatience(messageOf(trainings, ref), () => prepareSource(deps, training, signal));
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
      const log = await openStepLog(logs, ref, 'environment');
      const { image, entrypoint } = await toolchainOf(toolchains, training);
      const request = { ref, workspace: source, workDir: training.spec.workDir, image };
      const watch = { log, beat, signal: cancellationSignal() };
      try {
        // A program of another form than ours knows itself which packages its projects need.
        const ensured = () =>
          toolchainProgram(entrypoint).isPlatform
            ? ensureEnvironment({ ...deps, known, pollMs }, request, watch)
            : deps.engine.ensureImage(image, undefined, watch.signal).then(() => image);
        return await whileBeating(() => withPatience(messageOf(trainings, ref), ensured));
      } finally {
        await log.flush();
      }
    },
  };
}

async function toolchainOf(
  toolchains: ResourceStore<ToolchainIntegration>,
  { spec }: Training,
): Promise<{ image: string; entrypoint: string | undefined }> {
  const toolchain = (await findIntegration(toolchains, 'toolchain', spec.toolchain))?.spec;
  const image = spec.image ?? toolchain?.defaultImage;
  if (image !== undefined) return { image, entrypoint: toolchain?.entrypoint };
  throw runFailed({
    reason: 'ToolchainFailed',
    message: `toolchain integration "${spec.toolchain}" was deleted after the training started: create it again and rerun the training`,
  });
}
