import { CancellationScope, proxyActivities, uuid4 } from '@temporalio/workflow';
import type { PackagingActivities } from '../activities/packaging.js';
import type { RunRef } from '../resources/ids.js';
import { createProgress, type Progress } from './details.js';
import { failureOf } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';

const { claimPackaging, recordPackagingSucceeded, recordPackagingFailed } = proxyActivities<PackagingActivities>(
  phase('record'),
);
const { buildImage } = proxyActivities<PackagingActivities>(phase('package', 'environment and model image'));
const { testImage } = proxyActivities<PackagingActivities>(phase('package', 'the image answers its own sample'));
const { pushImage } = proxyActivities<PackagingActivities>(phase('package', 'push to the registry'));
const { removePackagingJob } = proxyActivities<PackagingActivities>(phase('undo', 'remove the containers'));

const PHASES = ['build', 'check', 'push'] as const;

/** Turns one stored artifact into a pushed image. @returns its full name */
export async function packaging(ref: RunRef): Promise<string> {
  return followGenerations(ref, async () => {
    const progress = createProgress(`Packaging ${ref.id}, generation ${ref.generation}`, PHASES);
    try {
      return await pack(ref, progress);
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(`${failure.reason}: ${failure.message}`);
      await CancellationScope.nonCancellable(async () => {
        // What cannot be removed now is left to the sweep; that the run has ended is not.
        await removePackagingJob(ref).catch(() => undefined);
        await recordPackagingFailed({ ref, failure });
      });
      throw err;
    }
  });
}

async function pack(ref: RunRef, progress: Progress): Promise<string> {
  // Drawn once: a retry builds and pushes the same tag.
  const uuid = uuid4();
  await CancellationScope.nonCancellable(() => claimPackaging(ref));
  progress.begin('build');
  const built = await buildImage({ ref, uuid });
  const { image } = built;
  progress.begin('check', `image ${image}`);
  await testImage({ ref, image });
  progress.begin('push');
  const digest = await pushImage({ ref, image });
  await CancellationScope.nonCancellable(() => recordPackagingSucceeded({ ref, built, digest }));
  progress.note(`pushed as ${digest}`);
  return image;
}
