import { heartbeat, sleep } from '@temporalio/activity';
import type { ImportActivities } from '../../activities/import.js';
import type { PackagingActivities } from '../../activities/packaging.js';
import type { TrainingActivities } from '../../activities/training.js';
import { type Reason, runFailed } from '../../resources/reasons.js';

/** What a worker of a test did, in order: `claimTraining 1`, with the generation. */
export type Calls = string[];

/** Activities that write down their calls before they act. */
export function noting<A extends object>(calls: Calls, activities: A): A {
  const noted = Object.entries(activities as Record<string, (input: Input) => Promise<unknown>>).map(([name, act]) => [
    name,
    (input: Input) => {
      calls.push(describe(name, input));
      return act(input);
    },
  ]);
  return Object.fromEntries(noted) as A;
}

interface Input {
  generation?: number;
  ref?: { generation: number };
  failure?: { reason: Reason; step?: string };
  keep?: number;
}

function describe(name: string, input: Input | undefined): string {
  const generation = input?.ref?.generation ?? input?.generation;
  const failure = input?.failure && `${input.failure.reason} in ${input.failure.step ?? 'no step'}`;
  const keep = input && 'keep' in input ? `keep ${input.keep}` : undefined;
  return [name, generation, failure, keep].filter((part) => part !== undefined).join(' ');
}

/** An activity that goes on until it is canceled. */
export async function goOn(): Promise<never> {
  for (;;) {
    heartbeat();
    await sleep(20);
  }
}

/** An activity that gives up for good. */
export function giveUp(reason: Reason, message = 'no'): () => Promise<never> {
  return async () => {
    throw runFailed({ reason, message });
  };
}

const staged = { key: 'k', digest: 'd'.repeat(64), sizeBytes: 1, runId: 'run', metrics: {}, parameters: {} };

export const TRAINING: TrainingActivities = {
  claimTraining: async () => ({ modelName: 'wine', modelVersion: '1', toolchain: 'ml-toolchain' }),
  prepareWorkspace: async () => ({ key: 'k', digest: 'd', commit: 'c0ffee', dataDigests: {} }),
  ensureTrainingEnvironment: async () => 'environment',
  submitTraining: async () => {},
  awaitTraining: async () => {},
  collectArtifact: async () => staged,
  checkArtifact: async () => {},
  storeArtifact: async () => 'wine-1.zip',
  recordTrainingSucceeded: async () => {},
  recordTrainingFailed: async () => {},
  removeTrainingJob: async () => {},
};

export const PACKAGING: PackagingActivities = {
  claimPackaging: async () => {},
  buildImage: async () => ({ image: 'registry/wine:1', environment: 'environment', sizeBytes: 1 }),
  testImage: async () => {},
  pushImage: async () => 'sha256:abc',
  recordPackagingSucceeded: async () => {},
  recordPackagingFailed: async () => {},
  removePackagingJob: async () => {},
};

export const IMPORT: ImportActivities = {
  beginImport: async () => ({ replaces: true }),
  importRows: async () => {},
  removeAbsent: async () => {},
  finishImport: async () => {},
  failImport: async () => {},
};
