import { cancellationSignal } from '@temporalio/activity';
import { renderArtifactName } from '../../lifecycle/kinds/artifact-name.js';
import { trainingStep } from '../../lifecycle/kinds/lineage-steps.js';
import type { Training, TrainingStatus } from '../../lifecycle/kinds/training.js';
import { logPrefix, type RunRef } from '../../platform/kinds/ids.js';
import { type Failure, runFailed } from '../../platform/kinds/reasons.js';
import { whileBeating } from '../shared/heartbeat.js';
import { advance, currentResource, recordEnd } from '../shared/status.js';
import { notPublished, publishArtifact, type StagedArtifact } from './training-artifact.js';
import { openStepLog, type TrainingDeps } from './training-deps.js';

export interface Checked {
  ref: RunRef;
  staged: StagedArtifact;
  commit: string;
}
export interface TrainingOutcome extends Checked {
  artifactName: string;
}

/** The end of a training: its artifact under its name, its final status, the end of its log. */
export function createTrainingResult(deps: TrainingDeps) {
  const { trainings, connections, logs, objects, now = () => new Date() } = deps;

  return {
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
          message: `connection "${spec.outputConnection}" was deleted after the training started: create it again and rerun the training`,
        });
      const log = await openStepLog(logs, ref, 'result');
      const published = { staged, artifactName, signal: cancellationSignal() };
      await whileBeating(async () => publishArtifact(objects, await deps.openStore(output), published)).catch(
        (err: unknown) => {
          throw notPublished(output.id, err);
        },
      );
      await log.append({
        at: now().toISOString(),
        stream: 'stdout',
        text: `INFO artifact ${artifactName} stored, ${staged.sizeBytes} bytes`,
      });
      await log.flush();
      return artifactName;
    },

    /** Writes the final status, then the end of the log: a client that follows the log reads the status after it. */
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
          artifactBytes: staged.sizeBytes,
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
  };
}
