import type { DeploymentSpec } from './deployment.js';
import type { Resource } from '../../platform/kinds/resource.js';
import type { Trigger } from './pipeline-trigger.js';
import type { PipelineSpec } from './pipeline.js';
import type { Failure } from '../../platform/kinds/reasons.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';

/** Steps of a run, in order. */
export const PIPELINE_STEPS = [
  'resolve',
  'training',
  'metrics',
  'packaging',
  'heldOut',
  'approval',
  'deployment',
] as const;
export type PipelineStepName = (typeof PIPELINE_STEPS)[number];

export const STEP_STATES = ['running', 'waiting', 'succeeded', 'failed', 'skipped'] as const;

/** The request of a run; frozen, so that a later change of the pipeline does not reach it. */
export interface PipelineRunSpec {
  pipeline: string;
  number: number;
  parameters: Record<string, string>;
  version: string;
  noCache: boolean;
  trigger: Trigger;
  /** The pipeline's spec at the start, or what a retry put in its place. */
  template: PipelineSpec;
}

export interface PipelineStep extends Partial<Pick<Failure, 'reason' | 'message'>> {
  name: PipelineStepName;
  state: (typeof STEP_STATES)[number];
  startedAt: string;
  finishedAt?: string;
  /** The entity that does the work, such as `training/wine-3`. */
  child?: string;
  /** The entity whose result was taken instead of working again. */
  reusedFrom?: string;
  /** Why nothing was reused. */
  reuseMiss?: string;
  /** Key of the inputs, for the runs to come. */
  inputs?: string;
}

export interface GateResult {
  gate: 'metrics' | 'serving' | 'heldOut';
  passed: boolean;
  /** One sentence with both numbers. */
  message: string;
}

export interface Approval {
  decision: 'approved' | 'rejected';
  by: string;
  at: string;
  /** Why. */
  reason: string;
}

export interface PipelineRunStatus extends RunStatus {
  steps: PipelineStep[];
  gates: GateResult[];
  approval?: Approval;
  /** Resolved from the reference; `''` when the source is object storage. */
  commit?: string;
  modelName?: string;
  modelVersion?: string;
  artifactName?: string;
  metrics?: Record<string, number>;
  image?: string;
  imageDigest?: string;
  /** The deployment's generation with the new image, noted before it is stored, and the spec that it had before. */
  deployed?: { id: string; generation: number; previous?: DeploymentSpec };
}
export type PipelineRun = Resource<PipelineRunSpec, PipelineRunStatus>;

/** Id of a run, and of the training and packaging that it makes. */
export const pipelineRunId = (pipeline: string, number: number): string => `${pipeline}-${number}`;
