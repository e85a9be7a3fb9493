import type { Failure } from './reasons.js';

/** States of a training or packaging, in the order in which they may follow each other (management API, 3.2). */
export const RUN_STATES = ['unknown', 'scheduling', 'running', 'succeeded', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const isFinal = (state: RunState): boolean => state === 'succeeded' || state === 'failed';

/** States move only forward within a generation; a final state stays. */
export function mayFollow(from: RunState, to: RunState): boolean {
  return !isFinal(from) && RUN_STATES.indexOf(to) >= RUN_STATES.indexOf(from);
}

export interface Transition {
  state: string;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
}

/** Where every run begins. */
export const freshRun = (now: Date): { state: 'unknown'; transitions: Transition[] } => ({
  state: 'unknown',
  transitions: [{ state: 'unknown', at: now.toISOString() }],
});

/** The common part of `status` of trainings, packagings and pipeline runs; only `state` is always there. */
export interface RunStatus extends Partial<Failure> {
  state: RunState;
  /** Name of the container that does the work. */
  podName?: string;
  workflowId?: string;
  startedAt?: string;
  finishedAt?: string;
  transitions: Transition[];
}
