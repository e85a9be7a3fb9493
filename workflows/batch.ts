import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { BatchActivities } from '../activities/batch/batch.js';
import type { RunRef } from '../platform/kinds/ids.js';
import { createProgress, logOf, type Progress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';

const { claimBatchJob } = proxyActivities<BatchActivities>(phase('record', 'claim this generation'));
const { recordBatchSucceeded, recordBatchFailed } = proxyActivities<BatchActivities>(
  phase('record', 'record the result'),
);
const { prepareBatchJob } = proxyActivities<BatchActivities>(phase('fetch', 'list the input files, find the image'));
const { removeBatchJob } = proxyActivities<BatchActivities>(phase('undo', 'remove the containers'));

// prettier-ignore
const STEPS = {
  prepare: 'list the input files, find the image',
  predict: 'predict the files and store their output',
} as const;

/** Runs one stored batch job over all of its input files. @returns how many they were */
export async function batchJob(ref: RunRef): Promise<number> {
  return followGenerations(ref, async () => {
    const progress = createProgress(`Batch job ${ref.id}, generation ${ref.generation}`, STEPS);
    try {
      return await predict(ref, progress);
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(failure);
      await CancellationScope.nonCancellable(async () => {
        // The sweep removes containers that cannot be removed now; the end of the run is recorded in any case.
        await removeBatchJob(ref).catch(() => undefined);
        await recordBatchFailed({ ref, failure });
      });
      throw runFailure(failure, err);
    }
  });
}

async function predict(ref: RunRef, progress: Progress): Promise<number> {
  await CancellationScope.nonCancellable(() => claimBatchJob(ref));
  progress.begin('prepare', logOf('batchJob', ref.id));
  const { image, files } = await prepareBatchJob(ref);
  progress.begin('predict', `image ${image}`);
  for (let done = 0; done < files;) {
    progress.count(done, files);
    const { predictFiles } = proxyActivities<BatchActivities>(
      phase('await', `predict files from number ${done + 1} of ${files} on`),
    );
    done = await predictFiles({ ref, from: done });
  }
  // Too late to cancel: the output is there.
  await CancellationScope.nonCancellable(async () => {
    await recordBatchSucceeded(ref);
    await removeBatchJob(ref).catch(() => undefined);
  });
  progress.finish(`${files} files predicted`);
  return files;
}
