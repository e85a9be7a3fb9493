import { ActivityFailure, ApplicationFailure, isCancellation, rootCause, TimeoutFailure } from '@temporalio/workflow';
import type { Failure } from '../platform/kinds/reasons.js';

/** Returns reason and message of a failed run, from the error that reached the workflow. */
export function failureOf(err: unknown): Failure {
  if (isCancellation(err)) return { reason: 'Cancelled', message: 'the run was canceled' };
  const step = err instanceof ActivityFailure ? { step: err.activityType } : {};
  const cause = err instanceof ActivityFailure ? err.cause : err;
  if (cause instanceof ApplicationFailure && cause.type === 'run_failed') {
    const [failure] = cause.details as [Failure];
    return { ...step, ...failure };
  }
  if (cause instanceof TimeoutFailure) return { ...step, reason: 'Timeout', message: 'the step did not end in time' };
  return { ...step, reason: 'Internal', message: rootCause(err) ?? 'unknown error' };
}

/** Returns the error that ends the run. The Web UI shows its reason and message first, its causes below. */
export function runFailure({ reason, message }: Failure, cause: unknown): unknown {
  if (isCancellation(cause)) return cause;
  const error = cause instanceof Error ? { cause } : {};
  const failure = ApplicationFailure.create({ message, type: reason, nonRetryable: true, ...error });
  failure.stack = ''; // where this workflow throws says nothing about the run
  return failure;
}
