import { CancellationScope, proxyActivities, upsertSearchAttributes, uuid4 } from '@temporalio/workflow';
import type { TrainingActivities } from '../activities/training/training.js';
import type { RunRef } from '../platform/kinds/ids.js';
import { createProgress, logOf, type Progress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';
import { SEARCH_ATTRIBUTES } from './search-attributes.js';

const { claimTraining } = proxyActivities<TrainingActivities>(phase('record', 'claim this generation'));
const { recordTrainingSucceeded, recordTrainingFailed } = proxyActivities<TrainingActivities>(
  phase('record', 'record the result'),
);
// It waits for a place among the trainings that run at once, which may last as long as they do.
const { submitTraining } = proxyActivities<TrainingActivities>(phase('await', 'start the training container'));
const { prepareWorkspace } = proxyActivities<TrainingActivities>(phase('fetch', 'fetch the code and the data'));
const { collectArtifact } = proxyActivities<TrainingActivities>(phase('prepare', 'copy the model from the container'));
// The bucket is the caller's, and may hang.
const { storeArtifact } = proxyActivities<TrainingActivities>(phase('fetch', 'upload the artifact'));
const { ensureTrainingEnvironment } = proxyActivities<TrainingActivities>(
  phase('package', 'resolve and install the environment'),
);
const { awaitTraining } = proxyActivities<TrainingActivities>(phase('await', 'wait until the program ends'));
const { checkArtifact } = proxyActivities<TrainingActivities>(phase('await', 'check the model with its own sample'));
const { removeTrainingJob } = proxyActivities<TrainingActivities>(phase('remove', 'remove the containers'));

// prettier-ignore
const STEPS = {
  workspace:   'fetch the code and the data',
  environment: 'resolve and install the environment',
  train:       'run the program and wait until it ends',
  artifact:    'copy the model from the container',
  check:       'load the model and check it with its own sample',
  store:       'upload the artifact',
} as const;

/** Runs one stored training to its artifact. @returns the artifact's name */
export async function training(ref: RunRef): Promise<string> {
  return followGenerations(ref, async () => {
    const progress = createProgress(`Training ${ref.id}, generation ${ref.generation}`, STEPS);
    // The undo covers the first step too and works by name: a submit that timed out may have started a job.
    try {
      return await train(ref, progress);
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(failure);
      await CancellationScope.nonCancellable(async () => {
        // The sweep removes containers that cannot be removed now; the end of the run is recorded in any case.
        await removeTrainingJob(ref).catch(() => undefined);
        await recordTrainingFailed({ ref, failure });
      });
      throw runFailure(failure, err);
    }
  });
}

async function train(ref: RunRef, progress: Progress): Promise<string> {
  const uuid = uuid4();
  const plan = await CancellationScope.nonCancellable(() => claimTraining(ref));
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.modelName, value: plan.modelName },
    { key: SEARCH_ATTRIBUTES.modelVersion, value: plan.modelVersion },
  ]);
  progress.begin('workspace', logOf('training', ref.id));
  const source = await prepareWorkspace(ref);
  progress.begin('environment', ...(source.commit === '' ? [] : [`commit ${source.commit}`]));
  const image = await ensureTrainingEnvironment({ ref, source });
  progress.begin('train', `image ${image}`);
  const job = { ref, source, image };
  await submitTraining(job);
  await awaitTraining(job);
  progress.begin('artifact');
  const staged = await collectArtifact(ref);
  progress.begin('check', ...figuresOf('metrics', staged.metrics), ...figuresOf('parameters', staged.parameters));
  await checkArtifact({ ref, staged, image });
  progress.begin('store');
  const checked = { ref, staged, commit: source.commit };
  const artifactName = await storeArtifact({ ...checked, uuid });
  // Too late to cancel: the artifact is there.
  await CancellationScope.nonCancellable(async () => {
    await recordTrainingSucceeded({ ...checked, artifactName });
    await removeTrainingJob(ref).catch(() => undefined);
  });
  progress.finish(`artifact ${artifactName}`);
  return artifactName;
}

const MOST_FIGURES = 20;

/** `metrics: r2 0.21, rmse 0.55`; nothing where there is none. */
function figuresOf(title: string, figures: Readonly<Record<string, number | string>>): string[] {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  const more = shown.length > MOST_FIGURES ? [`${shown.length - MOST_FIGURES} more`] : [];
  return shown.length === 0 ? [] : [`${title}: ${[...shown.slice(0, MOST_FIGURES), ...more].join(', ')}`];
}
