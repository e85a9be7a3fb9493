import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, TemporalFailure } from '@temporalio/common';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Failure, failureIn, REASONS } from '../../platform/kinds/reasons.js';

/**
 * The only place where an error becomes a Temporal failure. Messages of errors that no client may read stay in the log:
 * a history is kept for long and read by many.
 */
export function toFailure(err: unknown, signal: AbortSignal): unknown {
  // Clients wrap an abort in errors of their own; those would count as failures and be retried.
  if (signal.aborted) return signal.reason;
  if (err instanceof TemporalFailure) return withoutTrace(err);
  const known = err instanceof SlipwayError ? err : new SlipwayError('internal', 'unexpected error', { cause: err });
  log.warn(known.message, { code: known.code, detail: known.detail, cause: describe(known.cause) });
  const failure = failureIn(known);
  const visible = ApplicationFailure.create({
    message: visibleMessage(known),
    type: known.code,
    nonRetryable: failure ? !REASONS[failure.reason].retryable : !known.retryable,
    details: failure ? [failure] : [],
    // Another run owns the document now: no reason to alert an operator.
    category: known.code === 'stale_generation' ? ApplicationFailureCategory.BENIGN : undefined,
  });
  return withoutTrace(visible);
}

/** Returns the part of an error that a history may show. */
export function visibleMessage(err: unknown): string {
  if (!(err instanceof SlipwayError)) return 'internal';
  return err.expose ? err.message : (err.publicMessage ?? err.code);
}

/** How something ended that a step waited for: whatever the reason, a repeat of the step finds the same. */
export function endedBadly(failure: Failure): ApplicationFailure {
  return ApplicationFailure.nonRetryable(failure.message, 'run_failed', failure);
}

/** Removes the stack: it shows paths of this server and says nothing about the run; the log has the cause's. */
function withoutTrace<E extends Error>(failure: E): E {
  failure.stack = '';
  return failure;
}

/** Returns an error as a log shows it: it has no enumerable properties, and a log would show `{}`. */
export function describe(cause: unknown): unknown {
  return cause instanceof Error ? (cause.stack ?? `${cause.name}: ${cause.message}`) : cause;
}
