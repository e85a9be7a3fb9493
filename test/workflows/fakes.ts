import { heartbeat, sleep } from '@temporalio/activity';
import type { ImportActivities } from '../../activities/imports/import.js';
import type { PackagingActivities } from '../../activities/packaging/packaging.js';
import type { PipelineActivities, PipelinePlan } from '../../activities/pipeline/pipeline.js';
import type { TrainingActivities } from '../../activities/training/training.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';

/** The activities of a test worker, in order: `claimTraining 1`, with the generation. */
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
  former?: number | object;
  revision?: { ref: { generation: number } };
  kind?: string;
  approval?: { decision: string };
  notice?: string;
  target?: number;
  candidate?: { ref: { generation: number } };
  weight?: number;
  rollout?: { state: string };
}

function describe(name: string, input: Input | undefined): string {
  const generation = (input?.candidate?.ref ?? input?.revision?.ref ?? input?.ref ?? input)?.generation;
  const failure = input?.failure && `${input.failure.reason} in ${input.failure.step ?? 'no step'}`;
  const former = typeof input?.former === 'number' ? ` former ${input.former}` : '';
  const keep = input && 'keep' in input ? `keep ${input.keep}${former}` : undefined;
  const sent = input?.notice && `${input.notice} to ${input.target}`;
  const more = input?.kind ?? input?.weight ?? input?.rollout?.state ?? input?.approval?.decision ?? sent;
  return [name, generation, failure, keep, more].filter((part) => part !== undefined).join(' ');
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
  buildImage: async () => ({ image: 'registry/wine:1', environment: 'environment', digest: 'sha256:abc' }),
  testImage: async () => ({ imageId: 'sha256:id', sizeBytes: 1 }),
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

/** A pipeline with every step but the approval. */
export const PLAN: PipelinePlan = {
  ...{ pipeline: 'wine', number: 1, trigger: 'api', modelName: 'wine', packaging: true, deployment: true },
  gates: { metrics: true, heldOut: false },
  notify: { succeeded: [], failed: [], waiting: [] },
};

/** The training or packaging that a run makes. */
export const childOf = ({ id, uid, generation }: RunRef): RunRef => ({ id, uid: `${uid}-child`, generation });

export const PIPELINE: PipelineActivities = {
  claimPipelineRun: async () => PLAN,
  resolvePipelineSource: async () => 'c0ffee',
  preparePipelineTraining: async (ref) => ({ child: childOf(ref) }),
  concludePipelineTraining: async () => {},
  checkPipelineMetrics: async () => [{ gate: 'metrics', passed: true, message: 'rmse is 0.4, not above 0.5' }],
  preparePipelinePackaging: async (ref) => ({ child: childOf(ref) }),
  concludePipelinePackaging: async () => {},
  checkPipelineHeldOut: async () => [{ gate: 'heldOut', passed: true, message: 'accuracy is 0.9, not below 0.8' }],
  notifyPipelineRun: async () => {},
  beginPipelineApproval: async () => {},
  recordPipelineApproval: async () => {},
  applyPipelineDeployment: async ({ id, uid }) => ({ id, uid: `${uid}-deployment`, generation: 2 }),
  awaitPipelineDeployment: async () => {},
  awaitPipelineChild: async () => {},
  cancelPipelineChildren: async () => {},
  restorePipelineDeployment: async () => {},
  recordPipelineSucceeded: async () => {},
  recordPipelineFailed: async () => {},
  openScheduledRun: async () => ({ why: 'nothing to do' }),
};
