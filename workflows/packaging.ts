import { CancellationScope, proxyActivities, uuid4 } from '@temporalio/workflow';
import type { PackagingActivities } from '../activities/packaging/packaging.js';
import type { RunRef } from '../platform/kinds/ids.js';
import { createProgress, logOf, type Progress } from './details.js';
import { failureOf, runFailure } from './failure.js';
import { followGenerations } from './generations.js';
import { phase } from './phases.js';

const { claimPackaging } = proxyActivities<PackagingActivities>(phase('record', 'claim this generation'));
const { recordPackagingSucceeded, recordPackagingFailed } = proxyActivities<PackagingActivities>(
  phase('record', 'record the result'),
);
const { buildImage } = proxyActivities<PackagingActivities>(phase('package', 'assemble the image'));
const { testImage } = proxyActivities<PackagingActivities>(phase('package', 'check the image with its own sample'));
// The registry is the caller's, and may hang.
const { pushImage } = proxyActivities<PackagingActivities>(phase('fetch', 'write its tag'));
const { removePackagingJob } = proxyActivities<PackagingActivities>(phase('remove', 'remove the containers'));

// prettier-ignore
const STEPS = {
  build: 'install the environment and assemble the image in the registry',
  check: 'start the image and check it with its own sample',
  push:  'write its tag',
} as const;

/** Turns one stored artifact into an image of a registry; it gets its tag once it has answered its own sample. @returns its full name */
export async function packaging(ref: RunRef): Promise<string> {
  return followGenerations(ref, async () => {
    const progress = createProgress(`Packaging ${ref.id}, generation ${ref.generation}`, STEPS);
    try {
      return await pack(ref, progress);
    } catch (err) {
      const failure = failureOf(err);
      progress.fail(failure);
      await CancellationScope.nonCancellable(async () => {
        // The sweep removes containers that cannot be removed now; the end of the run is recorded in any case.
        await removePackagingJob(ref).catch(() => undefined);
        await recordPackagingFailed({ ref, failure });
      });
      throw runFailure(failure, err);
    }
  });
}

async function pack(ref: RunRef, progress: Progress): Promise<string> {
  // Drawn once: a retry builds and pushes the same tag.
  const uuid = uuid4();
  await CancellationScope.nonCancellable(() => claimPackaging(ref));
  progress.begin('build', logOf('packaging', ref.id));
  const built = await buildImage({ ref, uuid });
  const packed = { ref, image: built.image, digest: built.digest };
  progress.begin('check', `image ${packed.image}`);
  const checked = await testImage(packed);
  progress.begin('push');
  const digest = await pushImage(packed);
  await CancellationScope.nonCancellable(() =>
    recordPackagingSucceeded({ ref, built: { ...built, ...checked }, digest }),
  );
  progress.finish(`manifest ${digest}`);
  return packed.image;
}
